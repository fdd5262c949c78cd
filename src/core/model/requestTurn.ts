import type { Reason } from './reason.ts';

/** The kinds of requests that are sent to a server one at a time, most urgent first (D34: serialized requests). */
export const requestKinds = ['cancel', 'submission', 'status'] as const;

/** The kind of a queued request (D34: serialized requests). */
export type RequestKind = (typeof requestKinds)[number];

/** Returns true if requests of kind `one` are sent before those of kind `other`. */
export function isMoreUrgent(one: RequestKind, other: RequestKind): boolean {
  return requestKinds.indexOf(one) < requestKinds.indexOf(other);
}

/** A queued request that has to wait for the one in progress. */
export interface RequestWait {
  /** The kind of the request in progress; undefined if unknown. */
  readonly behind: RequestKind | undefined;
  /** Sends the request immediately, in parallel with the one in progress. */
  sendNow(): void;
}

/** Observes a request in the queue. */
export interface TurnObserver {
  /** Called when the request has to wait, and again if the kind of the request in progress changes. */
  didWait?(wait: RequestWait): void;
  /** Called immediately before the request is sent, and again for each retry. */
  didStart?(): void;
}

/**
 * Called once, after the request's turn has come and immediately before it is sent. If it resolves to a reason, nothing
 * is sent, and the request fails for that reason. Must not reject.
 */
export type BeforeSending = () => Promise<Reason | undefined>;

/** Options for observing and canceling a queued request. */
export interface TurnOptions {
  readonly willSend?: BeforeSending | undefined;
  readonly observer?: TurnObserver | undefined;
  readonly signal?: AbortSignal | undefined;
}
