import type { Reason, ReasonKind } from '../model/reason.ts';

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
