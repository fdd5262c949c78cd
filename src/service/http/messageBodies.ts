import { on } from 'node:events';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { HttpProblem } from './httpProblem.ts';
import type { LineStream } from './router.ts';

/** The limits for the body of a request. */
export interface RequestLimits {
  readonly maxBytes: number;
  /** Time limit for a body to arrive, and for a client to resume reading a stalled response. */
  readonly timeLimitMs: number;
}

const utf8 = new TextDecoder('utf-8', { fatal: true });

/** Reads JSON; `onReady` follows the headers. Throws {@link HttpProblem} 415, 413, 408, 400 or `broken`'s reason. */
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
  const timeLimit = AbortSignal.timeout(limits.timeLimitMs);
  try {
    const bytes = await collect(request, limits.maxBytes, AbortSignal.any([broken, timeLimit]));
    if (request.complete) return bytes;
  } catch (error) {
    if (error instanceof HttpProblem) throw error;
    if (broken.reason instanceof Error) throw broken.reason;
    if (timeLimit.aborted) throw new HttpProblem(408, 'The request body did not arrive in time.');
  }
  throw new HttpProblem(400, 'The request body was cut off.');
}

async function collect(request: IncomingMessage, maxBytes: number, signal: AbortSignal): Promise<Buffer> {
  const chunks: Buffer[] = [];
  let size = 0;
  // Unlike the request's own iterator, `on` leaves the connection open for the response.
  for await (const [chunk] of on(request, 'data', { signal, close: ['end', 'close'] }) as AsyncIterable<[Buffer]>) {
    size += chunk.length;
    if (size > maxBytes) throw createTooLargeProblem(maxBytes);
    chunks.push(chunk);
  }
  return Buffer.concat(chunks);
}

function createTooLargeProblem(maxBytes: number): HttpProblem {
  return new HttpProblem(413, `The request body is larger than ${maxBytes} bytes.`);
}

const pieceBytes = 256 * 1024;

interface Unsent {
  bytes: number;
  /** Time at which sending last made progress, in milliseconds since 1970. */
  lastReadAtMs: number;
}

/**
 * Sends bodies as fast as clients read them. Aborts stalled responses and, if the unsent bodies together exceed a
 * memory limit, the least recently read ones.
 */
export class ResponseWriter {
  private readonly stallLimitMs: number;
  private readonly maxUnsentBytes: number;
  private readonly unsent = new Map<ServerResponse, Unsent>();

  constructor(stallLimitMs: number, maxUnsentBytes: number) {
    this.stallLimitMs = stallLimitMs;
    this.maxUnsentBytes = maxUnsentBytes;
  }

  /** Writes a body without ending the response. Resolves when the whole body is written or the connection has ended. */
  async write(response: ServerResponse, body: Buffer): Promise<void> {
    const { destroyed: isGone } = response;
    if (isGone) return;
    const state: Unsent = { bytes: body.length, lastReadAtMs: Date.now() };
    this.unsent.set(response, state);
    this.makeRoom(response);
    try {
      for (let start = 0; start < body.length && !response.destroyed; start += pieceBytes) {
        if (!response.write(body.subarray(start, start + pieceBytes))) await this.waitForDrain(response);
        state.bytes = Math.max(0, body.length - start - pieceBytes);
        state.lastReadAtMs = Date.now();
      }
    } finally {
      this.unsent.delete(response);
    }
  }

  private async waitForDrain(response: ServerResponse): Promise<void> {
    await new Promise<void>((resolve) => {
      const timer = setTimeout(() => response.destroy(), this.stallLimitMs);
      const settle = (): void => {
        clearTimeout(timer);
        response.off('drain', settle).off('close', settle);
        resolve();
      };
      response.on('drain', settle).on('close', settle);
      if (response.destroyed) settle();
    });
  }

  private makeRoom(newest: ServerResponse): void {
    let sum = [...this.unsent.values()].reduce((total, state) => total + state.bytes, 0);
    const others = [...this.unsent].filter(([response]) => response !== newest);
    for (const [response, state] of others.sort(([, one], [, other]) => one.lastReadAtMs - other.lastReadAtMs)) {
      if (sum <= this.maxUnsentBytes) return;
      sum -= state.bytes;
      response.destroy();
    }
  }
}

const maxUnreadBytes = 1024 * 1024;

/** Starts a response with one JSON value per line. Aborts the response if the client stops reading. */
export function openLineStream(response: ServerResponse, status: number): LineStream {
  response.statusCode = status;
  response.setHeader('Content-Type', 'application/x-ndjson');
  response.setHeader('Cache-Control', 'no-store');
  response.setHeader('Connection', 'close');
  return {
    write: (value) => {
      if (response.destroyed || response.writableEnded) return;
      response.write(`${JSON.stringify(value)}\n`);
      if (response.writableLength > maxUnreadBytes) response.destroy();
    },
    end: () => response.end(),
    onEnd: (listener) => {
      if (response.destroyed) listener();
      else response.once('close', listener);
    },
  };
}
