import type { IncomingMessage } from 'node:http';
import * as z from 'zod/mini';
import { HttpProblem } from './httpProblem.ts';
import { describeIssue } from './issues.ts';

/** What a request's body may cost. */
export interface BodyLimits {
  readonly maxBytes: number;
  readonly timeLimitMs: number;
}

/** Reads a JSON body. Throws {@link HttpProblem}: 415, 413, 408 or 400. */
export async function readJson(request: IncomingMessage, limits: BodyLimits): Promise<unknown> {
  checkHeaders(request, limits.maxBytes);
  const bytes = await readBytes(request, limits);
  if (bytes.length === 0) throw new HttpProblem(400, 'A request body is required.');
  try {
    return JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(bytes));
  } catch {
    throw new HttpProblem(400, 'The request body is not valid JSON.');
  }
}

function checkHeaders(request: IncomingMessage, maxBytes: number): void {
  const mediaType = (request.headers['content-type'] ?? '').split(';', 1)[0]?.trim().toLowerCase();
  if (mediaType !== 'application/json') throw new HttpProblem(415, 'The Content-Type must be application/json.');
  const encoding = request.headers['content-encoding'];
  if (encoding !== undefined && encoding !== 'identity')
    throw new HttpProblem(415, 'An encoded request body is not accepted.');
  if (Number(request.headers['content-length'] ?? 0) > maxBytes) throw tooLarge(maxBytes);
}

async function readBytes(request: IncomingMessage, limits: BodyLimits): Promise<Buffer> {
  return await new Promise<Buffer>((resolve, reject) => {
    const chunks: Buffer[] = [];
    let size = 0;
    const timer = setTimeout(() => {
      finish(() => reject(new HttpProblem(408, 'The request body did not arrive in time.')));
    }, limits.timeLimitMs);
    const finish = (settle: () => void): void => {
      clearTimeout(timer);
      request.removeAllListeners('data');
      settle();
    };
    request.on('data', (chunk: Buffer) => {
      size += chunk.length;
      if (size > limits.maxBytes) finish(() => reject(tooLarge(limits.maxBytes)));
      else chunks.push(chunk);
    });
    request.on('end', () => finish(() => resolve(Buffer.concat(chunks))));
    request.on('error', () => finish(() => reject(new HttpProblem(400, 'The request body was cut off.'))));
  });
}

function tooLarge(maxBytes: number): HttpProblem {
  return new HttpProblem(413, `The request body is larger than ${maxBytes} bytes.`);
}

/** Checks a body against a schema of the contract. Throws {@link HttpProblem} 422 that names each wrong field. */
export function parseBody<T extends z.ZodMiniType>(schema: T, body: unknown): z.output<T> {
  return parseAt(schema, body, 'body');
}

/** As {@link parseBody}, for fields gathered from the query string. */
export function parseQuery<T extends z.ZodMiniType>(schema: T, fields: unknown): z.output<T> {
  return parseAt(schema, fields, 'query');
}

function parseAt<T extends z.ZodMiniType>(schema: T, value: unknown, root: string): z.output<T> {
  const result = z.safeParse(schema, value);
  if (result.success) return result.data;
  const errors = result.error.issues.map((issue) => describeIssue(issue, root));
  throw new HttpProblem(422, 'The request has a wrong field.', { errors });
}
