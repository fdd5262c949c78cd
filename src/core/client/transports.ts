import type { Dispatcher } from 'undici';
import type { Reason } from '../model/reason.ts';
import type { Clock } from '../util/clock.ts';
import type { Route } from './route.ts';
import {
  decodeText,
  linkSignals,
  readText,
  toProxyReason,
  toReason,
  type Transport,
  type WireRequest,
  type WireResponse,
} from './transport.ts';

type Dispatch = Dispatcher.DispatchController;
type ResponseHeaders = WireResponse['headers'];

/** Receives the status and headers of a response, or the error if they never arrive. */
interface HeadListener {
  resolve(response: WireResponse): void;
  reject(error: Error): void;
}

/**
 * Receives one response from a dispatcher. Faster for polling than undici's `request`, because it doesn't create
 * streams.
 */
export class ResponseReceiver implements Dispatcher.DispatchHandler {
  private readonly request: WireRequest;
  private readonly listener: HeadListener;
  private readonly startedAt = performance.now();
  private readonly chunks: Uint8Array[] = [];
  private readonly abort = (): void => {
    const error = new Error('aborted');
    if (this.dispatch) this.dispatch.abort(error);
    else this.listener.reject(error);
  };
  private dispatch: Dispatch | undefined;
  private size = 0;
  private maxBytes = Infinity;
  private hasEnded = false;
  private error: Error | undefined;
  private notifyReader: () => void = () => undefined;

  constructor(request: WireRequest, listener: HeadListener) {
    this.request = request;
    this.listener = listener;
    request.signal?.addEventListener('abort', this.abort);
  }

  /** Reports that the request is about to be written to a connection, unless it was aborted (D12: never resubmit). */
  onRequestStart(dispatch: Dispatch): void {
    const { signal, onSent } = this.request;
    this.dispatch = dispatch;
    if (signal?.aborted) return this.abort();
    onSent();
  }

  onResponseStart(_dispatch: Dispatch, status: number, headers: ResponseHeaders): void {
    if (status < 200) return this.checkHeadersLimit();
    this.listener.resolve({ status, headers, readText: async (maxBytes) => await this.readText(maxBytes) });
  }

  onResponseData(_dispatch: Dispatch, chunk: Uint8Array): void {
    this.chunks.push(chunk);
    this.size += chunk.byteLength;
    if (this.size > this.maxBytes) this.abort();
  }

  onResponseEnd(): void {
    this.end();
  }

  onResponseError(_dispatch: Dispatch, error: Error): void {
    this.error = error;
    this.end();
    this.listener.reject(error);
  }

  private end(): void {
    this.hasEnded = true;
    this.request.signal?.removeEventListener('abort', this.abort);
    this.notifyReader();
  }

  private async readText(maxBytes: number): Promise<string | undefined> {
    this.maxBytes = maxBytes;
    if (this.size > maxBytes) this.abort();
    if (!this.hasEnded) await new Promise<void>((resolve) => (this.notifyReader = resolve));
    if (this.size > maxBytes) return undefined;
    if (this.error) throw this.error;
    return decodeText(this.chunks);
  }

  /**
   * Enforces the time limit for headers across interim (1xx) responses, because each such response restarts undici's
   * limit.
   */
  private checkHeadersLimit(): void {
    const { headersMs } = this.request;
    if (headersMs === 0 || performance.now() - this.startedAt < headersMs) return;
    throw Object.assign(new Error('the time limit was exceeded'), { code: 'ETIMEDOUT' });
  }
}

/** Sends requests over the client's own connections, which a dispatcher opens and closes. */
export class DirectTransport implements Transport {
  private readonly dispatcher: Dispatcher;
  private readonly isProxied: boolean;

  constructor({ dispatcher, proxy }: Route) {
    this.dispatcher = dispatcher;
    this.isProxied = proxy !== undefined;
  }

  async send(request: WireRequest): Promise<WireResponse> {
    const { origin, path, method, headers, body = null, headersMs, bodyMs } = request;
    const options = { origin, path, method, headers, body, headersTimeout: headersMs, bodyTimeout: bodyMs };
    return await new Promise((resolve, reject) => {
      this.dispatcher.dispatch(options, new ResponseReceiver(request, { resolve, reject }));
    });
  }

  toReason(error: unknown): Reason {
    return this.isProxied ? toProxyReason(error) : toReason(error);
  }

