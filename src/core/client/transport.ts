import type { Failure } from './failure.ts';

/** One request as it goes over the wire. */
export interface WireRequest {
  readonly method: 'GET' | 'POST' | 'DELETE';
  /** Scheme, host and port. */
  readonly origin: string;
  /** Path with query. */
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: string;
  /** From the request to the headers of its answer, in milliseconds; 0: no limit of its own. */
  readonly headersMs: number;
  /** Longest standstill of the answer's body, in milliseconds. */
  readonly bodyMs: number;
  /** Ends this request; `close` ends it too. */
  readonly signal?: AbortSignal;
  /** To be called when any of the request may have reached the server (D12). */
  readonly sent: () => void;
}

/** The beginning of an answer; its body follows. */
export interface WireAnswer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  readonly body: AsyncIterable<Uint8Array>;
}

/** What carries requests to a service: our own connections, or the editor's. It follows no redirect and repeats nothing. */
export interface Transport {
  /** Resolves when the headers are there; rejects with the network's error. */
  send(request: WireRequest): Promise<WireAnswer>;
  /** What an error of `send`, or of the body, means. */
  meaningOf(error: unknown): Failure;
  /** Ends what is under way, and closes every connection. */
  close(): void;
}
