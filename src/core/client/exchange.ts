import type { Reason } from '../model/reason.ts';
import type { BeforeSending, RequestKind, TurnObserver } from '../model/requestTurn.ts';
import type { Clock } from '../util/clock.ts';
import type { JsonObject } from '../util/json.ts';
import type { Logger } from '../util/logger.ts';
import { redact, SecretRedactor } from '../util/redact.ts';
import type { RequestFailure, Result } from './reply.ts';
import type { RequestQueue } from './requestQueue.ts';
import { linkSignals, type Transport, type WireResponse } from './transport.ts';

/** Contains everything that is needed to send requests to a connected service. */
export interface Channel {
  readonly transport: Transport;
  /** Scheme, host and port. The key is never sent to any other origin (D18: same-origin redirects). */
  readonly origin: string;
  readonly authorization: string;
  /** Strings that must not appear in logs or reasons. */
  readonly secrets: readonly string[];
  /** Removes the key from the JSON of successful responses. */
  readonly keyRemover: KeyRemover;
  readonly limits: Limits;
  readonly clock: Clock;
  readonly log: Logger;
  /** Aborted when the connection is closed, which also closes the transport. */
  readonly ended: AbortSignal;
  /** The queue for requests with a `turn`. Absent if the server does not require one (D34: serialized requests). */
  readonly queue?: RequestQueue;
}

/** Records the progress of a request. */
export interface ExchangeTrail {
  wasSent?: boolean;
  response?: HttpResponse;
}

/** An HTTP request to a service, with options for how to send it. */
export interface HttpRequest {
  readonly method: 'GET' | 'POST' | 'DELETE';
  readonly path: string;
  readonly body?: string;
  /**
   * Time limit for the entire response to a submission, in milliseconds; absent for other requests (§4.5, D16: timeouts
   * and retries). Also marks the request as a submission, which may have taken effect even if no response was received
   * (D12: never resubmit).
   */
  readonly submissionMs?: number;
  /**
   * True for a request that every service supports. A 404 then means that the server is not a data transfer service.
   */
  readonly isUniversal?: boolean;
  /** Set for a request that must wait for its turn (D34: serialized requests). */
  readonly turn?: {
    readonly kind: RequestKind;
    readonly observer?: TurnObserver | undefined;
    readonly willSend?: BeforeSending | undefined;
  };
  /** Filled in while the request is sent, for a caller that has to know its progress after an unexpected error. */
  readonly trail?: ExchangeTrail;
  /**
   * True to prevent retries of a GET after failures that the caller handles by splitting the batch (D8: metadata by
   * ids).
   */
  readonly isHalved?: boolean;
}

/**
 * A response with any status. `text` is the entire body, or empty if the body of an error response is too large or
 * could not be read.
 */
export interface HttpResponse {
  readonly status: number;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  readonly text: string;
}

/** Sends a request once. Does not follow redirects or retry. Never rejects. */
export async function exchange(
  channel: Channel,
  request: HttpRequest,
  path: string,
  signal: AbortSignal,
): Promise<Result<HttpResponse>> {
  let wasSent = false;
  let status: number | undefined;
  const deadline = startDeadline(channel.clock, request.submissionMs);
  const linked = linkSignals(signal, deadline?.signal);
  try {
    const response = await channel.transport.send({
      origin: channel.origin,
      path,
      method: request.method,
      headers: buildHeaders(channel, request),
      ...(request.body !== undefined && { body: request.body }),
      headersMs: request.submissionMs === undefined ? channel.limits.headersMs : 0,
      bodyMs: channel.limits.bodyMs,
      // Closing the connection closes the transport, so most requests don't need their own signal.
      ...(linked.signal !== channel.ended && { signal: linked.signal }),
      onSent: () => {
        wasSent = true;
        if (request.trail) request.trail.wasSent = true;
      },
    });
    status = response.status;
    const result = await readResponse(channel, request, response);
    if (request.trail && result.value) request.trail.response = result.value;
    return result;
  } catch (error) {
    const cause = toExchangeReason(channel, error, signal, deadline?.signal);
    return toRequestFailure(channel, request, cause, { wasSent, status });
  } finally {
    deadline?.timer.dispose();
    linked.release();
  }
}