  close(): void {
    void this.dispatcher.destroy();
  }
}

/** The part of the standard `fetch` that the client uses. */
export type Fetch = (
  address: string,
  init: {
    readonly method: string;
    readonly headers: Record<string, string>;
    readonly body?: string;
    readonly redirect: 'manual';
    readonly cache: 'no-store';
    readonly credentials: 'omit';
    readonly signal: AbortSignal;
  },
) => Promise<Response>;

/**
 * Sends requests with the editor's `fetch`. Unlike the direct transport, supports PAC scripts, SOCKS proxies and more
 * kinds of proxy authentication. Cannot close idle connections, because `fetch` does not expose them. The time limits
 * of `fetch` apply in addition to those of the client.
 */
export class EditorTransport implements Transport {
  private readonly fetch: Fetch;
  private readonly clock: Clock;
  private readonly closing = new AbortController();

  constructor(fetch: Fetch, clock: Clock) {
    this.fetch = fetch;
    this.clock = clock;
  }

  async send(request: WireRequest): Promise<WireResponse> {
    const { origin, path, method, headers, body, onSent, headersMs, bodyMs } = request;
    const timing = new TimeLimit(this.clock, request.signal, this.closing.signal);
    try {
      timing.start(headersMs);
      const response = await timing.watch(
        this.fetch(origin + path, {
          method,
          headers: { ...headers },
          ...(body !== undefined && { body }),
          redirect: 'manual',
          cache: 'no-store',
          credentials: 'omit',
          signal: timing.signal,
        }),
      );
      onSent();
      const content = timing.readBody(response, bodyMs);
      return { ...getHead(response), readText: async (maxBytes) => await readText(content, maxBytes) };
    } catch (error) {
      timing.end();
      if (!isBeforeSending(toReason(error))) onSent();
      throw error;
    }
  }

  toReason(error: unknown): Reason {
    return toReason(error);
  }

  close(): void {
    this.closing.abort();
  }
}

/** Returns true for failures that occur before a request is sent. `fetch` itself does not distinguish such failures. */
function isBeforeSending({ kind, code }: Reason): boolean {
  return ['unreachable', 'certificate', 'proxy'].includes(kind) || code === 'UND_ERR_CONNECT_TIMEOUT';
}

function getHead(response: Response): Omit<WireResponse, 'readText'> {
  const headers = Object.fromEntries(response.headers);
  // An opaque redirect hides its status and headers.
  return response.type === 'opaqueredirect' ? { status: 302, headers } : { status: response.status, headers };
}

/** Enforces the client's time limits. Exceeding a limit causes an error with the code `ETIMEDOUT`. */
class TimeLimit {
  readonly signal: AbortSignal;
  private readonly clock: Clock;
  private readonly limit = new AbortController();
  private readonly release: () => void;
  /** Rejects when the signal is aborted. Raced against operations that do not support abort signals. */
  private readonly ended: Promise<never>;
  private timer: { dispose(): unknown } | undefined;

  constructor(clock: Clock, ...signals: readonly (AbortSignal | undefined)[]) {
    this.clock = clock;
    const linked = linkSignals(this.limit.signal, ...signals);
    this.signal = linked.signal;
    this.release = linked.release;
    this.ended = new Promise((_resolve, reject) => {
      this.signal.addEventListener('abort', () => reject(new Error('ended')));
    });
    this.ended.catch(() => undefined);
  }

  /** Restarts the timer with the given limit in milliseconds; 0 means no limit. */
  start(limitMs: number): void {
    this.timer?.dispose();
    this.timer = limitMs === 0 ? undefined : this.clock.after(limitMs, () => this.limit.abort());
  }

  end(): void {
    this.timer?.dispose();
    this.release();
  }

  async watch<T>(work: Promise<T>): Promise<T> {
    try {
      return await Promise.race([work, this.ended]);
    } catch (error) {
      if (!this.limit.signal.aborted) throw error;
      throw Object.assign(new Error('the time limit was exceeded', { cause: error }), { code: 'ETIMEDOUT' });
    }
  }

  async *readBody(response: Response, bodyMs: number): AsyncGenerator<Uint8Array> {
    const reader = response.body?.getReader();
    try {
      while (reader) {
        this.start(bodyMs);
        const part = await this.watch(reader.read());
        if (part.done) return;
        yield part.value;
      }
    } finally {
      this.end();
      void reader?.cancel().catch(() => undefined);
    }
  }
}
