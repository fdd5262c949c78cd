import type { Dispatcher } from 'undici';
import type { Clock } from '../util/clock.ts';
import { toReason } from './failures.ts';
import type { ExchangeTrail, HttpRequest, HttpResponse, Limits } from './request.ts';

/** A request to send once, and how far it got. */
interface WireRequest {
  readonly request: HttpRequest;
  /** The request's path or, after a redirect, another one. */
  readonly path: string;
  /** Time limit from the request to the response headers, in milliseconds; 0 means no limit. */
  readonly headersMs: number;
  /** Cancels this request when aborted. {@link Transport.close} also cancels the request. */
  readonly signal?: AbortSignal;
  /** The transport sets `wasSent` as soon as part of the request may have reached the server (D12: never resubmit). */
  readonly trail: ExchangeTrail;
}

/** A response. Has no text if the body exceeds the limit; has an error instead if the body could not be received. */
interface WireResponse extends Omit<HttpResponse, 'text'> {
  readonly text?: string;
  readonly error?: unknown;
}

/** Sends requests over own connections or with the editor's `fetch`. Never follows redirects or retries. */
export interface Transport {
  /** Resolves when the response has ended. Rejects with the network error if there is no response. */
  send(wire: WireRequest): Promise<WireResponse>;
  /** Cancels pending requests, and closes the connections that the transport controls. */
  close(): void;
}

/** The service to which a transport sends requests. */
interface Target {
  /** Scheme, host and port. The key is never sent to any other origin (D18: same-origin redirects). */
  readonly origin: string;
  readonly authorization: string;
  readonly limits: Limits;
}

function buildHeaders({ authorization }: Target, { body, content }: HttpRequest): Record<string, string> {
  const contentType = body === undefined ? {} : { 'content-type': 'application/json' };
  return { authorization, accept: content ? '*/*' : 'application/json', ...contentType, ...content };
}

/** Removes a byte order mark. Shared by all responses, because it has no state outside streaming mode. */
const utf8 = new TextDecoder();

interface ReceivedBody {
  readonly text: string;
  readonly bytes?: Uint8Array;
}

function toBody({ content }: HttpRequest, status: number, chunks: readonly Uint8Array[]): ReceivedBody {
  const [first = new Uint8Array()] = chunks;
  const bytes = chunks.length > 1 ? Buffer.concat(chunks) : first;
  return content && status < 300 ? { text: '', bytes } : { text: utf8.decode(bytes) };
}

/**
 * Returns a signal that is aborted when any of the given signals is aborted. Ignores undefined signals. The caller must
 * call `release` when the signal is no longer needed.
 */
export function linkSignals(
  first: AbortSignal,
  ...others: readonly (AbortSignal | undefined)[]
): { readonly signal: AbortSignal; readonly release: () => void } {
  const signals = new Set([first]);
  for (const signal of others) if (signal) signals.add(signal);
  if (signals.size === 1) return { signal: first, release: () => undefined };
  const controller = new AbortController();
  const abort = (): void => controller.abort();
  for (const signal of signals) {
    if (signal.aborted) abort();
    else signal.addEventListener('abort', abort);
  }
  const release = (): void => {
    for (const signal of signals) signal.removeEventListener('abort', abort);
  };
  return { signal: controller.signal, release };
}

function createTimeLimitError(cause?: unknown): Error {
  return Object.assign(new Error('the time limit was exceeded', { cause }), { code: 'ETIMEDOUT' });
}

type Dispatch = Dispatcher.DispatchController;

/** Receives a response from a dispatcher, without streams, which makes polling faster than undici's `request`. */
export class ResponseReceiver implements Dispatcher.DispatchHandler {
  private readonly wire: WireRequest;
  private readonly limits: Limits;
  private readonly resolve: (response: WireResponse) => void;
  private readonly reject: (error: Error) => void;
  private readonly startedAt = performance.now();
  private readonly chunks: Uint8Array[] = [];
  private readonly abort = (): void => {
    const error = new Error('aborted');
    if (this.dispatch) this.dispatch.abort(error);
    else this.reject(error);
  };
  private dispatch: Dispatch | undefined;
  private head: Omit<HttpResponse, 'text'> | undefined;
  private size = 0;
  private maxBytes = 0;

  constructor(
    wire: WireRequest,
    limits: Limits,
    resolve: (response: WireResponse) => void,
    reject: (error: Error) => void,
  ) {
    this.wire = wire;
    this.limits = limits;
    this.resolve = resolve;
    this.reject = reject;
    wire.signal?.addEventListener('abort', this.abort);
  }

  /** Records that the request is about to be written to a connection, unless it was aborted (D12: never resubmit). */
  onRequestStart(dispatch: Dispatch): void {
    const { signal, trail } = this.wire;
    this.dispatch = dispatch;
    if (signal?.aborted) return this.abort();
    trail.wasSent = true;
  }

