import type { Locator, Page } from 'playwright-core';
import type { PageElement } from './pageElement.ts';
import { until } from './until.ts';

/** One row of a quick pick as it is shown; `separator` is the heading that begins above it. */
interface QuickPickRow {
  readonly label: string;
  readonly description: string;
  readonly detail: string;
  readonly separator: string;
  readonly isChecked: boolean | undefined;
}

/** What the quick input shows: an input box has no rows; `message` is the prompt or what validation says. */
export interface QuickInputState {
  readonly title: string;
  readonly placeholder: string;
  readonly value: string;
  readonly message: string;
  readonly severity: 'none' | 'info' | 'warning' | 'error';
  readonly isEnabled: boolean;
  /** Whether its progress bar runs. */
  readonly isBusy: boolean;
  readonly rows: readonly QuickPickRow[];
}

/** Which step is waited for: a part of its title, its placeholder or its message. */
export type StepMatch = string | RegExp;

/** A box that went away just now does not come again. */
const fillMs = 2_000;

/** The editor's quick pick and input box, as a person uses them. */
export class QuickInput {
  readonly #page: Page;
  readonly #widget: Locator;

  constructor(page: Page) {
    this.#page = page;
    this.#widget = page.locator('.quick-input-widget:visible');
  }

  /** Whether one is open. */
  isOpen(): Promise<boolean> {
    return this.#widget.isVisible();
  }

  /** Waits until one is open, is not busy, can be used and, with `step`, is the one meant; resolves to what it shows. */
  async wait(step?: StepMatch, waitMs?: number): Promise<QuickInputState> {
    const isMeant = async (): Promise<QuickInputState | undefined> => {
      const state = await this.state();
      return state?.isEnabled && !state.isBusy && matches(state, step) ? state : undefined;
    };
    return until(`a quick input${step === undefined ? '' : ` with ${step}`}`, isMeant, waitMs);
  }

  /** Waits until none is open. */
  async waitClosed(): Promise<void> {
    await this.#widget.waitFor({ state: 'hidden' });
  }

  /** What it shows now, or `undefined` when none is open. Rows further down than the list reaches are not listed. */
  async state(): Promise<QuickInputState | undefined> {
    if (!(await this.isOpen())) return undefined;
    return this.#widget.evaluate(readState, undefined, { timeout: 200 }).catch(() => undefined);
  }

  /** Replaces what stands in the box, without accepting it. */
  async type(text: string, step?: StepMatch): Promise<void> {
    await this.wait(step);
    await this.#widget.locator('input.input').fill(text, { timeout: fillMs });
  }

  /**
   * Presses Enter and waits until the step changes: the next one, a message, work in progress, or the end. A box that
   * already shows an error may refuse Enter without a change.
   */
  async accept(): Promise<void> {
    const before = JSON.stringify(await this.#shown());
    await this.#page.keyboard.press('Enter');
    await until('the quick input to take Enter', async () => {
      const state = await this.state();
      return JSON.stringify(state) !== before || state?.severity === 'error' || undefined;
    });
  }

  /** Types a text and accepts it. */
  async input(text: string, step?: StepMatch): Promise<void> {
    await this.type(text, step);
    await this.accept();
  }

  /** Chooses the row with this label; where several can be chosen, its check box is turned over. */
  async pick(label: string | RegExp, step?: StepMatch): Promise<void> {
    const { rows } = await this.wait(step);
    if (typeof label === 'string' && rows.length > 0 && !rows.some((row) => row.label === label))
      await this.type(label);
    const row = await this.#row(label);
    const before = JSON.stringify(await this.#shown());
    await row.locator('.quick-input-list-rows').click();
    await until(
      'the quick pick to take the click',
      async () => JSON.stringify(await this.state()) !== before || undefined,
    );
  }

  /**
   * Chooses a folder in the editor's own dialog, by its path, once the dialog lists what is in it. Enter would open the
   * row that has the focus; where the dialog has given one the focus, the path is typed again.
   */
  async pickFolder(path: string, inside: readonly string[], step: StepMatch): Promise<void> {
    const focused = this.#widget.locator('.monaco-list-row.focused');
    await this.type(path, step);
    await until(`${path} in the dialog, and no row with the focus`, async () => {
      const { rows, value } = await this.wait(step);
      const isListed = value === path && rows.map(({ label }) => label).join('/') === inside.join('/');
      if (isListed && (await focused.count()) === 0) return true;
      if (isListed || value !== path) {
        await this.type('/');
        await this.type(path);
      }
      return undefined;
    });
    await this.accept();
  }

  /** Goes back one step by the button in the title. */
  async back(): Promise<void> {
    await this.button('Back');
  }

  /** Presses a button of the title or beside the box, by its tooltip. */
  async button(name: string): Promise<void> {
    await this.#widget.locator(`.action-label[aria-label^="${name}"]`).first().click();
  }

  /** Leaves with Escape. */
  async cancel(): Promise<void> {
    await this.#page.keyboard.press('Escape');
    await this.waitClosed();
  }

  /** What it shows; a window that is busy may not tell at once. */
  async #shown(): Promise<QuickInputState> {
    return until('what the quick input shows', () => this.state());
  }

  async #row(label: string | RegExp): Promise<Locator> {
    const rows = this.#widget.locator('.quick-input-list .monaco-list-row');
    const index = await until(`a row ${label} in the quick pick`, async () => {
      const labels = await rows.locator('.quick-input-list-row:first-child .label-name').allInnerTexts();
      const found = labels.findIndex((text) => isLabel(text, label));
      return found < 0 ? undefined : found;
    });
    return rows.nth(index);
  }
}

/** Whether a label on the screen is the one meant: a text must be the whole of it. */
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

/** Runs in the page, so it stands alone. */
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
