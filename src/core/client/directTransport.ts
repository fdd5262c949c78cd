import { Readable } from 'node:stream';
import type { Dispatcher } from 'undici';
import type { Reason } from '../model/reason.ts';
import type { Route } from './dispatcher.ts';
import { toProxyReason, toReason } from './networkErrors.ts';
import type { Transport, WireResponse, WireRequest } from './transport.ts';

/** Sends requests over the client's own connections, which a dispatcher opens and closes. */
export class DirectTransport implements Transport {
  private readonly dispatcher: Dispatcher;
  private readonly isProxied: boolean;

  constructor({ dispatcher, proxy }: Route) {
    this.dispatcher = dispatcher;
    this.isProxied = proxy !== undefined;
  }

  async send(request: WireRequest): Promise<WireResponse> {
    const { origin, path, method, headers, body, onSent, headersMs, bodyMs, signal } = request;
    const length = body === undefined ? {} : { 'content-length': String(Buffer.byteLength(body)) };
    const response = await this.dispatcher.request({
      origin,
      path,
      method,
      headers: { ...headers, ...length },
      body: body === undefined ? null : createWatchedBody(body, onSent),
      headersTimeout: headersMs,
      bodyTimeout: bodyMs,
      onInfo: createHeadersTimeout(headersMs),
      ...(signal && { signal }),
    });
    return { status: response.statusCode, headers: response.headers, body: response.body };
  }

  toReason(error: unknown): Reason {
    return this.isProxied ? toProxyReason(error) : toReason(error);
  }

  close(): void {
    void this.dispatcher.destroy();
  }
}

/** Enforces the time limit for headers across interim (1xx) responses, each of which restarts undici's own limit. */
function createHeadersTimeout(headersMs: number): () => void {
  const startedAt = performance.now();
  return () => {
    if (headersMs === 0 || performance.now() - startedAt < headersMs) return;
    throw Object.assign(new Error('the time limit ran out'), { code: 'ETIMEDOUT' });
  };
}

/**
 * Creates a body that reports when it is read, which happens only after a connection is opened (D12: never resubmit).
 */
function createWatchedBody(body: string, onSent: () => void): Readable {
  return new Readable({
    read() {
      onSent();
      this.push(body, 'utf8');
      this.push(null);
    },
  });
}
