import type { Page } from 'playwright-core';
import { isLabel, type QuickInput, type StepMatch } from './quickInput.ts';
import { until } from './until.ts';

/** What has the focus, as a screen reader would name it: its role and its name, and the row where it is a list. */
export interface FocusState {
  readonly role: string;
  readonly name: string;
  /** Whether it is in a page (webview) and not in the editor's own frame. */
  readonly isInPage: boolean;
}

const longestWay = 60;
/** The palette does not show a command that came after it was opened: then it is opened again. */
const attemptMs = 2_000;

/** A person who has no mouse: everything goes by keys, and what has the focus is known at each step. */
export class Keyboard {
  readonly #page: Page;
  readonly #quickInput: QuickInput;

  constructor(page: Page, quickInput: QuickInput) {
    this.#page = page;
    this.#quickInput = quickInput;
  }

  /** Counts from now on what a mouse does in a window, and in its pages too; to be called before it is loaded. */
  static async countMouse(page: Page): Promise<() => number> {
    let count = 0;
    await page.exposeFunction('mouseWasUsed', () => (count += 1));
    await page.addInitScript(`for (const name of ['pointerdown', 'mousedown', 'wheel'])
      window.addEventListener(name, (event) => event.isTrusted && window.mouseWasUsed(), { capture: true });`);
    return () => count;
  }

  /** Presses keys one after the other. */
  async press(...keys: readonly string[]): Promise<void> {
    for (const key of keys) await this.#page.keyboard.press(key);
  }

  /** Runs a command from the palette. */
  async command(title: string): Promise<void> {
    await until(`the command "${title}" in the palette`, async () => {
      await this.press('F1');
      await this.#quickInput.wait('Type the name of a command');
      await this.#page.keyboard.type(title);
      const isThere = await this.#toRow(title, attemptMs).catch(() => false);
      await this.press(isThere ? 'Enter' : 'Escape');
      return isThere || undefined;
    });
  }

  /** Chooses an entry of the context menu of what has the focus. */
  async menu(entry: string): Promise<void> {
    await this.press('Shift+F10');
    await this.#page.locator('.monaco-menu').first().waitFor();
    await this.until('ArrowDown', ({ role, name }) => role.startsWith('menuitem') && name === entry);
    await this.press('Enter');
    await this.#page.locator('.monaco-menu').first().waitFor({ state: 'hidden' });
  }

  /** Goes down to a row of the quick pick and takes it. */
  async pick(label: string | RegExp, step?: StepMatch): Promise<void> {
    await this.#quickInput.wait(step);
    await this.#toRow(label);
    await this.#quickInput.accept();
  }

  /** Types a text into the quick input and accepts it. */
  async input(text: string, step?: StepMatch): Promise<void> {
    await this.#quickInput.wait(step);
    await this.#page.keyboard.type(text);
    await this.#quickInput.accept();
  }

  /** Presses a key until what has the focus is so; fails with all that had the focus on the way. */
  async until(key: string, isThere: (focus: FocusState) => boolean): Promise<FocusState> {
    const way: string[] = [];
    for (let step = 0; step < longestWay; step += 1) {
      const focus = await this.focus();
      if (isThere(focus)) return focus;
      way.push(`${focus.role} “${focus.name}”`);
      await this.press(key);
    }
    throw new Error(`${key} did not lead there; it led over ${way.join(', ')}.`);
  }

  /** What has the focus now. */
  async focus(): Promise<FocusState> {
    for (const frame of this.#page.frames().toReversed()) {
      const found = await frame.evaluate<FocusState | null>(readFocus).catch(() => null);
      if (found) return { ...found, isInPage: frame !== this.#page.mainFrame() };
    }
    throw new Error('Nothing has the focus.');
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

/** Runs in the page: what has the focus there, where the document has it and it is not a frame. */
const readFocus = `(() => {
  let element = document.hasFocus() ? document.activeElement : null;
  if (!element || element.tagName === 'IFRAME') return null;
  const row = element.getAttribute('aria-activedescendant');
  const at = (row && document.getElementById(row)) || element;
  const name = at.getAttribute('aria-label') ?? at.innerText ?? '';
  return { role: at.getAttribute('role') ?? at.tagName.toLowerCase(), name: name.replaceAll('\\u00a0', ' ').trim() };
})()`;
