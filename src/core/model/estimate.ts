/** An estimate of a transfer's remaining time with its basis, or the time since the transfer stalled. */
export type Estimate =
  | {
      readonly kind: 'range';
      readonly lowMs: number;
      readonly highMs: number;
      /** The transfer's own progress, or the user's earlier transfers between the same databases. */
      readonly basis: 'movement' | 'earlier';
      readonly count?: number;
    }
  | { readonly kind: 'stalled'; readonly sinceMs: number };
