/** An estimate of a transfer's remaining time or, if the transfer has stalled, the time since its last progress. */
export type Estimate =
  | {
      readonly kind: 'range';
      readonly lowMs: number;
      readonly highMs: number;
      /**
       * The data behind the estimate: the transfer's own progress in files or in bytes, or earlier transfers between the
       * same databases.
       */
      readonly basis: 'movement' | 'bytes' | 'earlier';
      /** The number of earlier transfers behind the estimate; present only for `earlier`. */
      readonly count?: number;
    }
  | { readonly kind: 'stalled'; readonly sinceMs: number };
