import type { RequestKind, TurnObserver } from '../model/requestTurn.ts';
import type { Clock } from '../util/clock.ts';
import type { Disposable } from '../util/lifetime.ts';
import type { Logger } from '../util/logger.ts';
import { readText } from './bodyText.ts';
import type { Failure } from './failure.ts';
import type { Limits } from './limits.ts';
import type { RequestLine } from './requestLine.ts';
import { linkSignals } from './linkedSignal.ts';
import type { Transport, WireAnswer } from './transport.ts';

/** A connected service, as far as sending needs it. */
export interface Channel {
  readonly transport: Transport;
  /** Scheme, host and port; the only place the key ever goes to (D18). */
  readonly origin: string;
  /** Value of the `Authorization` header. */
  readonly authorization: string;
  /** What must not be read in any log or reason. */
  readonly secrets: readonly string[];
  readonly limits: Limits;
  readonly clock: Clock;
  readonly log: Logger;
  /** Aborted when the connection is given up, which closes the transport. */
  readonly ended: AbortSignal;
  /** The line of requests that name a turn; absent for a server that needs none (D34). */
  readonly line?: RequestLine;
}

/** One request of the contract. */
export interface HttpRequest {
  readonly method: 'GET' | 'POST' | 'DELETE';
  /** Path with query, from the origin on. */
  readonly path: string;
  /** JSON text. */
  readonly body?: string;
  /** Marks a submission: the longest wait for its whole answer (§4.5, D16); it may count although no answer came (D12). */
  readonly submissionMs?: number;
  /** A request that every service answers: after a 404 no service of this kind is there. */
  readonly isUniversal?: boolean;
  /** Marks a request that waits for its turn (D34). */
  readonly turn?: { readonly kind: RequestKind; readonly observer?: TurnObserver | undefined };
  /** A GET that isn't repeated after a plain 500 or a dropped connection: its ids may be the cause, and are halved (D8). */
  readonly isHalved?: boolean;
}

/** What came back over the wire, whatever its status. */
export interface RawAnswer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  readonly text: string;
}

/** An exchange without an answer. */
export interface NoAnswer {
  readonly failure: Failure;
  /** The answer's status, where it broke off after that. */
  readonly status?: number;
  /** Whether any of the request may have reached the server. */
  readonly wasSent: boolean;
}

/** Sends one request once, without following or repeating anything. Never rejects. */
export async function exchange(
  channel: Channel,
  request: HttpRequest,
  path: string,
  signal: AbortSignal,
): Promise<RawAnswer | NoAnswer> {
  const progress: Progress = { wasSent: false };
  const deadline = startDeadline(channel.clock, request.submissionMs);
  const linked = linkSignals(signal, deadline?.signal);
  try {
    const response = await channel.transport.send({
      origin: channel.origin,
      path,
      method: request.method,
      headers: headersOf(channel, request),
      ...(request.body !== undefined && { body: request.body }),
      headersMs: request.submissionMs === undefined ? channel.limits.headersMs : 0,
      bodyMs: channel.limits.bodyMs,
      // The end of the connection closes the transport, so not every request needs to listen for it.
      ...(linked.signal !== channel.ended && { signal: linked.signal }),
      sent: () => {
        progress.wasSent = true;
      },
    });
    progress.status = response.status;
    return await readAnswer(response, channel.limits);
  } catch (error) {
    return { ...progress, failure: meaningOf(channel, error, signal, deadline?.signal) };
  } finally {
    deadline?.timer.dispose();
    linked.release();
  }
}

interface Deadline {
  readonly signal: AbortSignal;
  readonly timer: Disposable;
}

function startDeadline(clock: Clock, delayMs: number | undefined): Deadline | undefined {
  if (delayMs === undefined) return undefined;
  const controller = new AbortController();
  const timer = clock.after(delayMs, () => {
    controller.abort();
  });
  return { signal: controller.signal, timer };
}

interface Progress {
  wasSent: boolean;
  status?: number;
}

function headersOf(channel: Channel, request: HttpRequest): Record<string, string> {
  const headers = { authorization: channel.authorization, accept: 'application/json' };
  if (request.body === undefined) return headers;
  return { ...headers, 'content-type': 'application/json' };
}

async function readAnswer(response: WireAnswer, limits: Limits): Promise<RawAnswer | NoAnswer> {
  const { status, headers, body } = response;
  const isError = status >= 300;
  const text = await readText(body, isError ? limits.errorBytes : limits.bodyBytes).catch((error: unknown) => {
    if (isError) return '';
    throw error;
  });
  if (text !== undefined) return { status, headers, text };
  if (isError) return { status, headers, text: '' };
  const detail = `the answer is larger than ${String(limits.bodyBytes)} bytes`;
  return { status, wasSent: true, failure: { kind: 'tooLarge', detail } };
}

function meaningOf(channel: Channel, error: unknown, signal: AbortSignal, deadline: AbortSignal | undefined): Failure {
  if (signal.aborted) return { kind: 'cancelled' };
  if (deadline?.aborted) return { kind: 'timeout' };
  return channel.transport.meaningOf(error);
}
