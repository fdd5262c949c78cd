import type { Page } from 'playwright-core';

/** Counts the actions of a user in a window and its pages (webviews). */
export interface ActionCounter {
  /** Number of actions since the start or the last {@link restart}. */
  readonly count: number;
  /** Resets the count to 0. */
  restart(): void;
}

const counters = new WeakMap<Page, { count: number }>();

/**
 * Script that counts actions in each frame. A mouse click, a key press, and entering text into a field each count as
 * one action. Keys that move between rows, fields and buttons aren't counted, with or without Shift.
 *
 * The editor fills a page with `document.open`, which removes all listeners of its window, so the script adds them
 * again.
 */
const script = `{
  let field;
  const moves = ['Tab', 'ArrowUp', 'ArrowDown', 'ArrowLeft', 'ArrowRight', 'Home', 'End', 'PageUp', 'PageDown'];
  const modifiers = ['Control', 'Shift', 'Alt', 'Meta'];
  const act = () => { field = undefined; window.actionHappened(); };
  const isText = (target) => target instanceof HTMLTextAreaElement || target?.isContentEditable ||
    (target instanceof HTMLInputElement && !['checkbox', 'radio', 'button'].includes(target.type));
  const capture = { capture: true };
  const onPointer = (event) => { if (event.isTrusted) act(); };
  const onKey = (event) => {
    const { key, target } = event;
    if (!event.isTrusted || event.repeat || modifiers.includes(key)) return;
    const isShortcut = event.ctrlKey || event.altKey || event.metaKey || /^F\\d/.test(key);
    const isCommand = isText(target) ? ['Enter', 'Escape'].includes(key) : !moves.includes(key);
    if (isShortcut || isCommand) act();
  };
  const onInput = ({ target }) => {
    if (!isText(target) || target === field) return;
    act();
    field = target;
  };
  const listen = () => {
    addEventListener('pointerdown', onPointer, capture);
    addEventListener('keydown', onKey, capture);
    addEventListener('input', onInput, capture);
  };
  const { open } = Document.prototype;
  Document.prototype.open = function (...options) {
    const opened = open.apply(this, options);
    listen();
    return opened;
  };
  listen();
}`;

/**
 * Starts counting actions in a window that hasn't loaded yet. Adds the script only once, even to a page that is reused.
 */
export async function countActions(page: Page): Promise<ActionCounter> {
  const total = counters.get(page) ?? { count: 0 };
  if (!counters.has(page)) {
    counters.set(page, total);
    await page.exposeFunction('actionHappened', () => (total.count += 1));
    await page.addInitScript(script);
  }
  let start = total.count;
  return {
    get count() {
      return total.count - start;
    },
    restart() {
      start = total.count;
    },
  };
}
