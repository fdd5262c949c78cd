/** A sentence that stands out above what the page shows, with a button where there is something to do. */
export interface Note {
  readonly key: string;
  readonly kind: 'info' | 'warning' | 'error';
  readonly text: string;
  readonly action?: { readonly name: string; readonly label: string };
}
