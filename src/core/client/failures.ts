import type { StoreListing } from '../model/databaseModel.ts';
import type { Reason, ReasonKind, SignInFailure } from '../model/reason.ts';
import type { Clock } from '../util/clock.ts';
import { isJsonObject, parseJsonObject, type JsonObject } from '../util/json.ts';
import { redact } from '../util/redact.ts';
import type { RequestFailure } from './reply.ts';
import { readStoreListing } from './responseReaders.ts';
import { getRequestName, type HttpRequest, type HttpResponse } from './request.ts';

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

/** Kinds of failure by patterns for error codes of browser network stacks, which the editor's `fetch` may report. */
const browserKinds: readonly (readonly [RegExp, ReasonKind])[] = [
  [/_CERT_|_SSL_/, 'certificate'],
  [/_PROXY_|_TUNNEL_/, 'proxy'],
  [/_TIMED_OUT$/, 'timeout'],
  [/_NAME_|_CONNECTION_(REFUSED|FAILED)|_ADDRESS_|_INTERNET_DISCONNECTED/, 'unreachable'],
  [/_RESPONSE_HEADERS_|_INVALID_HTTP/, 'unreadable'],
];

/**
 * Classifies a network error. If a proxy refused to open a tunnel, sets `status` to that of the proxy's response. On a
 * connection through a proxy, attributes an unreachable host, but not a TLS error, to the proxy.
 */
export function toReason(error: unknown, isProxied = false): Reason {
  const innermost = getCause(error);
  const message = innermost instanceof Error ? innermost.message.trim() : '';
  const code = getCode(innermost) ?? /\bnet::(ERR_[A-Z\d_]+)/.exec(message)?.[1];
  const status = parseProxyStatus(message);
  const kind = toNetworkKind(code ?? '', message, innermost);
  const isTlsError = code === 'EPROTO' || code?.startsWith('ERR_SSL_') === true;
  return {
    kind: isProxied && kind === 'unreachable' && !isTlsError ? 'proxy' : kind,
    ...(code && { code }),
    ...(message && { detail: message }),
    ...(status !== undefined && { status }),
  };
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
  const { code } = (error ?? {}) as { readonly code?: unknown };
  return typeof code === 'string' ? code : undefined;
}

function parseProxyStatus(message: string): number | undefined {
  const status = /^Proxy response \((\d{3})\)/.exec(message)?.[1];
  return status === undefined ? undefined : Number(status);
}

function toNetworkKind(code: string, message: string, error: unknown): ReasonKind {
  const known = Object.hasOwn(kindsByCode, code) ? kindsByCode[code] : undefined;
  if (known) return known;
  if (code.startsWith('ERR_') && message.includes('net::'))
    return browserKinds.find(([pattern]) => pattern.test(code))?.[1] ?? 'dropped';
  if (/CERT|SELF_SIGNED|UNABLE_TO_|CRL_|INVALID_CA/.test(code)) return 'certificate';
  if (/^ERR_SSL_|before secure TLS connection/.test(`${code} ${message}`)) return 'unreachable';
  if (error instanceof Error && error.name === 'HTTPParserError') return 'unreadable';
  if (parseProxyStatus(message) !== undefined) return 'proxy';
  const { syscall } = (error ?? {}) as { readonly syscall?: unknown };
  return ['connect', 'getaddrinfo'].includes(String(syscall)) ? 'unreachable' : 'dropped';
}

const kindsByStatus: Readonly<Record<number, ReasonKind>> = {
  401: 'unauthorized',
  403: 'forbidden',
  404: 'notFound',
  407: 'proxy',
};

/** Matches an error from the JSON schema validator with which the public server checks its own responses. */
const validationFailed = /\bdoesn't validate with\b/;

function toKind(status: number, detail = ''): ReasonKind {
  const known = kindsByStatus[status];
  if (known !== undefined) return known;
  if (status < 500) return 'refused';
  return status === 500 && validationFailed.test(detail) ? 'entryRejected' : 'serverError';
}

/** Statuses that a gateway returns without knowing whether a submission took effect (D12: never resubmit). */
const unclearStatuses: ReadonlySet<number> = new Set([502, 504]);

/** The way in which a session sends a request, as far as the reason for a failure depends on it. */
interface SendingFacts {
  /** Strings that must not appear in reasons. */
  readonly secrets: readonly string[];
  readonly clock: Clock;
  /** True if the service accepted the key earlier in the session. */
  readonly hasKeyWorked: boolean;
}

/** Returns the failure for an error response. */
export function toRefusal(
  request: HttpRequest,
  response: HttpResponse,
  { secrets, clock, hasKeyWorked }: SendingFacts,
): RequestFailure {
  const { status, text } = response;
  const { detail, isProblem, listing } = readErrorBody(text, getHeader(response, 'content-type'), secrets);
  const retryAfterMs = parseRetryAfter(getHeader(response, 'retry-after'), clock.now());
  const signIn = classifySignIn(status, detail ?? '');
  const kind = getRefusalKind(request, status, detail);
  const reason: Reason = {
    kind,
    request: getRequestName(request),
    status,
    // Omit the message of a server that is not a data transfer service.
    ...(detail !== undefined && kind !== 'noService' && { detail }),
    ...(signIn !== undefined && { signIn }),
    ...(retryAfterMs !== undefined && { retryAfterMs }),
    ...(request.submissionMs !== undefined && unclearStatuses.has(status) && { maybeDone: true }),
    ...(kind === 'unauthorized' && hasKeyWorked && { keyWorked: true }),
  };
  return { reason, isProblem, ...(listing && { listing }) };
}

