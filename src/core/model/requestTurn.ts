/** Requests of which a server handles one at a time (D34), the most urgent first. */
export const requestKinds = ['cancel', 'submission', 'status'] as const;

/** A kind of request that waits for its turn (D34). */
export type RequestKind = (typeof requestKinds)[number];

/** Returns true if a request of kind `one` goes before a request of kind `other`. */
export function isMoreUrgent(one: RequestKind, other: RequestKind): boolean {
  return requestKinds.indexOf(one) < requestKinds.indexOf(other);
}

/** Describes why a request has not been sent yet. */
export interface RequestWait {
  /** The kind of the request that is under way; undefined if that is not known. */
  readonly behind: RequestKind | undefined;
  /** Sends the request at once, beside the one that is under way. */
  sendNow(): void;
}

/** Follows one request from the queue to the wire. */
export interface TurnObserver {
  /** Called if the request has to wait, and again if it waits for a request of another kind. */
  didWait?(wait: RequestWait): void;
  /** Called right before the request is sent, and again for each repetition. */
  didStart?(): void;
}

/** Lets a caller follow a request that waits for its turn, and withdraw it. */
export interface TurnOptions {
  readonly observer?: TurnObserver | undefined;
  readonly signal?: AbortSignal | undefined;
}
