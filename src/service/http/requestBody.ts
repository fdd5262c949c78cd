import type { IncomingMessage } from 'node:http';
import { HttpProblem } from './httpProblem.ts';

/** The limits for the body of a request. */
export interface RequestLimits {
  readonly maxBytes: number;
  /** Time limit for a body to arrive, and for a client to resume reading a stalled response. */
  readonly timeLimitMs: number;
}

const utf8 = new TextDecoder('utf-8', { fatal: true });

/**
 * Reads a JSON body. Calls `onReady` once the headers are accepted. Throws {@link HttpProblem} 415, 413, 408 or 400, or
 * the abort reason of `broken`.
 */
export async function readJson(
  request: IncomingMessage,
  limits: RequestLimits,
  broken: AbortSignal,
  onReady: () => void,
): Promise<unknown> {
  checkHeaders(request, limits.maxBytes);
  onReady();
  const bytes = await readBytes(request, limits, broken);
  if (bytes.length === 0) throw new HttpProblem(400, 'A request body is required.');
  try {
    return JSON.parse(utf8.decode(bytes));
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
  if (Number(request.headers['content-length'] ?? 0) > maxBytes) throw createTooLargeProblem(maxBytes);
}

async function readBytes(request: IncomingMessage, limits: RequestLimits, broken: AbortSignal): Promise<Buffer> {
  return await new Promise<Buffer>((resolve, reject) => {
    const chunks: Buffer[] = [];
    let size = 0;
    const handleTimeout = (): void =>
      finish(() => reject(new HttpProblem(408, 'The request body did not arrive in time.')));
    const timer = setTimeout(handleTimeout, limits.timeLimitMs);
    const finish = (settle: () => void): void => {
      clearTimeout(timer);
      request.removeAllListeners('data');
      settle();
    };
    request.on('data', (chunk: Buffer) => {
      size += chunk.length;
      if (size > limits.maxBytes) finish(() => reject(createTooLargeProblem(limits.maxBytes)));
      else chunks.push(chunk);
    });
    request.on('end', () => finish(() => resolve(Buffer.concat(chunks))));
    const cutOff = (): void => finish(() => reject(new HttpProblem(400, 'The request body was cut off.')));
    request.on('error', cutOff);
    request.on('close', cutOff);
    const abort = (): void => finish(() => reject(getAbortReason(broken)));
    broken.addEventListener('abort', abort);
    if (broken.aborted) abort();
  });
}

function getAbortReason(signal: AbortSignal): Error {
  return signal.reason instanceof Error ? signal.reason : new HttpProblem(400, 'The request body was cut off.');
}

function createTooLargeProblem(maxBytes: number): HttpProblem {
  return new HttpProblem(413, `The request body is larger than ${maxBytes} bytes.`);
}
