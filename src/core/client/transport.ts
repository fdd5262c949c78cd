import type { Reason, ReasonKind } from '../model/reason.ts';

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

/**
 * A UTF-8 decoder that removes a byte order mark. Shared by all calls, because it has no state outside streaming mode.
 */
const utf8 = new TextDecoder();

/** Decodes the chunks of a body as UTF-8, and removes a byte order mark. */
export function decodeText(chunks: readonly Uint8Array[]): string {
  return utf8.decode(chunks.length === 1 ? chunks[0] : Buffer.concat(chunks));
}

/** Reads a body as UTF-8 text. Resolves to undefined if the body exceeds `maxBytes`. Rejects with the network error. */
export async function readText(body: AsyncIterable<Uint8Array>, maxBytes: number): Promise<string | undefined> {
  const chunks: Uint8Array[] = [];
  let size = 0;
  for await (const chunk of body) {
    size += chunk.byteLength;
    if (size > maxBytes) return undefined;
    chunks.push(chunk);
  }
  return decodeText(chunks);
}

/**
 * Returns a signal that is aborted when any of the given signals is aborted. Ignores undefined signals. The caller must
 * call `release` when the signal is no longer needed.
 */
export function linkSignals(
  first: AbortSignal,
  ...others: readonly (AbortSignal | undefined)[]
): { readonly signal: AbortSignal; readonly release: () => void } {
  if (others.every((signal) => signal === undefined || signal === first)) return { signal: first, release: doNothing };
  const signals = [first, ...others.filter((signal) => signal !== undefined)];
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

function doNothing(): void {
  // Nothing was linked.
}

const kindsByCode: Readonly<Record<string, ReasonKind>> = {
  UND_ERR_CONNECT_TIMEOUT: 'timeout',
  UND_ERR_HEADERS_TIMEOUT: 'timeout',
  UND_ERR_BODY_TIMEOUT: 'timeout',
  ETIMEDOUT: 'timeout',
  ECONNREFUSED: 'unreachable',
  ENOTFOUND: 'unreachable',
  EAI_AGAIN: 'unreachable',
  EHOSTUNREACH: 'unreachable',
  EHOSTDOWN: 'unreachable',
  ENETUNREACH: 'unreachable',
  ENETDOWN: 'unreachable',
  EADDRNOTAVAIL: 'unreachable',
  EPROTO: 'unreachable',
  UND_ERR_PRX_TLS: 'proxy',
  UND_ERR_HEADERS_OVERFLOW: 'tooLarge',
  HOSTNAME_MISMATCH: 'certificate',
};

/**
 * Patterns for the error codes of browser network stacks, each with a kind of failure. The editor's `fetch` may report
 * such codes.
 */
const browserKinds: readonly (readonly [RegExp, ReasonKind])[] = [
  [/_CERT_|_SSL_/, 'certificate'],
  [/_PROXY_|_TUNNEL_/, 'proxy'],
  [/_TIMED_OUT$/, 'timeout'],
  [/_NAME_|_CONNECTION_(REFUSED|FAILED)|_ADDRESS_|_INTERNET_DISCONNECTED/, 'unreachable'],
  [/_RESPONSE_HEADERS_|_INVALID_HTTP/, 'unreadable'],
];

/** Classifies a network error. If a proxy refused to open a tunnel, sets `status` to that of the proxy's response. */
export function toReason(error: unknown): Reason {
  const innermost = getCause(error);
  const message = innermost instanceof Error ? innermost.message.trim() : '';
  const code = getCode(innermost) ?? /\bnet::(ERR_[A-Z\d_]+)/.exec(message)?.[1];
  const status = parseProxyStatus(message);
  return {
    kind: toKind(code ?? '', message, innermost),
    ...(code && { code }),
    ...(message && { detail: message }),
    ...(status !== undefined && { status }),
  };
}

/**
 * Classifies an error on a connection through a proxy. Attributes an unreachable host, but not a TLS error, to the
 * proxy.
 */
export function toProxyReason(error: unknown): Reason {
  const reason = toReason(error);
  const isTlsError = reason.code === 'EPROTO' || reason.code?.startsWith('ERR_SSL_') === true;
  return reason.kind === 'unreachable' && !isTlsError ? { ...reason, kind: 'proxy' } : reason;
}

/** Unwraps an error down to the first cause that has a code, because `fetch` can wrap an error several times. */
function getCause(error: unknown): unknown {
  let innermost = error;
  for (let depth = 0; depth < 5; depth++) {
    if (!(innermost instanceof Error) || getCode(innermost) !== undefined || !(innermost.cause instanceof Error)) break;
    innermost = innermost.cause;
  }
  return innermost;
}

function getCode(error: unknown): string | undefined {
  if (typeof error !== 'object' || error === null || !('code' in error)) return undefined;
  return typeof error.code === 'string' ? error.code : undefined;
}

function parseProxyStatus(message: string): number | undefined {
  const status = /^Proxy response \((\d{3})\)/.exec(message)?.[1];
  return status === undefined ? undefined : Number(status);
}

function toKind(code: string, message: string, error: unknown): ReasonKind {
  const known = Object.hasOwn(kindsByCode, code) ? kindsByCode[code] : undefined;
  if (known) return known;
  if (code.startsWith('ERR_') && message.includes('net::')) return toBrowserKind(code);
  if (/CERT|SELF_SIGNED|UNABLE_TO_|CRL_|INVALID_CA/.test(code)) return 'certificate';
  if (code.startsWith('ERR_SSL_')) return 'unreachable';
  if (error instanceof Error && error.name === 'HTTPParserError') return 'unreadable';
  if (parseProxyStatus(message) !== undefined) return 'proxy';
  return isConnectError(message, error) ? 'unreachable' : 'dropped';
}

function toBrowserKind(code: string): ReasonKind {
  return browserKinds.find(([pattern]) => pattern.test(code))?.[1] ?? 'dropped';
}

function isConnectError(message: string, error: unknown): boolean {
  if (/before secure TLS connection/.test(message)) return true;
  if (typeof error !== 'object' || error === null || !('syscall' in error)) return false;
  return error.syscall === 'connect' || error.syscall === 'getaddrinfo';
}