  onResponseStart(_dispatch: Dispatch, status: number, headers: HttpResponse['headers']): void {
    if (status < 200) return this.checkHeadersLimit();
    this.head = { status, headers };
    this.maxBytes = status < 300 ? this.limits.bodyBytes : this.limits.errorBytes;
  }

  onResponseData(_dispatch: Dispatch, chunk: Uint8Array): void {
    this.chunks.push(chunk);
    this.size += chunk.byteLength;
    if (this.size > this.maxBytes) this.abort();
  }

  onResponseEnd(): void {
    this.wire.signal?.removeEventListener('abort', this.abort);
    if (!this.head) return;
    const { head, chunks, wire } = this;
    this.resolve(this.size > this.maxBytes ? head : { ...head, ...toBody(wire.request, head.status, chunks) });
  }

  onResponseError(_dispatch: Dispatch, error: Error): void {
    this.wire.signal?.removeEventListener('abort', this.abort);
    if (!this.head) this.reject(error);
    else this.resolve(this.size > this.maxBytes ? this.head : { ...this.head, error });
  }

  /** Enforces the limit for headers across interim (1xx) responses, each of which restarts undici's limit. */
  private checkHeadersLimit(): void {
    const { headersMs } = this.wire;
    if (headersMs !== 0 && performance.now() - this.startedAt >= headersMs) throw createTimeLimitError();
  }
}

/** Sends requests over the client's own connections, which a dispatcher opens and closes. */
export class DirectTransport implements Transport {
  private readonly dispatcher: Dispatcher;
  private readonly target: Target;

  constructor(dispatcher: Dispatcher, target: Target) {
    this.dispatcher = dispatcher;
    this.target = target;
  }

  async send(wire: WireRequest): Promise<WireResponse> {
    const { request, path, headersMs: headersTimeout } = wire;
    const { method, body = null } = request;
    const { origin, limits } = this.target;
    const headers = buildHeaders(this.target, request);
    const options = { origin, path, method, headers, body, headersTimeout, bodyTimeout: limits.bodyMs };
    return await new Promise((resolve, reject) => {
      this.dispatcher.dispatch(options, new ResponseReceiver(wire, limits, resolve, reject));
    });
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
  private readonly target: Target;
  private readonly closing = new AbortController();

  constructor(fetch: Fetch, clock: Clock, target: Target) {
    this.fetch = fetch;
    this.clock = clock;
    this.target = target;
  }

  async send({ request, path, headersMs, signal, trail }: WireRequest): Promise<WireResponse> {
    const { method, body } = request;
    const timing = new TimeLimit(this.clock, signal, this.closing.signal);
    try {
      timing.start(headersMs);
      const response = await timing.watch(
        this.fetch(this.target.origin + path, {
          method,
          headers: buildHeaders(this.target, request),
          ...(body !== undefined && { body }),
          redirect: 'manual',
          cache: 'no-store',
          credentials: 'omit',
          signal: timing.signal,
        }),
      );
      trail.wasSent = true;
      return await this.receive(request, response, timing);
    } catch (error) {
      if (!isBeforeSending(error)) trail.wasSent = true;
      throw error;
    } finally {
      timing.end();
    }
  }

  close(): void {
    this.closing.abort();
  }

  private async receive(request: HttpRequest, response: Response, timing: TimeLimit): Promise<WireResponse> {
    // An opaque redirect hides its status and headers.
    const status = response.type === 'opaqueredirect' ? 302 : response.status;
    const head = { status, headers: Object.fromEntries(response.headers) };
    const { bodyMs, bodyBytes, errorBytes } = this.target.limits;
    const maxBytes = status < 300 ? bodyBytes : errorBytes;
    const reader = response.body?.getReader();
    const chunks: Uint8Array[] = [];
    try {
      for (let size = 0; reader;) {
        timing.start(bodyMs);
        const part = await timing.watch(reader.read());
        if (part.done) break;
        const chunk = part.value as Uint8Array;
        size += chunk.byteLength;
        if (size > maxBytes) return head;
        chunks.push(chunk);
      }
      return { ...head, ...toBody(request, status, chunks) };
    } catch (error) {
      return { ...head, error };
    } finally {
      void reader?.cancel().catch(() => undefined);
    }
  }
}

/** Returns true for failures that occur before a request is sent. `fetch` itself does not distinguish such failures. */
function isBeforeSending(error: unknown): boolean {
  const { kind, code } = toReason(error);
  return ['unreachable', 'certificate', 'proxy'].includes(kind) || code === 'UND_ERR_CONNECT_TIMEOUT';
}

/** Enforces time limits. Exceeding a limit causes an error with the code `ETIMEDOUT`. */
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
      throw this.limit.signal.aborted ? createTimeLimitError(error) : error;
    }
  }
}
