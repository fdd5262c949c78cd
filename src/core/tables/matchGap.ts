import type { Reason } from '../model/reason.ts';

/** The reason why the comparison of one value is incomplete. */
export type MatchGap =
  | { readonly kind: 'failed'; readonly reason: Reason } // the value was not looked up
  | { readonly kind: 'tooLong' } // the value was not looked up, because it is too long for an ID, a name or a path
  | { readonly kind: 'truncated'; readonly comparedCount: number }; // only the first results of its search were compared

/** Files of a database that weren't compared with any value. */
export interface SkippedFiles {
  /** 0-based position of the first of these files in the list of all files. */
  readonly start: number;
  /** The number of files; absent if all files from `start` on were skipped, in which case it is unknown. */
  readonly count?: number;
  readonly reason: Reason;
}