/**
 * Returns the result of a request that failed with the given cause. Sets `maybeDone` for a submission that may have
 * taken effect (D12: never resubmit).
 */
export function toRequestFailure(
  channel: Channel,
  request: HttpRequest,
  cause: Reason,
  { wasSent, status = cause.status }: { readonly wasSent: boolean; readonly status?: number | undefined },
): RequestFailure {
  // A redirect is a complete response, so the submission was not accepted.
  const maybeDone = request.submissionMs !== undefined && wasSent && cause.kind !== 'redirect';
  const reason: Reason = {
    kind: cause.kind,
    request: getRequestName(request),
    ...(status !== undefined && { status }),
    ...(cause.code !== undefined && { code: cause.code }),
    ...(cause.detail !== undefined && { detail: redact(cause.detail, channel.secrets) }),
    ...(maybeDone && { maybeDone }),
  };
  return { reason, isProblem: false };
}

/** Returns the method and path of a request, without the query string. */
export function getRequestName({ method, path }: HttpRequest): string {
  const queryStart = path.indexOf('?');
  return `${method} ${queryStart < 0 ? path : path.slice(0, queryStart)}`;
}

function startDeadline(clock: Clock, delayMs: number | undefined) {
  if (delayMs === undefined) return undefined;
  const controller = new AbortController();
  return { signal: controller.signal, timer: clock.after(delayMs, () => controller.abort()) };
}

function buildHeaders({ authorization }: Channel, { body }: HttpRequest): Record<string, string> {
  const contentType = body === undefined ? {} : { 'content-type': 'application/json' };
  return { authorization, accept: 'application/json', ...contentType };
}

async function readResponse(
  channel: Channel,
  request: HttpRequest,
  { status, headers, readText }: WireResponse,
): Promise<Result<HttpResponse>> {
  const { limits } = channel;
  const isError = status >= 300;
  const text = await readText(isError ? limits.errorBytes : limits.bodyBytes).catch((error: unknown) => {
    if (isError) return '';
    throw error;
  });
  if (text !== undefined || isError) return { value: { status, headers, text: text ?? '' } };
  const detail = `the response is larger than ${String(limits.bodyBytes)} bytes`;
  return toRequestFailure(channel, request, { kind: 'tooLarge', detail }, { wasSent: true, status });
}

function toExchangeReason(
  channel: Channel,
  error: unknown,
  signal: AbortSignal,
  deadline: AbortSignal | undefined,
): Reason {
  if (signal.aborted) return { kind: 'cancelled' };
  if (deadline?.aborted) return { kind: 'timeout' };
  return channel.transport.toReason(error);
}

/**
 * The minimum length of a key to remove, in characters. Shorter keys, such as `test`, occur by chance in a service's
 * names and IDs, which must stay unchanged to be usable.
 */
const minKeyLength = 8;

/**
 * Matches JSON escapes of ASCII characters, format characters and a few others. Such escapes can hide the key, in any
 * of its forms, from a search of the unparsed text.
 */
const hidingEscape =
  /\\u(?:00(?:[0-7]|AD)|060[0-5]|061C|06DD|070F|089[01]|08E2|180E|20(?:0[B-F]|2[A-E]|6)|FEFF|FFF[9-B]|D8(?:04|0D|2F|34)|DB40)/i;

/**
 * Removes the API key from successful responses, in case a server echoes it. Text from responses is shown, recorded,
 * exported and given to agents.
 */
export class KeyRemover {
  private readonly redactor: SecretRedactor | undefined;

  constructor(key: string) {
    if (key.length >= minKeyLength) this.redactor = new SecretRedactor(key);
  }

