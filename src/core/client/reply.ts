import type { FoundFile } from '../model/fileEntry.ts';
import type { Reason } from '../model/reason.ts';

/** Every operation's outcome: the value that the specification promises, and the reason where something went wrong (D2). */
export interface Reply<T> {
  readonly value: T;
  readonly reason?: Reason;
}

/** An id that the server refuses to tell about, and why (D8). */
export interface RefusedId {
  readonly id: string;
  readonly reason: Reason;
}

/**
 * The outcome of a metadata request: the files that came, and the ids that were refused (D8). With no file at all there
 * is a reason too.
 */
export interface MetadataReply extends Reply<readonly FoundFile[]> {
  readonly refusedIds?: readonly RefusedId[];
}