/** Returns the kind of a refusal. The public server responds with 500 to the cancellation of an unknown transfer. */
function getRefusalKind({ isUniversal, method }: HttpRequest, status: number, detail = ''): ReasonKind {
  if (status === 404 && isUniversal) return 'noService';
  if (status === 500 && method === 'DELETE' && /\bnot found\b/i.test(detail)) return 'notFound';
  return toKind(status, detail);
}

/** Returns the first value of a response's header; empty if the header is absent. */
export function getHeader(response: HttpResponse, name: string): string {
  const value = response.headers[name];
  return (Array.isArray(value) ? value[0] : value) ?? '';
}

/** Parses a `Retry-After` header of seconds or a date. Returns milliseconds from `now`; undefined if invalid. */
function parseRetryAfter(text: string, now: number): number | undefined {
  if (/^\d{1,9}$/.test(text.trim())) return Number(text) * 1000;
  const at = /[a-z]{3}/i.test(text) ? Date.parse(text) : Number.NaN;
  return Number.isNaN(at) ? undefined : Math.max(0, at - now);
}

interface ErrorBody {
  /** Readable plain text; absent if the body does not contain any. */
  readonly detail?: string;
  /** True for a JSON error document, which a server without the route doesn't send (D8: metadata by ids). */
  readonly isProblem: boolean;
  readonly listing?: StoreListing;
}

const maxDetailLength = 4_000;

/**
 * Reads the body of an error response in any form that D14 (error documents) lists. The forms are a problem document,
 * `{code, error}`, plain text, an HTML page, and an empty body. Ignores `errors[].value`. Redacts `secrets` before
 * truncating long text, because a truncated secret would not be recognized.
 */
export function readErrorBody(text: string, contentType: string, secrets: readonly string[] = []): ErrorBody {
  const json = parseJsonObject(text);
  const detail = json ? getObjectDetail(json) : getTextDetail(text, contentType);
  const listing = readListing(json, secrets);
  return {
    isProblem: json !== undefined && detail !== undefined,
    ...(detail && { detail: shorten(redact(detail, secrets)) }),
    ...(listing && { listing }),
  };
}

function readListing(json: JsonObject | undefined, secrets: readonly string[]): StoreListing | undefined {
  const listing = readStoreListing(json?.['listing']);
  return listing?.problem === undefined ? listing : { ...listing, problem: redact(listing.problem, secrets) };
}

/** Joins the messages in an error document. Stops at the maximum length, because there may be thousands of messages. */
function getObjectDetail(json: JsonObject): string | undefined {
  const detail = toText(json['detail']) ?? toText(json['error']) ?? toText(json['message']);
  const parts = detail === undefined ? [] : [detail];
  let length = detail?.length ?? 0;
  for (const message of listMessages(json)) {
    if (length > maxDetailLength) break;
    if (parts.some((part) => part.includes(message))) continue;
    parts.push(message);
    length += message.length;
  }
  return parts.length > 0 ? joinParts(parts) : toText(json['title']);
}

function joinParts(parts: readonly string[]): string {
  return parts.map((part, index) => (index < parts.length - 1 ? part.replace(/\.$/, '') : part)).join('; ');
}

function* listMessages({ errors }: JsonObject): Generator<string> {
  if (!Array.isArray(errors)) return;
  for (const error of errors as readonly unknown[]) {
    const message = isJsonObject(error) ? toText(error['message']) : undefined;
    if (message !== undefined) yield message;
  }
}

function getTextDetail(text: string, contentType: string): string | undefined {
  if (!/html/i.test(contentType) && !/^\s*</.test(text)) return toText(text);
  return toText(/<title[^>]*>([^<]*)</i.exec(text.slice(0, 20_000))?.[1]);
}

function toText(value: unknown): string | undefined {
  const text = typeof value === 'string' ? value.trim() : '';
  return text === '' ? undefined : text;
}

function shorten(text: string): string {
  return text.length > maxDetailLength ? `${text.slice(0, maxDetailLength)}…` : text;
}

const outagePattern =
  /auth\w* error:? \(?5\d\d|connection (?:refused|reset)|dial tcp|no such host|timeout|deadline exceeded|\bEOF\b|invalid character|unexpected end of JSON|bad gateway|service unavailable/i;

/**
 * Patterns for error messages, each with the failure that it indicates; the first match applies. Outages come first,
 * because their messages may also mention the ORCID iD or the key.
 */
const failurePatterns: readonly (readonly [pattern: RegExp, failure: SignInFailure])[] = [
  [outagePattern, 'outage'],
  [/\bno (?:(?:providers\/|associated )?ORCIDs?|providers associated)\b/i, 'account'],
  [/\binvalid ORCID\b|\bno user ORCID\b/i, 'orcid'],
  [/auth\w* error:? \(?40[13]\b|illegal base64|invalid header field/i, 'key'],
  [/\b(?:token|key)\b.{0,40}\b(?:missing|wrong|invalid|unknown|expired|revoked|not accepted|not valid)\b/i, 'key'],
  [/\b(?:missing|wrong|invalid|unknown|expired|revoked)\b.{0,40}\b(?:token|key)\b/i, 'key'],
];

/**
 * Classifies a rejected sign-in by the message in a 401 or 403 response (D44: classify sign-in failures). Returns
 * undefined for any other status and for an unknown message. A 403 counts only if it refers to the account itself.
 */
export function classifySignIn(status: number, text: string): SignInFailure | undefined {
  if (status !== 401 && status !== 403) return undefined;
  const failure = failurePatterns.find(([pattern]) => pattern.test(text))?.[1];
  return status === 401 || failure === 'account' ? failure : undefined;
}