  /**
   * Removes the key from all strings and property names in a parsed response, at any depth, and returns the response.
   * First searches `text`, the unparsed response, because one search is much faster than inspecting each value. Changes
   * only parsed strings, because a replacement in JSON could break an escape sequence.
   */
  removeFrom(json: unknown, text: string): unknown {
    if (!this.redactor) return json;
    return hidingEscape.test(text) || this.redactor.isIn(text) ? redactTexts(json, this.redactor) : json;
  }
}

/**
 * Redacts the strings in a parsed response in place. Not recursive, because a server can nest values more deeply than
 * the stack allows.
 */
function redactTexts(json: unknown, redactor: SecretRedactor): unknown {
  const root = [json];
  const pending: (unknown[] | JsonObject)[] = [root];
  const clean = (value: unknown): unknown => {
    if (typeof value === 'string') return redactor.redact(value);
    if (typeof value === 'object' && value !== null) pending.push(value as JsonObject);
    return value;
  };
  for (let next = pending.pop(); next; next = pending.pop()) {
    if (Array.isArray(next)) cleanElements(next, clean);
    else cleanMembers(next, redactor, clean);
  }
  return root[0];
}

function cleanElements(list: unknown[], clean: (value: unknown) => unknown): void {
  for (const [index, value] of list.entries()) list[index] = clean(value);
}

function cleanMembers(object: JsonObject, redactor: SecretRedactor, clean: (value: unknown) => unknown): void {
  for (const [name, value] of Object.entries(object)) {
    const cleanName = redactor.redact(name);
    if (cleanName !== name) Reflect.deleteProperty(object, name);
    object[cleanName] = clean(value);
  }
}

/** The client's limits. Times are in milliseconds, sizes in bytes. */
export interface Limits {
  /** Maximum time to open a connection (D16: timeouts and retries). */
  readonly connectMs: number;
  /** Maximum wait for response headers, except those of a submission (D16: timeouts and retries). */
  readonly headersMs: number;
  /** Maximum pause while a response body is received (D16: timeouts and retries). */
  readonly bodyMs: number;
  /** Default time limit for the entire response to a submission (D16: timeouts and retries). */
  readonly submissionMs: number;
  /** Time for which an abandoned submission continues to block its server's queue (D34: serialized requests). */
  readonly lateMs: number;
  /** Maximum size of a response body (D15: tolerant reading). */
  readonly bodyBytes: number;
  /** Maximum size of an error response's body. A larger body is ignored. */
  readonly errorBytes: number;
  /** Maximum number of attempts for a GET request, including the first (D16: timeouts and retries). */
  readonly tries: number;
  /** Delay before the second attempt. Doubles for each further attempt, with jitter (D16: timeouts and retries). */
  readonly retryMs: number;
  /**
   * Maximum `Retry-After` delay before a retry; if the server requests a longer delay, the request fails (D16: timeouts
   * and retries).
   */
  readonly retryAfterMs: number;
  /** Time after which an idle connection is closed (D17: close idle connections). */
  readonly idleMs: number;
  /** Maximum number of redirects per request (D18: same-origin redirects). */
  readonly redirects: number;
  /** Maximum length of the address of a `GET files/by-id` request with more than one ID (D8: metadata by ids). */
  readonly urlBytes: number;
  /** Maximum number of IDs in a `POST files/by-id` request (D8: metadata by ids). */
  readonly batchIds: number;
  /** Delay before a status is requested again after a response about another transfer (D11: check status identity). */
  readonly statusRetryMs: number;
}

/** The default limits. */
export const defaultLimits: Limits = {
  connectMs: 15_000,
  headersMs: 120_000,
  bodyMs: 120_000,
  submissionMs: 600_000,
  lateMs: 60_000,
  bodyBytes: 32 * 1024 * 1024,
  errorBytes: 1024 * 1024,
  tries: 3,
  retryMs: 500,
  retryAfterMs: 30_000,
  idleMs: 4_000,
  redirects: 5,
  urlBytes: 4_000,
  batchIds: 500,
  statusRetryMs: 200,
};
