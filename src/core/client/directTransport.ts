import { Readable } from 'node:stream';
import type { Dispatcher } from 'undici';
import type { Route } from './dispatcher.ts';
import { failureOf, failureThroughProxy, type Failure } from './failure.ts';
import type { Transport, WireAnswer, WireRequest } from './transport.ts';

/** Sends over connections of our own, opened and closed by a dispatcher. */
export class DirectTransport implements Transport {
  private readonly dispatcher: Dispatcher;
  private readonly isProxied: boolean;

  constructor({ dispatcher, proxy }: Route) {
    this.dispatcher = dispatcher;
    this.isProxied = proxy !== undefined;
  }

  async send(request: WireRequest): Promise<WireAnswer> {
    const { origin, path, method, headers, body, sent, headersMs, bodyMs, signal } = request;
    const length = body === undefined ? {} : { 'content-length': String(Buffer.byteLength(body)) };
    const response = await this.dispatcher.request({
      origin,
      path,
      method,
      headers: { ...headers, ...length },
      body: body === undefined ? null : watchedBody(body, sent),
      headersTimeout: headersMs,
      bodyTimeout: bodyMs,
      onInfo: untilLate(headersMs),
      ...(signal && { signal }),
    });
    return { status: response.statusCode, headers: response.headers, body: response.body };
  }

  meaningOf(error: unknown): Failure {
    return this.isProxied ? failureThroughProxy(error) : failureOf(error);
  }

  close(): void {
    void this.dispatcher.destroy();
  }
}

/** Interim answers (1xx) start the limit for the headers anew; what this throws ends a request that they keep waiting. */
function untilLate(headersMs: number): () => void {
  const startedAt = performance.now();
  return () => {
    if (headersMs === 0 || performance.now() - startedAt < headersMs) return;
    throw Object.assign(new Error('the time limit ran out'), { code: 'ETIMEDOUT' });
  };
}

/** A body that tells when it is taken for sending, which is only once a connection stands (D12). */
function watchedBody(body: string, sent: () => void): Readable {
  return new Readable({
    read() {
      sent();
      this.push(body, 'utf8');
      this.push(null);
    },
  });
}
