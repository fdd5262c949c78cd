import { readdir } from 'node:fs/promises';
import { dirname, isAbsolute } from 'node:path';
import type { Locator, Page } from 'playwright-core';
import type { PageElement } from './pageElement.ts';
import { until, waitLimitMs } from './until.ts';

/**
 * A visible row of a quick pick. If the row starts a group, `separator` is the heading of the group; otherwise, it is
 * empty.
 */
interface QuickPickRow {
  readonly label: string;
  readonly description: string;
  readonly detail: string;
  readonly separator: string;
  readonly isChecked: boolean | undefined;
}

/** The contents of the quick input. An input box has no rows; `message` is the prompt or a validation message. */
export interface QuickInputState {
  readonly title: string;
  readonly placeholder: string;
  readonly value: string;
  readonly message: string;
  readonly severity: 'none' | 'info' | 'warning' | 'error';
  readonly isEnabled: boolean;
  /** True while the progress bar of the quick input is running. */
  readonly isBusy: boolean;
  readonly rows: readonly QuickPickRow[];
}

/** Identifies a step by part of its title, its placeholder or its message; a string must occur in one of them. */
export type StepMatch = string | RegExp;

/** Milliseconds to wait for the box when text is entered. On a busy machine, a window may take seconds to respond. */
const fillMs = 10_000;

/** Milliseconds to wait for the contents. On a busy machine, a window may take more than a second to respond. */
const readMs = 2_000;

/** Milliseconds after which a path is typed again if the dialog still lists another folder. */
const listMs = 10_000;

/** Milliseconds after which Enter is pressed again. Long, because Enter must not reach the step that follows. */
const enterMs = 5_000;

/** Returns true if all rows of a dialog are folders and files in the given folder and no subfolder is missing. */
async function isListing(folder: string, rows: readonly QuickPickRow[]): Promise<boolean> {
  const entries = await readdir(folder, { withFileTypes: true });
  const labels = rows.map(({ label }) => label);
  const isEntry = (label: string): boolean => label === '..' || entries.some(({ name }) => name === label);
  return labels.every(isEntry) && entries.every((entry) => !entry.isDirectory() || labels.includes(entry.name));
}

/** Operates the editor's quick pick and input box as a user would. */
export class QuickInput {
  readonly #page: Page;
  readonly #widget: Locator;

  constructor(page: Page) {
    this.#page = page;
    this.#widget = page.locator('.quick-input-widget:visible');
  }

  /** Returns true if a quick input is open. */
  isOpen(): Promise<boolean> {
    return this.#widget.isVisible();
  }

  /** Waits until a quick input is open, enabled and not busy, and matches `step` if given; resolves to its contents. */
  async wait(step?: StepMatch, waitMs?: number): Promise<QuickInputState> {
    let last: QuickInputState | undefined;
    const findMatch = async (): Promise<QuickInputState | undefined> => {
      const state = await this.state();
      last = state ?? last;
      return state?.isEnabled && !state.isBusy && matches(state, step) ? state : undefined;
    };
    const what = (): string =>
      `a quick input${step === undefined ? '' : ` with ${step}`}, last ${JSON.stringify(last)}`;
    return until(what, findMatch, waitMs);
  }

  /** Waits until no quick input is open. */
  async waitClosed(): Promise<void> {
    await this.#widget.waitFor({ state: 'hidden' });
  }

  /**
   * Returns the current contents, or `undefined` if no quick input is open or the window is too busy to respond.
   * Doesn't wait, unlike {@link wait}. Rows that are scrolled out of view are not included.
   */
  async state(): Promise<QuickInputState | undefined> {
    if (!(await this.isOpen())) return undefined;
    return this.#widget.evaluate(readState, undefined, { timeout: readMs }).catch(() => undefined);
  }

  /** Waits up to `waitMs` for a box that matches `step`, and replaces the text in it without accepting the text. */
  async type(text: string, step?: StepMatch, waitMs?: number): Promise<void> {
    await this.wait(step, waitMs);
    await this.#widget.locator('input.input').fill(text, { timeout: fillMs });
  }

