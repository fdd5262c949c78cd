import type { ReasonKind } from '../model/reason.ts';

/** What a failed exchange's error means. */
export interface Failure {
  readonly kind: ReasonKind;
  readonly code?: string;
  readonly detail?: string;
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

/** Tells what an error of the network means: no connection, no trust, too slow, or dropped. */
export function failureOf(error: unknown): Failure {
  const code = codeOf(error);
  const message = error instanceof Error ? error.message.trim() : '';
  return { kind: kindOf(code ?? '', message, error), ...(code && { code }), ...(message && { detail: message }) };
}

function codeOf(error: unknown): string | undefined {
  if (typeof error !== 'object' || error === null || !('code' in error)) return undefined;
  return typeof error.code === 'string' ? error.code : undefined;
}

function kindOf(code: string, message: string, error: unknown): ReasonKind {
  const known = Object.hasOwn(kinds, code) ? kinds[code] : undefined;
  if (known) return known;
  if (/CERT|SELF_SIGNED|UNABLE_TO_|CRL_|INVALID_CA/.test(code)) return 'certificate';
  if (code.startsWith('ERR_SSL_')) return 'unreachable';
  if (error instanceof Error && error.name === 'HTTPParserError') return 'unreadable';
  if (/^Proxy response/.test(message)) return 'proxy';
  return isOfConnecting(message, error) ? 'unreachable' : 'dropped';
}

function isOfConnecting(message: string, error: unknown): boolean {
  if (/before secure TLS connection/.test(message)) return true;
  return typeof error === 'object' && error !== null && 'syscall' in error && error.syscall === 'connect';
}
