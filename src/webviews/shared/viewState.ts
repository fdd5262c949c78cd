import { array, isFiniteNumber, isString, object, optional, type Guarded } from '../messages/guards.ts';

const maxSavedPaths = 500;

/** A page's scroll position and expanded sections. Nothing is restored for a page with another subject. */
const isScrollPlace = object({ subject: isString, scrollY: isFiniteNumber, opened: array(isString) });

const hasPlace = object({ place: optional(isScrollPlace) });

/** Stores which sections, lists and long values on a page the user has expanded, independently of the host's data. */
export class ViewState {
  private readonly opened = new Set<string>();
  private readonly limits = new Map<string, number>();
  private readonly onChange: () => void;

  constructor(onChange: () => void) {
    this.onChange = onChange;
  }

  isOpen(path: string): boolean {
    return this.opened.has(path);
  }

  setOpen(path: string, open: boolean): void {
    if (this.isOpen(path) === open) return;
    if (open) this.opened.add(path);
    else this.opened.delete(path);
    this.onChange();
  }

  /** Returns the number of items of a long list, or characters of a long text, to show. */
  getLimit(path: string, initial: number): number {
    return this.limits.get(path) ?? initial;
  }

  raiseLimit(path: string, limit: number): void {
    this.limits.set(path, limit);
    this.onChange();
  }

  clear(): void {
    this.opened.clear();
    this.limits.clear();
  }

  /** Returns the part of a page's saved state that {@link restore} reads. */
  save(subject: string, scrollY: number): { readonly place: Guarded<typeof isScrollPlace> } {
    return { place: { subject, scrollY, opened: [...this.opened].slice(0, maxSavedPaths) } };
  }

  /**
   * Restores the expanded sections, but not the limits of long lists and texts. Returns the scroll position; undefined
   * if the state is invalid or belongs to other content.
   */
  restore(saved: unknown, subject: string): number | undefined {
    if (!hasPlace(saved) || saved.place?.subject !== subject) return undefined;
    for (const path of saved.place.opened) this.opened.add(path);
    return saved.place.scrollY;
  }
}
