import type { Reason, ReasonKind, SignInFailure } from '../model/reason.ts';
import { wait } from '../util/clock.ts';
import { formatErrorStack } from '../util/errorFacts.ts';
import { isJsonObject, parseJsonObject, type JsonObject } from '../util/json.ts';
import { redact } from '../util/redact.ts';
import {
  exchange,
  getRequestName,
  toRequestFailure,
  type Channel,
  type HttpRequest,
  type HttpResponse,
} from './exchange.ts';
import type { RequestFailure, Result } from './reply.ts';
import { readJson, UnreadableResponseError } from './responseReaders.ts';
import { linkSignals } from './transport.ts';

/**
 * Sends a request to the service within the time limits. Retries a GET if a retry can help (D16: timeouts and retries)
 * and follows its redirects to the same origin (D18: same-origin redirects). Never rejects. Logs only at trace level.
 */
export async function send(
  channel: Channel,
  request: HttpRequest,
  caller?: AbortSignal,
): Promise<Result<HttpResponse>> {
  const { signal, release } = linkSignals(channel.ended, caller);
  try {
    for (let tries = 1; ; tries++) {
      const result = await sendInTurn(channel, request, signal);
      if (!result.reason) return result;
      const delayMs = getRetryDelayMs(channel, request, result.reason, tries);
      if (delayMs === undefined) return result;
      await wait(channel.clock, delayMs, signal);
    }
  } finally {
    release();
  }
}

/**
 * Returns the value that `read` extracts from the JSON in a successful response, without any copies of the key. Returns
 * a failure if the JSON violates the contract (D15: tolerant reading). Returns a failed result unchanged.
 */
export function readResult<T>(
  { keyRemover }: Channel,
  request: HttpRequest,
  result: Result<HttpResponse>,
  read: (json: unknown) => T,
): Result<T> {
  if (result.reason) return result;
  try {
    const { text } = result.value;
    return { value: read(keyRemover.removeFrom(readJson(text), text)) };
  } catch (error) {
    if (!(error instanceof UnreadableResponseError)) throw error;
    const reason: Reason = {
      kind: 'unreadable',
      request: getRequestName(request),
      status: result.value.status,
      detail: error.message,
      ...(request.submissionMs !== undefined && { maybeDone: true }),
    };
    return { reason, isProblem: false };
  }
}

/** Logs the reason for a failed operation on a single line (D2: replies instead of exceptions). */
export function logFailure({ log, secrets }: Channel, { request, kind, status, code, detail }: Reason): void {
  const parts = [status === undefined ? kind : `${String(status)} ${kind}`, code, detail];
  const text = `${request ?? ''}: ${parts.filter((part) => part !== undefined).join(', ')}`;
  const line = redact(text, secrets).replace(/[\p{Cc}\u2028\u2029]+/gu, ' ');
  if (kind === 'cancelled') log.debug(line);
  else log.error(line);
}

/** Logs an error of this program with its stack. Returns the result of the operation in which it was thrown. */
export function reportBug({ log, secrets }: Channel, error: unknown, maybeDone = false): RequestFailure {
  log.error(redact(`Unexpected error: ${formatErrorStack(error)}`, secrets));
  return { isProblem: false, reason: { kind: 'internalError', ...(maybeDone && { maybeDone }) } };
}

/**
 * Sends a request without retries. A request with a `turn` goes through the server's queue (D34: serialized requests).
 */
async function sendInTurn(channel: Channel, request: HttpRequest, signal: AbortSignal): Promise<Result<HttpResponse>> {
  const { turn } = request;
  const send = async (): Promise<Result<HttpResponse>> => {
    const obstacle = signal.aborted ? undefined : await turn?.willSend?.();
    if (obstacle) return toRequestFailure(channel, request, obstacle, { wasSent: false });
    return await sendOnce(channel, request, signal);
  };
  if (!turn || !channel.queue) return await send();
  const lateMs = ({ reason }: Result<HttpResponse>): number => (isAbandoned(reason) ? channel.limits.lateMs : 0);
  return await channel.queue.run({ ...turn, signal, send, lateMs });
}

/** Returns true for an abandoned submission that the server may still be processing (D34: serialized requests). */
function isAbandoned(reason: Reason | undefined): boolean {
  if (reason?.maybeDone !== true) return false;
  const { kind, status } = reason;
  return kind === 'timeout' || kind === 'cancelled' || status === 504;
}

async function sendOnce(channel: Channel, request: HttpRequest, signal: AbortSignal): Promise<Result<HttpResponse>> {
  if (signal.aborted) return toRequestFailure(channel, request, { kind: 'cancelled' }, { wasSent: false });
  let path = request.path;
  for (let redirects = 0; ; redirects++) {
    const startedAt = channel.clock.now();
    const result = await exchange(channel, request, path, signal);
    logExchange(channel, request, result, startedAt);
    if (result.reason) return result;
    const { status } = result.value;
    if (status >= 400) return toRefusal(channel, request, result.value);
    if (status < 300) return result;
    const next = resolveRedirect(channel, request, result.value, path, redirects);
    if (typeof next !== 'string') return toRequestFailure(channel, request, next, { wasSent: true, status });
    path = next;
  }
}

