/** Serves 100,000 files in pages for the command line's benchmark, in a separate process; prints its port. */
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { answerFor, numberedIds } from '../support/resources.ts';

interface RequestBody {
  readonly file_ids?: readonly string[];
  readonly offset?: number | string;
  readonly limit?: number | string;
}

const ids = numberedIds(100_000);
const fixed: Readonly<Record<string, string>> = {
  'GET /': JSON.stringify({ name: 'Bench', version: '1' }),
  'GET /api/v1/databases': JSON.stringify(
    ['Bench', 'Target'].map((name) => ({ id: name.toLowerCase(), name, organization: 'Bench', url: '' })),
  ),
};

async function readBody(request: IncomingMessage): Promise<RequestBody> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk as Buffer);
  return chunks.length === 0 ? {} : (JSON.parse(Buffer.concat(chunks).toString('utf8')) as RequestBody);
}

async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
  const { file_ids: wanted, offset = 0, limit = 1000 } = await readBody(request);
  const known = fixed[`${request.method ?? ''} ${request.url ?? ''}`];
  const isKnown = known !== undefined || request.method === 'POST';
  const page = wanted ?? ids.slice(Number(offset), Number(offset) + Number(limit));
  const text = known ?? answerFor(page);
  response.writeHead(isKnown ? 200 : 405, { 'content-type': 'application/json' }).end(isKnown ? text : '{}');
}

const server = createServer((request, response) => void answer(request, response));
server.listen(0, '127.0.0.1', () => console.log((server.address() as AddressInfo).port));
