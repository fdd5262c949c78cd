import type { Reason } from '../model/reason.ts';

/** The reason why the comparison of one value is incomplete. */
export type MatchGap =
  | { readonly kind: 'failed'; readonly reason: Reason } // the value was not looked up
  | { readonly kind: 'tooLong' } // the value was not looked up, because it is too long for an ID, a name or a path
  | { readonly kind: 'truncated'; readonly comparedCount: number }; // only the first results of its search were compared

/** Files of a database that weren't compared with any value. */
export interface SkippedFiles {
  /** Position of the first one in the list of all files, counted from 0. */
  readonly start: number;
  /** Absent for all files from `start`, whose number is unknown. */
  readonly count?: number;
  readonly reason: Reason;
}