function logExchange(
  { log, clock }: Channel,
  request: HttpRequest,
  result: Result<HttpResponse>,
  startedAt: number,
): void {
  const outcome = result.reason ? result.reason.kind : String(result.value.status);
  log.trace(`${getRequestName(request)}: ${outcome} after ${String(clock.now() - startedAt)} ms`);
}

function resolveRedirect(
  channel: Channel,
  request: HttpRequest,
  response: HttpResponse,
  path: string,
  redirects: number,
): string | Reason {
  const location = getHeader(response, 'location');
  if (location === '' || !URL.canParse(location, channel.origin + path)) return { kind: 'redirect' };
  const target = new URL(location, channel.origin + path);
  if (request.method !== 'GET' || target.origin !== channel.origin || redirects >= channel.limits.redirects) {
    return { kind: 'redirect', detail: `redirected to ${target.origin}` };
  }
  return target.pathname + target.search;
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

function toRefusal(channel: Channel, request: HttpRequest, response: HttpResponse): RequestFailure {
  const { detail, isProblem } = readErrorBody(response.text, getHeader(response, 'content-type'), channel.secrets);
  const retryAfterMs = parseRetryAfter(getHeader(response, 'retry-after'), channel.clock.now());
  const signIn = classifySignIn(response.status, detail ?? '');
  const kind = getRefusalKind(request, response.status, detail);
  const reason: Reason = {
    kind,
    request: getRequestName(request),
    status: response.status,
    // Omit the message of a server that is not a data transfer service.
    ...(detail !== undefined && kind !== 'noService' && { detail }),
    ...(signIn !== undefined && { signIn }),
    ...(retryAfterMs !== undefined && { retryAfterMs }),
    ...(request.submissionMs !== undefined && unclearStatuses.has(response.status) && { maybeDone: true }),
  };
  return { reason, isProblem };
}

/** Returns the kind of a refusal. The public server responds with 500 to the cancellation of an unknown transfer. */
function getRefusalKind({ isUniversal, method }: HttpRequest, status: number, detail = ''): ReasonKind {
  if (status === 404 && isUniversal) return 'noService';
  if (status === 500 && method === 'DELETE' && /\bnot found\b/i.test(detail)) return 'notFound';
  return toKind(status, detail);
}

function getHeader(response: HttpResponse, name: string): string {
  const value = response.headers[name];
  return (Array.isArray(value) ? value[0] : value) ?? '';
}

/**
 * Parses a `Retry-After` header, which contains seconds or a date. Returns the delay from `now` in milliseconds;
 * undefined if the header is invalid.
 */
function parseRetryAfter(text: string, now: number): number | undefined {
  if (/^\d{1,9}$/.test(text.trim())) return Number(text) * 1000;
  const at = /[a-z]{3}/i.test(text) ? Date.parse(text) : Number.NaN;
  return Number.isNaN(at) ? undefined : Math.max(0, at - now);
}

function getRetryDelayMs({ limits }: Channel, request: HttpRequest, reason: Reason, tries: number): number | undefined {
  if (request.method !== 'GET' || tries >= limits.tries || !canRetryHelp(request, reason)) return undefined;
  const backoffMs = limits.retryMs * 2 ** (tries - 1) * (0.75 + Math.random() / 2);
  const delayMs = Math.max(backoffMs, reason.retryAfterMs ?? 0);
  return delayMs > limits.retryAfterMs ? undefined : delayMs;
}

function canRetryHelp(request: HttpRequest, { kind, status, code }: Reason): boolean {
  if (kind === 'dropped') return request.isHalved !== true || status !== undefined;
  if (kind === 'unreachable') return true;
  // The time limits for headers and body are already long, so only a connect timeout is worth retrying.
  if (kind === 'timeout') return code === 'UND_ERR_CONNECT_TIMEOUT';
  if (kind === 'proxy') return status === undefined || status >= 500;
  if (status === 408 || status === 429) return true;
  return kind === 'serverError' && status !== 501 && !(status === 500 && request.isHalved === true);
}

interface ErrorBody {
  /** Readable plain text; absent if the body does not contain any. */
  readonly detail?: string;
  /**
   * True if the body is a JSON error document. A server that lacks the requested route doesn't send such a document
   * (D8: metadata by ids).
   */
  readonly isProblem: boolean;
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
  return {
    isProblem: json !== undefined && detail !== undefined,
    ...(detail && { detail: shorten(redact(detail, secrets)) }),
  };
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

/** Joins messages with semicolons. Drops a period that would precede a semicolon. */
function joinParts(parts: readonly string[]): string {
  return parts.map((part, index) => (index < parts.length - 1 ? part.replace(/\.$/, '') : part)).join('; ');
}

/** Yields the message of each entry in `errors`. Ignores entries that aren't objects with a message. */
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
