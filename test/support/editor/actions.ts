import type { Page } from 'playwright-core';

/** Counts the actions of a person in a window and its pages. */
export interface ActionCounter {
  /** The actions since the last {@link restart}. */
  readonly count: number;
  restart(): void;
}

const counters = new WeakMap<Page, { count: number }>();

/**
 * Counts in each frame: a press of the mouse, Enter, Space outside of text, and a keyboard shortcut are one action
 * each; text that is entered into one field is one. Keys that move between rows count nothing.
 */
const script = `{
  let field;
  const act = () => { field = undefined; window.actionHappened(); };
  const isText = (target) => target instanceof HTMLTextAreaElement || target?.isContentEditable ||
    (target instanceof HTMLInputElement && !['checkbox', 'radio', 'button'].includes(target.type));
  const capture = { capture: true };
  addEventListener('pointerdown', (event) => { if (event.isTrusted) act(); }, capture);
  addEventListener('keydown', (event) => {
    if (!event.isTrusted || event.repeat || ['Control', 'Shift', 'Alt', 'Meta'].includes(event.key)) return;
    const isSpace = event.key === ' ' && !isText(event.target);
    const isShortcut = event.ctrlKey || event.altKey || event.metaKey || /^F\\d/.test(event.key);
    if (event.key === 'Enter' || event.key === 'Escape' || isSpace || isShortcut) act();
  }, capture);
  addEventListener('input', ({ target }) => {
    if (!isText(target) || target === field) return;
    act();
    field = target;
  }, capture);
}`;

/** Starts counting in a window before it is loaded. A reused page keeps its script. */
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
