import { wait } from '../util/clock.ts';
import { redact } from '../util/redact.ts';
import { readJson, UnreadableAnswer } from './answers.ts';
import { exchange } from './exchange.ts';
import type { Channel, HttpRequest, NoAnswer, RawAnswer } from './exchange.ts';
import type { Failure } from './failure.ts';
import { linkSignals } from './linkedSignal.ts';
import { readErrorBody } from './problem.ts';
import { classifySignIn } from './signIn.ts';
import type { Reason, ReasonKind } from '../model/reason.ts';

/** An answer that is no error, not yet read. */
export interface Answer {
  readonly kind: 'answer';
  readonly status: number;
  readonly text: string;
}

/** A request that brought no usable answer. */
export interface Failed {
  readonly kind: 'failed';
  readonly reason: Reason;
  /** Whether the service itself refused, with a document; a route that is not there answers without one (D8). */
  readonly isProblem: boolean;
}

/** What `send` resolves to. */
export type Outcome = Answer | Failed;

/** An answer that was read. */
export interface Read<T> {
  readonly kind: 'read';
  readonly value: T;
}

/**
 * Sends a request to the service: within the time limits, repeating a GET where that can help (D16),
 * following a GET's redirects on the same origin (D18). Never rejects. Logs nothing but a trace.
 */
export async function send(channel: Channel, request: HttpRequest, caller?: AbortSignal): Promise<Outcome> {
  const { signal, release } = linkSignals(channel.ended, caller);
  try {
    for (let tries = 1; ; tries++) {
      const outcome = await sendInTurn(channel, request, signal);
      if (outcome.kind === 'answer') return outcome;
      const pauseMs = pauseBeforeRepeat(channel, request, outcome.reason, tries);
      if (pauseMs === undefined) return outcome;
      await wait(channel.clock, pauseMs, signal);
    }
  } finally {
    release();
  }
}

/** Reads an answer's JSON; one that has not the form of the contract is a failure like any other (D15). */
export function readAnswer<T>(request: HttpRequest, answer: Answer, read: (json: unknown) => T): Read<T> | Failed {
  try {
    return { kind: 'read', value: read(readJson(answer.text)) };
  } catch (error) {
    if (!(error instanceof UnreadableAnswer)) throw error;
    const isUnclear = request.submissionMs !== undefined;
    const reason: Reason = {
      kind: 'unreadable',
      request: nameOf(request),
      status: answer.status,
      detail: error.message,
      ...(isUnclear && { maybeDone: true }),
    };
    return { kind: 'failed', reason, isProblem: false };
  }
}

/** Logs why an operation failed, in one line (D2). What a caller stopped is no error. */
export function logFailure({ log, secrets }: Channel, { request, kind, status, code, detail }: Reason): void {
  const parts = [status === undefined ? kind : `${String(status)} ${kind}`, code, detail];
  const text = `${request ?? ''}: ${parts.filter((part) => part !== undefined).join(', ')}`;
  const line = redact(text, secrets).replace(/[\p{Cc}\u2028\u2029]+/gu, ' ');
  if (kind === 'cancelled') log.debug(line);
  else log.error(line);
}

/** Sends a request once, when the line of the server comes to it (D34). */
async function sendInTurn(channel: Channel, request: HttpRequest, signal: AbortSignal): Promise<Outcome> {
  const send = async (): Promise<Outcome> => await sendOnce(channel, request, signal);
  const { turn } = request;
  if (!turn || !channel.line) return await send();
  const lateMs = (outcome: Outcome): number => (isGivenUp(outcome) ? channel.limits.lateMs : 0);
  return await channel.line.run({ ...turn, signal, send, lateMs });
}

/** Returns true if somebody stopped waiting for a submission, so that the server may still be working on it (D34). */
function isGivenUp(outcome: Outcome): boolean {
  if (outcome.kind === 'answer' || outcome.reason.maybeDone !== true) return false;
  const { kind, status } = outcome.reason;
  return kind === 'timeout' || kind === 'cancelled' || status === 504;
}

async function sendOnce(channel: Channel, request: HttpRequest, signal: AbortSignal): Promise<Outcome> {
  if (signal.aborted) return failed(channel, request, { failure: { kind: 'cancelled' }, wasSent: false });
  let path = request.path;
  for (let redirects = 0; ; redirects++) {
    const startedAt = channel.clock.now();
    const raw = await exchange(channel, request, path, signal);
    trace(channel, request, raw, startedAt);
    if ('failure' in raw) return failed(channel, request, raw);
    if (!isRedirect(raw)) return outcomeOf(channel, request, raw);
    const next = redirectOf(channel, request, raw, path, redirects);
    if (typeof next !== 'string') return failed(channel, request, { failure: next, status: raw.status, wasSent: true });
    path = next;
  }
}

function trace({ log, clock }: Channel, request: HttpRequest, raw: RawAnswer | NoAnswer, startedAt: number): void {
  const result = 'failure' in raw ? raw.failure.kind : String(raw.status);
  log.trace(`${nameOf(request)}: ${result} after ${String(clock.now() - startedAt)} ms`);
}

function isRedirect({ status }: RawAnswer): boolean {
  return status >= 300 && status < 400;
}

