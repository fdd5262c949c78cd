import type { ReasonKind } from '../model/reason.ts';

/** What a failed exchange's error means. */
export interface Failure {
  readonly kind: ReasonKind;
  readonly code?: string;
  readonly detail?: string;
  /** The proxy's answer to being asked for a way to the service. */
  readonly status?: number;
}

const kinds: Readonly<Record<string, ReasonKind>> = {
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

/** The codes of a browser's network, which an editor's `fetch` may be made of. */
const browserKinds: readonly (readonly [RegExp, ReasonKind])[] = [
  [/_CERT_|_SSL_/, 'certificate'],
  [/_PROXY_|_TUNNEL_/, 'proxy'],
  [/_TIMED_OUT$/, 'timeout'],
  [/_NAME_|_CONNECTION_(REFUSED|FAILED)|_ADDRESS_|_INTERNET_DISCONNECTED/, 'unreachable'],
  [/_RESPONSE_HEADERS_|_INVALID_HTTP/, 'unreadable'],
];

/** Tells what an error of the network means: no connection, no trust, too slow, or dropped. */
export function failureOf(error: unknown): Failure {
  const innermost = causeOf(error);
  const message = innermost instanceof Error ? innermost.message.trim() : '';
  const code = codeOf(innermost) ?? /\bnet::(ERR_[A-Z\d_]+)/.exec(message)?.[1];
  const status = statusOfProxy(message);
  return {
    kind: kindOf(code ?? '', message, innermost),
    ...(code && { code }),
    ...(message && { detail: message }),
    ...(status !== undefined && { status }),
  };
}

/** As {@link failureOf}, where a proxy stands before the service: what could not be reached then is the proxy. */
export function failureThroughProxy(error: unknown): Failure {
  const failure = failureOf(error);
  const isOfTls = failure.code === 'EPROTO' || failure.code?.startsWith('ERR_SSL_') === true;
  return failure.kind === 'unreachable' && !isOfTls ? { ...failure, kind: 'proxy' } : failure;
}

/** `fetch` wraps what went wrong, sometimes more than once. */
function causeOf(error: unknown): unknown {
  let innermost = error;
  for (let depth = 0; depth < 5; depth++) {
    if (!(innermost instanceof Error) || codeOf(innermost) !== undefined || !(innermost.cause instanceof Error)) break;
    innermost = innermost.cause;
  }
  return innermost;
}

function codeOf(error: unknown): string | undefined {
  if (typeof error !== 'object' || error === null || !('code' in error)) return undefined;
  return typeof error.code === 'string' ? error.code : undefined;
}

function statusOfProxy(message: string): number | undefined {
  const status = /^Proxy response \((\d{3})\)/.exec(message)?.[1];
  return status === undefined ? undefined : Number(status);
}

function kindOf(code: string, message: string, error: unknown): ReasonKind {
  const known = Object.hasOwn(kinds, code) ? kinds[code] : undefined;
  if (known) return known;
  if (code.startsWith('ERR_') && message.includes('net::')) return kindOfBrowser(code);
  if (/CERT|SELF_SIGNED|UNABLE_TO_|CRL_|INVALID_CA/.test(code)) return 'certificate';
  if (code.startsWith('ERR_SSL_')) return 'unreachable';
  if (error instanceof Error && error.name === 'HTTPParserError') return 'unreadable';
  if (statusOfProxy(message) !== undefined) return 'proxy';
  return isOfConnecting(message, error) ? 'unreachable' : 'dropped';
}

function kindOfBrowser(code: string): ReasonKind {
  return browserKinds.find(([pattern]) => pattern.test(code))?.[1] ?? 'dropped';
}

function isOfConnecting(message: string, error: unknown): boolean {
  if (/before secure TLS connection/.test(message)) return true;
  if (typeof error !== 'object' || error === null || !('syscall' in error)) return false;
  return error.syscall === 'connect' || error.syscall === 'getaddrinfo';
}
