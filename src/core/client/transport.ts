import type { Reason } from '../model/reason.ts';

/** Describes a request for a transport to send. */
export interface WireRequest {
  readonly method: 'GET' | 'POST' | 'DELETE';
  readonly origin: string;
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: string;
  /** Time limit from the request to the response headers, in milliseconds; 0 means no limit. */
  readonly headersMs: number;
  /** Maximum pause while the response body is received, in milliseconds. */
  readonly bodyMs: number;
  /** Cancels this request when aborted. {@link Transport.close} also cancels the request. */
  readonly signal?: AbortSignal;
  /** Called when part of the request may have reached the server (D12: never resubmit). */
  readonly onSent: () => void;
}

/** The status and headers of a response, with a function that reads its body. */
export interface WireResponse {
  readonly status: number;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  /**
   * Reads the body as UTF-8 text. Can be called only once. Resolves to undefined if the body exceeds `maxBytes`.
   * Rejects with the network error.
   */
  readonly readText: (maxBytes: number) => Promise<string | undefined>;
}

/**
 * Sends requests over the client's own connections or with the editor's `fetch`. Never follows redirects or retries.
 */
export interface Transport {
  /** Resolves when the headers have been received. Rejects with the network error. */
  send(request: WireRequest): Promise<WireResponse>;
  /** Converts an error from `send` or `readText` to a reason. */
  toReason(error: unknown): Reason;
  /** Cancels pending requests, and closes the connections that the transport controls. */
  close(): void;
}