  /**
   * Presses Enter and waits for a change: the next step, a message, a progress bar, or the end of the input. Doesn't
   * wait if the box already shows an error, because the same error may be shown again.
   */
  async accept(): Promise<void> {
    const before = JSON.stringify(await this.#shown());
    await this.#page.keyboard.press('Enter');
    await until(
      'the quick input to take Enter',
      async () => (await this.#hasChanged(before)) || (await this.state())?.severity === 'error' || undefined,
    );
  }

  /** Types text and accepts it. */
  async input(text: string, step?: StepMatch): Promise<void> {
    await this.type(text, step);
    await this.accept();
  }

  /**
   * Chooses the row with the given label, or toggles its check box if multiple rows can be selected. If the row isn't
   * visible, types the label first to filter the rows.
   */
  async pick(label: string | RegExp, step?: StepMatch): Promise<void> {
    const { rows } = await this.wait(step);
    if (typeof label === 'string' && rows.length > 0 && !rows.some((row) => row.label === label))
      await this.type(label);
    await this.waitForChange(await this.clickRow(label));
  }

  /** Clicks a row as soon as it is shown. Resolves to the contents before the click, as JSON. */
  async clickRow(label: string | RegExp, limitMs = waitLimitMs): Promise<string> {
    const row = await this.#row(label, limitMs);
    const before = JSON.stringify(await this.#shown(limitMs));
    await row.locator('.quick-input-list-rows').click({ timeout: limitMs });
    return before;
  }

  /** Waits until the quick input is closed or its contents differ from `before`. */
  async waitForChange(before: string): Promise<void> {
    await until('the quick pick to take the click', async () => (await this.#hasChanged(before)) || undefined);
  }

  /**
   * Chooses a folder by its path in the editor's own dialog, once the dialog lists `inside`, the entries of the folder.
   * Types the path again if a row has the focus, because Enter would open that row. Also types it again if the dialog
   * still lists another folder after ten seconds, because the dialog may have been busy when the path was typed.
   */
  async pickFolder(path: string, inside: readonly string[], step: StepMatch): Promise<void> {
    await this.type(path, step);
    let typedAt = performance.now();
    await this.#enterPath(path, step, async ({ value, rows }) => {
      const isListed = rows.map(({ label }) => label).join('/') === inside.join('/');
      if (value === path && isListed && !(await this.#hasFocusedRow())) return true;
      if (value === path && !isListed && performance.now() < typedAt + listMs) return false;
      await this.type('/');
      await this.type(path);
      typedAt = performance.now();
      return false;
    });
  }

  /**
   * Enters the path of a file in the editor's own save dialog. Types the path after the dialog has filled in its
   * suggestion, and presses Enter only while no row has the focus, because Enter would accept that row instead of the
   * path.
   */
  async saveAs(path: string, step: StepMatch): Promise<void> {
    await until('the suggestion of the dialog', async () => {
      const { value } = await this.wait(step);
      return (isAbsolute(value) && !value.endsWith('/')) || undefined;
    });
    await this.#enterPath(path, step, async ({ value, rows }) => {
      if (value !== path) await this.type(path, step);
      else return (await isListing(dirname(path), rows)) && !(await this.#hasFocusedRow());
      return false;
    });
  }

  /** Goes back one step with the button in the title. */
  async back(): Promise<void> {
    await this.button('Back');
  }

  /** Presses a button in the title or next to the box, identified by the start of its tooltip. */
  async button(name: string): Promise<void> {
    await this.#widget.locator(`.action-label[aria-label^="${name}"]`).first().click();
  }

  /** Closes the quick input with Escape. */
  async cancel(): Promise<void> {
    await this.#page.keyboard.press('Escape');
    await this.waitClosed();
  }

  /**
   * Presses Enter in the editor's own dialog once `prepare` resolves to true, and waits until the dialog has closed or
   * the next step is shown. Repeats this every five seconds, because the dialog may ignore Enter while it lists a
   * folder.
   */
  async #enterPath(
    path: string,
    step: StepMatch,
    prepare: (state: QuickInputState) => Promise<boolean>,
  ): Promise<void> {
    const box = this.#widget.locator('input.input');
    const { placeholder } = await this.wait(step);
    let nextEnter = 0;
    await until(`the dialog to accept ${path}`, async () => {
      const state = await this.state();
      if (state === undefined) return !(await this.isOpen()) || undefined;
      if (state.placeholder !== placeholder) return true;
      if (performance.now() < nextEnter || !(await prepare(state))) return undefined;
      await box.press('Enter', { timeout: fillMs }).catch(() => undefined);
      nextEnter = performance.now() + enterMs;
      return undefined;
    });
  }

  async #hasFocusedRow(): Promise<boolean> {
    return (await this.#widget.locator('.monaco-list-row.focused').count()) > 0;
  }

  /** Waits for the contents and returns them. A busy window may not respond immediately. */
  async #shown(limitMs = waitLimitMs): Promise<QuickInputState> {
    return until('what the quick input shows', () => this.state(), limitMs);
  }

  /**
   * Returns true if the input is closed or its contents differ from `before`. A window that is too busy to respond
   * counts as unchanged.
   */
  async #hasChanged(before: string): Promise<boolean> {
    if (!(await this.isOpen())) return true;
    const state = await this.state();
    return state !== undefined && JSON.stringify(state) !== before;
  }

  async #row(label: string | RegExp, limitMs: number): Promise<Locator> {
    const rows = this.#widget.locator('.quick-input-list .monaco-list-row');
    const find = async (): Promise<number | undefined> => {
      const labels = await rows.locator('.quick-input-list-row:first-child .label-name').allInnerTexts();
      const found = labels.findIndex((text) => isLabel(text, label));
      return found < 0 ? undefined : found;
    };
    const index = await until(`a row ${label} in the quick pick`, find, limitMs);
    return rows.nth(index);
  }
}

