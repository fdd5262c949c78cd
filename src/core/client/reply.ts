import type { Reason } from '../model/reason.ts';

/** Every operation's outcome: the value that the specification promises, and the reason where something went wrong (D2). */
export interface Reply<T> {
  readonly value: T;
  readonly reason?: Reason;
}
