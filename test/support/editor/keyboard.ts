import type { Page } from 'playwright-core';
import { isLabel, type QuickInput, type StepMatch } from './quickInput.ts';
import { until } from './until.ts';

/**
 * The focused element as a screen reader would announce it: its role and name, or those of the active row in a list.
 */
export interface FocusState {
  readonly role: string;
  readonly name: string;
  /** True if the element is in a page (webview) rather than in the editor's own frame. */
  readonly isInPage: boolean;
}

/** The number of mouse events in each page. If a page is reused for another window, its count continues. */
const mouseCounts = new WeakMap<Page, { count: number }>();
const maxPresses = 60;
/**
 * Milliseconds after which the palette is reopened, because it does not list commands that are registered while it is
 * open. Each attempt waits this much longer than the one before, so that a slow palette has time to respond.
 */
const attemptMs = 2_000;
/** Milliseconds after which the palette is reopened, because an element that received the focus late may close it. */
const paletteMs = 5_000;

/** Operates the editor with the keyboard only and checks the focused element at each step. */
export class Keyboard {
  readonly #page: Page;
  readonly #quickInput: QuickInput;

  constructor(page: Page, quickInput: QuickInput) {
    this.#page = page;
    this.#quickInput = quickInput;
  }

  /**
   * Starts counting mouse events in a window and its pages. Returns a function that returns the count. Must be called
   * before the window loads.
   */
  static async countMouse(page: Page): Promise<() => number> {
    const counted = mouseCounts.get(page);
    if (counted) {
      const before = counted.count;
      return () => counted.count - before;
    }
    const counter = { count: 0 };
    mouseCounts.set(page, counter);
    await page.exposeFunction('mouseWasUsed', () => (counter.count += 1));
    await page.addInitScript(`for (const name of ['pointerdown', 'mousedown', 'wheel'])
      window.addEventListener(name, (event) => event.isTrusted && window.mouseWasUsed(), { capture: true });`);
    return () => counter.count;
  }

  /** Presses keys one after another. */
  async press(...keys: readonly string[]): Promise<void> {
    for (const key of keys) await this.#page.keyboard.press(key);
  }

  /**
   * Runs a command from the palette. Inserts the whole title at once, because the palette searches after each
   * character.
   */
  async command(title: string): Promise<void> {
    let waitMs = 0;
    await until(`the command "${title}" in the palette`, async () => {
      await this.press('F1');
      if (!(await this.#hasPalette())) return undefined;
      await this.#page.keyboard.insertText(title);
      const isThere = await this.#toRow(title, (waitMs += attemptMs)).catch(() => false);
      await this.press(isThere ? 'Enter' : 'Escape');
      return isThere || undefined;
    });
  }

  async #hasPalette(): Promise<boolean> {
    return await this.#quickInput.wait('Type the name of a command', paletteMs).then(
      () => true,
      () => false,
    );
  }

  /**
   * Moves the focus into a view and waits until the focus has arrived, because keys go to the previous element until
   * then. A window that has just loaded may move the focus elsewhere once it has restored its editors.
   */
  async focusView(title: string): Promise<void> {
    const view = this.#page.locator(`.pane:has(> .pane-header h3.title:text-is("${title}"))`);
    const focused = view.locator(':focus').first();
    await until(`the focus in the view ${title}`, async () => {
      await this.command(`Data Transfer: Focus on ${title} View`);
      return await focused.waitFor({ timeout: attemptMs }).then(
        () => true,
        () => undefined,
      );
    });
  }

  /** Chooses an entry from the context menu of the focused element. */
  async menu(entry: string): Promise<void> {
    await this.press('Shift+F10');
    await this.#page.locator('.monaco-menu').first().waitFor();
    await this.#chooseEntry(entry);
  }

  /** Chooses an entry from a submenu of the focused element's context menu. */
  async submenu(title: string, entry: string): Promise<void> {
    await this.press('Shift+F10');
    await this.#page.locator('.monaco-menu').first().waitFor();
    await this.until('ArrowDown', ({ role, name }) => role.startsWith('menuitem') && name === title);
    await this.press('ArrowRight');
    await this.#page.locator('.monaco-submenu').waitFor();
    await this.#chooseEntry(entry);
  }

  async #chooseEntry(entry: string): Promise<void> {
    await this.until('ArrowDown', ({ role, name }) => role.startsWith('menuitem') && name === entry);
    await this.press('Enter');
    await this.#page.locator('.monaco-menu').first().waitFor({ state: 'hidden' });
  }

  /** Moves down to a row of the quick pick and accepts it. */
  async pick(label: string | RegExp, step?: StepMatch): Promise<void> {
    await this.#quickInput.wait(step);
    await this.#toRow(label);
    await this.#quickInput.accept();
  }

  /** Types text into the quick input and accepts it. */
  async input(text: string, step?: StepMatch): Promise<void> {
    await this.#quickInput.wait(step);
    await this.#page.keyboard.type(text);
    await this.#quickInput.accept();
  }

  /**
   * Presses a key until the focused element meets a condition, and returns that element. After 60 presses, throws an
   * error that lists all elements that had the focus.
   */
  async until(key: string, isThere: (focus: FocusState) => boolean): Promise<FocusState> {
    const visited: string[] = [];
    for (let step = 0; step < maxPresses; step += 1) {
      const focus = await this.focus();
      if (isThere(focus)) return focus;
      visited.push(`${focus.role} “${focus.name}”`);
      await this.press(key);
    }
    throw new Error(`${key} did not lead there; it led over ${visited.join(', ')}.`);
  }

  /** Returns the currently focused element. While there is none, brings the window to the front and waits. */
  async focus(): Promise<FocusState> {
    return await until('an element to have the focus', async () => {
      const focus = await this.#readFocus();
      if (!focus) await this.#page.bringToFront();
      return focus;
    });
  }

  async #readFocus(): Promise<FocusState | undefined> {
    for (const frame of this.#page.frames().toReversed()) {
      const found = await frame.evaluate<FocusState | null>(readFocus).catch(() => null);
      if (found) return { ...found, isInPage: frame !== this.#page.mainFrame() };
    }
    return undefined;
  }

  async #toRow(label: string | RegExp, waitMs?: number): Promise<true> {
    const list = this.#page.locator('.quick-input-widget:visible .monaco-list-row.focused .label-name').first();
    return await until(
      `a row ${label} to have the focus`,
      async () => {
        const text = await list.innerText({ timeout: 500 }).catch(() => '');
        if (isLabel(text.split('\n')[0] ?? '', label)) return true;
        await this.press('ArrowDown');
        return undefined;
      },
      waitMs,
    );
  }
}

/**
 * Script that returns the focused element of a frame, or null if the document doesn't have the focus or the element is
 * itself a frame.
 */
const readFocus = `(() => {
  let element = document.hasFocus() ? document.activeElement : null;
  if (!element || element.tagName === 'IFRAME') return null;
  const row = element.getAttribute('aria-activedescendant');
  const at = (row && document.getElementById(row)) || element;
  const name = at.getAttribute('aria-label') ?? at.innerText ?? '';
  return { role: at.getAttribute('role') ?? at.tagName.toLowerCase(), name: name.replaceAll('\\u00a0', ' ').trim() };
})()`;
