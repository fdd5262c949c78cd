import { setTimeout as pause } from 'node:timers/promises';
import type { Locator, Page } from 'playwright-core';
import type { PageElement } from './pageElement.ts';
import { isLabel } from './quickInput.ts';
import { until } from './until.ts';

/** The rows proper: the headings that stick to the top while one scrolls are copies. */
const rowSelector = '.monaco-list-rows > .monaco-list-row';

/** One row of a tree as it is shown. */
export interface TreeRowState {
  readonly label: string;
  readonly description: string;
  readonly level: number;
  readonly isExpanded: boolean | undefined;
  readonly isChecked: boolean | undefined;
  readonly isSelected: boolean;
  readonly role: string;
  /** What a screen reader says. */
  readonly spoken: string;
  /** The name of the icon, such as `sync~spin`. */
  readonly icon: string;
}

/** A view of the side bar, by its title. */
export class TreeView {
  readonly #page: Page;
  readonly #pane: Locator;

  constructor(page: Page, title: string) {
    this.#page = page;
    this.#pane = page.locator(`.pane:has(> .pane-header h3.title:text-is("${title}"))`);
  }

  /** Opens the view where it is collapsed. */
  async show(): Promise<this> {
    const header = this.#pane.locator('> .pane-header');
    if ((await header.getAttribute('aria-expanded')) === 'false') await header.click();
    await this.#pane.locator('.monaco-list').waitFor({ state: 'attached' });
    return this;
  }

  /** What stands beside its title. */
  async description(): Promise<string> {
    const texts = await this.#pane.locator('> .pane-header .description').allInnerTexts();
    return texts.join(' ').trim();
  }

  /** The rows on the screen, from above; those further down than the view reaches are not listed. */
  async rows(): Promise<readonly TreeRowState[]> {
    return this.#pane.locator('.pane-body').evaluate(readRows);
  }

  /** The labels of the rows on the screen. */
  async labels(): Promise<readonly string[]> {
    return (await this.rows()).map((row) => row.label);
  }

  /**
   * Waits for a row and scrolls to it where the tree is long. The row is found again by its label at each action, so
   * that a row which comes above it meanwhile doesn't get the click.
   */
  async row(label: string | RegExp): Promise<TreeRow> {
    await until(`a row ${label} in the tree`, async () => {
      if (await this.#has(label)) return true;
      await this.#scrollOn();
      return undefined;
    });
    const named = this.#page.locator('.label-name', { hasText: wholeLabel(label) });
    return new TreeRow(this.#page, this.#pane.locator(`.pane-body ${rowSelector}`).filter({ has: named }).first());
  }

  /** Waits until what the rows show fulfils a condition. */
  async waitFor(what: string, isSo: (rows: readonly TreeRowState[]) => boolean, waitMs?: number): Promise<void> {
    await until(what, async () => isSo(await this.rows()) || undefined, waitMs);
  }

  /** Presses a button of the view's title. */
  async action(name: string): Promise<void> {
    await this.#pane.locator('> .pane-header').hover();
    await this.#pane.locator(`> .pane-header .action-label[aria-label^="${name}"]`).click();
  }

  /** What a screen reader calls the buttons of the view's title and those in its rows. */
  async buttonNames(): Promise<readonly string[]> {
    const buttons = this.#pane.locator('.actions .action-item:not(.disabled) .action-label');
    return buttons.evaluateAll((all: PageElement[]) => all.map((one) => one.getAttribute('aria-label') ?? ''));
  }

  /** The line that stands above the tree, or an empty text. */
  async message(): Promise<string> {
    return (await this.#pane.locator('.tree-explorer-viewlet-tree-view > .message').innerText()).trim();
  }

  /** The text of the welcome view; waits until there is one. */
  async welcome(): Promise<string> {
    const content = this.#pane.locator('.welcome-view-content');
    await content.waitFor();
    return content.innerText();
  }

  /** Presses a button of the welcome view. */
  async welcomeButton(name: string): Promise<void> {
    await this.#pane.locator('.welcome-view-content .monaco-button', { hasText: name }).click();
  }

  /** Moves the focus into the tree, for keys. */
  async focus(): Promise<void> {
    await this.#pane.locator('.monaco-list').focus();
  }

  async #has(label: string | RegExp): Promise<boolean> {
    const names = await this.#pane.locator(`.pane-body ${rowSelector} .label-name`).allInnerTexts();
    return names.some((text) => isLabel(text, label));
  }

  /** One screen further; where that leads nowhere it begins again above, for rows that came meanwhile. */
  async #scrollOn(): Promise<void> {
    const list = this.#pane.locator('.pane-body .monaco-list');
    const before = await list.getAttribute('aria-activedescendant');
    await list.focus();
    await this.#page.keyboard.press('PageDown');
    const isAtEnd = before !== null && before === (await list.getAttribute('aria-activedescendant'));
    if (isAtEnd) await this.#page.keyboard.press('Home');
  }
}

/** Returns a pattern for the text of a label in the page, where a space may be one that does not break. */
function wholeLabel(label: string | RegExp): RegExp {
  const source = typeof label === 'string' ? `^${label.replaceAll(/[$()*+.?[\\\]^{|}]/g, '\\$&')}$` : label.source;
  return new RegExp(source.replaceAll(' ', '\\s'), typeof label === 'string' ? '' : label.flags);
}

/** Longer than the editor gathers changes before it draws a tree again. */
const settleMs = 300;

/** A row of a tree, and what can be done with it. */
export class TreeRow {
  readonly #page: Page;
  readonly #row: Locator;

