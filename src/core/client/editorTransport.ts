import type { Clock } from '../util/clock.ts';
import { failureOf, type Failure } from './failure.ts';
import { linkSignals } from './linkedSignal.ts';
import type { Transport, WireAnswer, WireRequest } from './transport.ts';

/** The standard `fetch`, as far as it is used here. */
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
 * Sends with the editor's `fetch`, which knows ways that we do not: scripts that choose a proxy, a proxy's sign-in,
 * SOCKS. It has no connection of its own to close, and keeps time limits by itself, on top of which ours count.
 */
export class EditorTransport implements Transport {
  private readonly fetch: Fetch;
  private readonly clock: Clock;
  private readonly closing = new AbortController();

  constructor(fetch: Fetch, clock: Clock) {
    this.fetch = fetch;
    this.clock = clock;
  }

  async send(request: WireRequest): Promise<WireAnswer> {
    const { origin, path, method, headers, body, sent, headersMs, bodyMs } = request;
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
      sent();
      return { ...headOf(response), body: timing.body(response, bodyMs) };
    } catch (error) {
      timing.end();
      if (!isBeforeSending(this.meaningOf(error))) sent();
      throw error;
    }
  }

  meaningOf(error: unknown): Failure {
    return failureOf(error);
  }

  close(): void {
    this.closing.abort();
  }
}

/** `fetch` does not tell whether a request was sent; these failures happen before. */
function isBeforeSending({ kind, code }: Failure): boolean {
  return ['unreachable', 'certificate', 'proxy'].includes(kind) || code === 'UND_ERR_CONNECT_TIMEOUT';
}

function headOf(response: Response): Pick<WireAnswer, 'status' | 'headers'> {
  const headers = Object.fromEntries(response.headers);
  // Where a redirect is kept from us, that it was one is all there is to know.
  return response.type === 'opaqueredirect' ? { status: 302, headers } : { status: response.status, headers };
}

/** Our own limits on an exchange whose sender has others; an exceeded one looks like those of the other transport. */
class TimeLimit {
  readonly signal: AbortSignal;
  private readonly clock: Clock;
  private readonly limit = new AbortController();
  private readonly release: () => void;
  /** Rejected when the signal is aborted, for work that does not listen to it. */
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

  /** Starts anew, from the limit given; 0: none. */
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
      throw Object.assign(new Error('the time limit ran out', { cause: error }), { code: 'ETIMEDOUT' });
    }
  }

  async *body(response: Response, bodyMs: number): AsyncGenerator<Uint8Array> {
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
