import type { FoundFile } from '../model/fileEntry.ts';
import type { Reason } from '../model/reason.ts';

/**
 * The result of an operation: the value and, if the operation failed, the reason (D2: replies instead of exceptions).
 */
export interface Reply<T> {
  readonly value: T;
  readonly reason?: Reason;
}

/** A page of search results. */
export interface SearchReply extends Reply<readonly FoundFile[]> {
  /** The position after the last file, if the service can continue from it (D9: paging). */
  readonly cursor?: string;
}

/** Describes an ID whose metadata the server refused to return, with the reason (D8: metadata by ids). */
export interface RefusedId {
  readonly id: string;
  readonly reason: Reason;
}

/** The result of a metadata request. Has no `reason` if only some IDs were refused (D8: metadata by ids). */
export interface MetadataReply extends Reply<readonly FoundFile[]> {
  readonly refusedIds?: readonly RefusedId[];
}
