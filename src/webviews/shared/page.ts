import { element, type Child } from './dom.ts';
import { patch } from './patch.ts';

function partOf(id: string): HTMLElement {
  const found = document.getElementById(id);
  if (!found) throw new Error(`The page has no part "${id}".`);
  return found;
}

/** What stands in the page, and the one place from which it speaks. */
export class Page {
  readonly root = partOf('page');
  private readonly announcements = partOf('announcements');

  /** Brings the page to what is wanted now; what stays keeps its focus, and what loses it gives it to the heading. */
  draw(children: readonly Child[], isBusy = false): void {
    const focused = document.activeElement;
    patch(this.root, element('main', { id: 'page', 'aria-busy': String(isBusy) }, ...children));
    const isLost = focused !== null && focused !== document.body && !focused.isConnected;
    if (isLost) this.root.querySelector('h1')?.focus({ preventScroll: true });
  }

  /** Has a screen reader say a sentence, without moving the focus. */
  announce(sentence: string): void {
    this.announcements.textContent = sentence;
  }
}
