/** The server for the client's benchmarks: a plain HTTP server in a separate process. Sends its port to the parent. */
import { createServer } from 'node:http';
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { answerFor, numberedIds } from '../support/resources.ts';
import { statusId } from '../support/bareRequests.ts';

const found = Buffer.from(answerFor(numberedIds(10_000)));
const root = Buffer.from(JSON.stringify({ name: 'Bench', version: '1' }));
const status = Buffer.from(
  JSON.stringify({
    id: statusId,
    status: 'active',
    message: `Transfer ${statusId}: 4 file(s) (0.66 GB)`,
    num_files: 4,
    num_files_transferred: 1,
  }),
);

async function readBody(request: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk as Buffer);
  return Buffer.concat(chunks).toString('utf8');
}

async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
  const { method, url } = request;
  const body = method === 'POST' ? await readBody(request) : '';
  const route = `${method ?? ''} ${url ?? ''}`;
  if (route === 'GET /') end(response, root);
  else if (route === 'POST /api/v1/files') end(response, found);
  else if (route === 'POST /api/v1/files/by-id') {
    end(response, Buffer.from(answerFor((JSON.parse(body) as { file_ids: string[] }).file_ids)));
  } else if (route === `GET /api/v1/transfers/${statusId}`) end(response, status);
  else response.writeHead(405, { 'content-length': '0' }).end();
}

function end(response: ServerResponse, body: Buffer): void {
  response.writeHead(200, { 'content-type': 'application/json', 'content-length': String(body.length) }).end(body);
}

const server = createServer((request, response) => void answer(request, response));
server.listen(0, '127.0.0.1', () => process.send?.((server.address() as AddressInfo).port));
process.once('disconnect', () => process.exit(0));
