import type { Reason } from '../model/reason.ts';
import type { BeforeSending, RequestKind, TurnObserver } from '../model/requestTurn.ts';
import type { Clock } from '../util/clock.ts';
import type { Logger } from '../util/logger.ts';
import { redact } from '../util/redact.ts';
import type { KeyRemover } from './keyRemover.ts';
import type { Limits } from './limits.ts';
import { linkSignals } from './linkedSignal.ts';
import type { RequestQueue } from './requestQueue.ts';
import type { RequestFailure, Result } from './result.ts';
import type { Transport, WireResponse } from './transport.ts';

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
