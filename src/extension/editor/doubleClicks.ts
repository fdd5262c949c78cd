import { isRecent, type Clock } from '../../core/util/clock.ts';

/**
 * Maximum time in milliseconds between the two calls caused by a double-click, which the editor reports as two single
 * clicks. The time until a new page has loaded doesn't count, because the editor reports the second click late while it
 * is busy with the page.
 */
const doubleClickMs = 1_000;

/** Recognizes double-clicks on the rows that open pages. */
export class DoubleClicks {
  private readonly clock: Clock;
  private last: { readonly id: string; readonly at: number } | undefined;

  constructor(clock: Clock) {
    this.clock = clock;
  }

  /**
   * Records a click on the row of `id`. Returns true if it is the second one of a double-click. `page` already shows
   * `id`; its `loadedAt`, in milliseconds since 1970, is undefined while it is loading.
   */
  noteClick(id: string, page: { readonly loadedAt: number | undefined } | undefined): boolean {
    const { clock, last } = this;
    this.last = { id, at: clock.now() };
    if (last?.id !== id || page === undefined) return false;
    const { loadedAt } = page;
    return loadedAt === undefined || [last.at, loadedAt].some((at) => isRecent(clock, at, doubleClickMs));
  }
}
