/** How long a transfer will still take, and what that is drawn from; or that it does not move. */
export type Estimate =
  | {
      readonly kind: 'range';
      readonly lowMs: number;
      readonly highMs: number;
      /** The files that it moved so far, or the person's earlier transfers between the same databases. */
      readonly basis: 'movement' | 'earlier';
      /** How many earlier ones. */
      readonly count?: number;
    }
  | { readonly kind: 'stalled'; readonly sinceMs: number };