/** Returns true if a displayed label matches `label`; a string must match the whole label. */
export function isLabel(text: string, label: string | RegExp): boolean {
  const plain = text.replaceAll('\u00a0', ' ').trim();
  return typeof label === 'string' ? plain === label : label.test(plain);
}

function matches(state: QuickInputState, step: StepMatch | undefined): boolean {
  if (step === undefined) return true;
  return [state.title, state.placeholder, state.message].some((text) =>
    typeof step === 'string' ? text.includes(step) : step.test(text),
  );
}

/**
 * Returns the contents of the quick input. Runs in the browser page, so it can't use anything else from this module.
 */
function readState(widget: PageElement): QuickInputState {
  const text = (parent: PageElement, selector: string): string => {
    const element = parent.querySelector(selector);
    const isShown = element !== null && element.offsetParent !== null;
    return isShown ? element.innerText.replaceAll('\u00a0', ' ').trim() : '';
  };
  const input = widget.querySelector('.quick-input-box input');
  const severity = /\b(info|warning|error)\b/.exec(widget.querySelector('.monaco-inputbox')?.className ?? '')?.[1];
  const place = (row: PageElement): number => Number(row.getAttribute('data-index'));
  const elements = [...widget.querySelectorAll('.quick-input-list .monaco-list-row')];
  elements.sort((a, b) => place(a) - place(b));
  const rows = elements.map((row) => ({
    label: text(row, '.quick-input-list-row:first-child .label-name'),
    description: text(row, '.quick-input-list-row:first-child .label-description'),
    detail: text(row, '.quick-input-list-label-meta'),
    separator: text(row, '.quick-input-list-separator'),
    isChecked: row.getAttribute('role') === 'checkbox' ? row.getAttribute('aria-checked') === 'true' : undefined,
  }));
  const isListShown = widget.querySelector('.quick-input-list')?.offsetParent !== null;
  return {
    title: text(widget, '.quick-input-title'),
    placeholder: input?.placeholder ?? '',
    value: input?.value ?? '',
    message: text(widget, '.quick-input-message'),
    severity: (severity ?? 'none') as QuickInputState['severity'],
    isEnabled: input !== null && !input.disabled,
    isBusy: widget.querySelector('.quick-input-progress.active, .monaco-progress-container.active') !== null,
    rows: isListShown ? rows : [],
  };
}