function outcomeOf(channel: Channel, request: HttpRequest, raw: RawAnswer): Outcome {
  if (raw.status >= 400) return refused(channel, request, raw);
  return { kind: 'answer', status: raw.status, text: raw.text };
}

function nameOf(request: HttpRequest): string {
  return `${request.method} ${request.path.replace(/\?.*$/s, '')}`;
}

function redirectOf(
  channel: Channel,
  request: HttpRequest,
  raw: RawAnswer,
  path: string,
  redirects: number,
): string | Failure {
  const location = headerOf(raw, 'location');
  if (location === '' || !URL.canParse(location, channel.origin + path)) return { kind: 'redirect' };
  const target = new URL(location, channel.origin + path);
  if (request.method !== 'GET' || target.origin !== channel.origin || redirects >= channel.limits.redirects) {
    return { kind: 'redirect', detail: `redirected to ${target.origin}` };
  }
  return target.pathname + target.search;
}

function failed(channel: Channel, request: HttpRequest, { failure, status, wasSent }: NoAnswer): Failed {
  // A redirect is a whole answer: what was submitted was not taken.
  const isUnclear = request.submissionMs !== undefined && wasSent && failure.kind !== 'redirect';
  const told = status ?? failure.status;
  const reason: Reason = {
    kind: failure.kind,
    request: nameOf(request),
    ...(told !== undefined && { status: told }),
    ...(failure.code !== undefined && { code: failure.code }),
    ...(failure.detail !== undefined && { detail: redact(failure.detail, channel.secrets) }),
    ...(isUnclear && { maybeDone: true }),
  };
  return { kind: 'failed', reason, isProblem: false };
}

const kindsByStatus: Readonly<Record<number, ReasonKind>> = {
  401: 'unauthorized',
  403: 'forbidden',
  404: 'notFound',
  407: 'proxy',
};

/** The words of the JSON schema validator by which the public server checks the entries of its own answers. */
const validationFailed = /\bdoesn't validate with\b/;

function toKind(status: number, detail = ''): ReasonKind {
  const known = kindsByStatus[status];
  if (known !== undefined) return known;
  if (status < 500) return 'refused';
  return status === 500 && validationFailed.test(detail) ? 'entryRejected' : 'serverError';
}

/** A gateway that lost or gave up on the service does not know what became of a submission (D12). */
const unclearStatuses: ReadonlySet<number> = new Set([502, 504]);

function refused(channel: Channel, request: HttpRequest, raw: RawAnswer): Failed {
  const { detail, isProblem } = readErrorBody(raw.text, headerOf(raw, 'content-type'), channel.secrets);
  const retryAfterMs = retryAfterOf(headerOf(raw, 'retry-after'), channel.clock.now());
  const signIn = classifySignIn(raw.status, detail ?? '');
  const kind = refusalKind(request, raw.status, detail);
  const reason: Reason = {
    kind,
    request: nameOf(request),
    status: raw.status,
    // What some other server says of its own pages helps nobody.
    ...(detail !== undefined && kind !== 'noService' && { detail }),
    ...(signIn !== undefined && { signIn }),
    ...(retryAfterMs !== undefined && { retryAfterMs }),
    ...(request.submissionMs !== undefined && unclearStatuses.has(raw.status) && { maybeDone: true }),
  };
  return { kind: 'failed', reason, isProblem };
}

/** Returns what a status means. The public server answers 500 where it does not find what a request names. */
function refusalKind({ isUniversal, method }: HttpRequest, status: number, detail = ''): ReasonKind {
  if (status === 404 && isUniversal) return 'noService';
  if (status === 500 && method === 'DELETE' && /\bnot found\b/i.test(detail)) return 'notFound';
  return toKind(status, detail);
}

function headerOf(raw: RawAnswer, name: string): string {
  const value = raw.headers[name];
  return (Array.isArray(value) ? value[0] : value) ?? '';
}

/** Seconds or a date, as HTTP has it; anything else is no wish. */
function retryAfterOf(text: string, now: number): number | undefined {
  if (/^\d{1,9}$/.test(text.trim())) return Number(text) * 1000;
  const at = /[a-z]{3}/i.test(text) ? Date.parse(text) : Number.NaN;
  return Number.isNaN(at) ? undefined : Math.max(0, at - now);
}

function pauseBeforeRepeat(
  { limits }: Channel,
  request: HttpRequest,
  reason: Reason,
  tries: number,
): number | undefined {
  if (request.method !== 'GET' || tries >= limits.tries || !mayHelp(request, reason)) return undefined;
  const growing = limits.retryMs * 2 ** (tries - 1) * (0.75 + Math.random() / 2);
  const pauseMs = Math.max(growing, reason.retryAfterMs ?? 0);
  return pauseMs > limits.retryAfterMs ? undefined : pauseMs;
}

function mayHelp(request: HttpRequest, { kind, status, code }: Reason): boolean {
  if (kind === 'dropped') return request.isHalved !== true || status !== undefined;
  if (kind === 'unreachable') return true;
  // The limits for headers and body are long already; three times that is no help to anybody.
  if (kind === 'timeout') return code === 'UND_ERR_CONNECT_TIMEOUT';
  if (kind === 'proxy') return status === undefined || status >= 500;
  if (status === 408 || status === 429) return true;
  return kind === 'serverError' && status !== 501 && !(status === 500 && request.isHalved === true);
}