  constructor(page: Page, row: Locator) {
    this.#page = page;
    this.#row = row;
  }

  /** Clicks it: selects it and runs its command. */
  async click(): Promise<void> {
    await this.#row.locator('.monaco-icon-label').click();
  }

  /** Double-clicks it. */
  async doubleClick(): Promise<void> {
    await this.#row.locator('.monaco-icon-label').dblclick();
  }

  /** Opens it where it is closed. */
  async expand(): Promise<void> {
    await this.#setExpanded(true);
  }

  /** Closes it where it is open. */
  async collapse(): Promise<void> {
    await this.#setExpanded(false);
  }

  /**
   * Turns its check box over, and does so again, as a person would, where the editor was drawing the tree and lost the
   * click; resolves when it stays turned.
   */
  async toggleCheck(): Promise<void> {
    const box = this.#row.locator('[role="checkbox"]');
    const read = (): Promise<string | null> => box.getAttribute('aria-checked', { timeout: 2000 }).catch(() => null);
    const before = await read();
    await until('the check box to turn and stay', async () => {
      if ((await read()) === before) await box.click();
      await pause(settleMs);
      return (await read()) !== before || undefined;
    });
  }

  /**
   * Presses one of the buttons at its right end, when the tree has come to rest: before, the click may lose its row. The
   * row of a running transfer is drawn again with each answer, and never rests as long as the driver would wait for it.
   */
  async action(name: string): Promise<void> {
    await pause(settleMs);
    await this.#row.hover();
    const button = this.#row.locator(`.actions .action-label[aria-label^="${name}"]`);
    await button.waitFor();
    await button.click({ force: true });
  }

  /** The names of the buttons at its right end. */
  async actions(): Promise<readonly string[]> {
    await this.#row.hover();
    return this.#row
      .locator('.actions .action-label')
      .evaluateAll((buttons: PageElement[]) => buttons.map((button) => button.getAttribute('aria-label') ?? ''));
  }

  /** Chooses an entry of its context menu; a menu that was opened before the extension's entries were there is opened again. */
  async menu(entry: string): Promise<void> {
    const items = this.#page.locator('.monaco-menu .action-menu-item');
    const item = items.filter({ hasText: entry });
    await until(`"${entry}" in the menu`, async () => {
      await this.#row.locator('.monaco-icon-label').click({ button: 'right' });
      await items.first().waitFor();
      if ((await item.count()) > 0) return true;
      await this.#page.keyboard.press('Escape');
      return undefined;
    });
    await item.first().hover();
    await this.#page.locator('.monaco-menu .action-item.focused', { hasText: entry }).waitFor();
    await this.#page.keyboard.press('Enter');
    await this.#page.locator('.monaco-menu').first().waitFor({ state: 'hidden' });
  }

  /** The text of its tooltip, shown by resting on it. */
  async tooltip(): Promise<string> {
    await this.#row.locator('.label-name').hover();
    const hover = this.#page.locator('.monaco-hover:visible').last();
    await hover.waitFor();
    return hover.innerText();
  }

  async #setExpanded(wanted: boolean): Promise<void> {
    const read = async (): Promise<boolean> => (await this.#row.getAttribute('aria-expanded')) === 'true';
    if ((await read()) === wanted) return;
    await this.#row.locator('.monaco-tl-twistie').click();
    await until('the row to turn', async () => (await read()) === wanted || undefined);
  }
}

/** Runs in the page, so it stands alone. */
function readRows(body: PageElement): TreeRowState[] {
  const text = (row: PageElement, selector: string): string =>
    (row.querySelector(selector)?.innerText ?? '').replaceAll('\u00a0', ' ').trim();
  const flag = (element: PageElement | null, name: string): boolean | undefined => {
    const value = element?.getAttribute(name) ?? null;
    return value === null ? undefined : value === 'true';
  };
  const rows = [...body.querySelectorAll('.monaco-list-rows > .monaco-list-row')];
  rows.sort((a, b) => Number(a.getAttribute('data-index')) - Number(b.getAttribute('data-index')));
  return rows.map((row) => {
    const icon = row.querySelector('.custom-view-tree-node-item-icon')?.className ?? '';
    return {
      label: text(row, '.label-name'),
      description: text(row, '.label-description'),
      level: Number(row.getAttribute('aria-level')),
      isExpanded: flag(row, 'aria-expanded'),
      isChecked: flag(row.querySelector('[role="checkbox"]'), 'aria-checked'),
      isSelected: flag(row, 'aria-selected') ?? false,
      role: row.getAttribute('role') ?? '',
      spoken: row.getAttribute('aria-label') ?? '',
      icon: /codicon-(?!colored|modifier)([\w-]+)/.exec(icon)?.[1] ?? '',
    };
  });
}
