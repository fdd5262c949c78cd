import type { Reason } from '../model/reason.ts';
import type { Clock } from '../util/clock.ts';
import { readText } from './bodyText.ts';
import { linkSignals } from './linkedSignal.ts';
import { toReason } from './networkErrors.ts';
import type { Transport, WireResponse, WireRequest } from './transport.ts';

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
