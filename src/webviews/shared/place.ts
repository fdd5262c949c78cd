import { amount, list, optional, shape, text } from '../../messages/guards.ts';
import type { ViewState } from './viewState.ts';

/** Where the person was in a page: the editor throws hidden pages away and loads them anew when they are seen again. */
interface Place {
  /** What the page showed; a place in something else is of no use. */
  readonly subject: string;
  readonly scrollY: number;
  readonly opened: readonly string[];
}

const isKept = shape<{ readonly place?: Place | undefined }>({
  place: optional(shape<Place>({ subject: text, scrollY: amount, opened: list(text) })),
});

/** The place as a part of what the page keeps. */
export function placeNow(subject: string, view: ViewState): { readonly place: Place } {
  return { place: { subject, scrollY: window.scrollY, opened: view.openedPaths() } };
}

/** Opens again what was open in the same subject, and returns how far down the page was, or undefined. */
export function reopen(kept: unknown, subject: string, view: ViewState): number | undefined {
  if (!isKept(kept) || kept.place?.subject !== subject) return undefined;
  for (const path of kept.place.opened) view.setOpen(path, true);
  return kept.place.scrollY;
}
