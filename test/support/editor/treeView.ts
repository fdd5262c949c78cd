import { setTimeout as pause } from 'node:timers/promises';
import type { Locator, Page } from 'playwright-core';
import type { PageElement } from './pageElement.ts';
import { isLabel } from './quickInput.ts';
import { until } from './until.ts';

/** Matches the actual rows, without the copies that stick to the top during scrolling. */
const rowSelector = '.monaco-list-rows > .monaco-list-row';

/** A row of a tree as it is displayed. */
export interface TreeRowState {
  readonly label: string;
  readonly description: string;
  readonly level: number;
  readonly isExpanded: boolean | undefined;
  readonly isChecked: boolean | undefined;
  readonly isSelected: boolean;
  readonly role: string;
  /** The text that a screen reader announces. */
  readonly spoken: string;
  /** The name of the icon, such as `sync~spin`. */
  readonly icon: string;
}

/** A view in the side bar, identified by its title. */
export class TreeView {
  readonly #page: Page;
  readonly #pane: Locator;

  constructor(page: Page, title: string) {
    this.#page = page;
    this.#pane = page.locator(`.pane:has(> .pane-header h3.title:text-is("${title}"))`);
  }

  /** Expands the view if it is collapsed. */
  async show(): Promise<this> {
    const header = this.#pane.locator('> .pane-header');
    if ((await header.getAttribute('aria-expanded')) === 'false') await header.click();
    await this.#pane.locator('.monaco-list').waitFor({ state: 'attached' });
    return this;
  }

  /** Returns the description next to the title. */
  async description(): Promise<string> {
    const texts = await this.#pane.locator('> .pane-header .description').allInnerTexts();
    return texts.join(' ').trim();
  }

  /** Returns the visible rows from top to bottom, without those that are scrolled out of view. */
  async rows(): Promise<readonly TreeRowState[]> {
    return this.#pane.locator('.pane-body').evaluate(readRows);
  }

  /** Returns the labels of the visible rows. */
  async labels(): Promise<readonly string[]> {
    return (await this.rows()).map((row) => row.label);
  }

  /**
   * Waits for a row, and scrolls to it in a long tree. Each action finds the row again by its label, so that a row
   * inserted above it in the meantime doesn't receive the click.
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

  /** Waits until the visible rows meet a condition. */
  async waitFor(what: string, isSo: (rows: readonly TreeRowState[]) => boolean, waitMs?: number): Promise<void> {
    await until(what, async () => isSo(await this.rows()) || undefined, waitMs);
  }

  /** Waits for a row with this label and this description. A string may match part of the displayed text. */
  async see(label: string | RegExp, description: string | RegExp = ''): Promise<void> {
    const fits = (text: string, wanted: string | RegExp): boolean =>
      typeof wanted === 'string' ? text.includes(wanted) : wanted.test(text);
    await this.waitFor(`a row ${label} ${description}`, (rows) =>
      rows.some((row) => fits(row.label, label) && fits(row.description, description)),
    );
  }

  /** Presses a button in the view's title. */
  async action(name: string): Promise<void> {
    await this.#pane.locator('> .pane-header').hover();
    await this.#pane.locator(`> .pane-header .action-label[aria-label^="${name}"]`).click();
  }

  /** Returns the accessible names of the buttons in the view's title and its rows. */
  async buttonNames(): Promise<readonly string[]> {
    const buttons = this.#pane.locator('.actions .action-item:not(.disabled) .action-label');
    return buttons.evaluateAll((all: PageElement[]) => all.map((one) => one.getAttribute('aria-label') ?? ''));
  }

  /** Returns the message above the tree, or an empty string. */
  async message(): Promise<string> {
    return (await this.#pane.locator('.tree-explorer-viewlet-tree-view > .message').innerText()).trim();
  }

  /** Waits for the welcome view; resolves to its text. */
  async welcome(): Promise<string> {
    const content = this.#pane.locator('.welcome-view-content');
    await content.waitFor();
    return content.innerText();
  }

  /** Presses a button in the welcome view. */
  async welcomeButton(name: string): Promise<void> {
    await this.#pane.locator('.welcome-view-content .monaco-button', { hasText: name }).click();
  }

  /** Follows a link in the text of the welcome view. */
  async welcomeLink(text: string): Promise<void> {
    await this.#pane.locator('.welcome-view-content a', { hasText: text }).click();
  }

  /** Moves the focus into the tree, for keyboard input. */
  async focus(): Promise<void> {
    await this.#pane.locator('.monaco-list').focus();
  }

  async #has(label: string | RegExp): Promise<boolean> {
    const names = await this.#pane.locator(`.pane-body ${rowSelector} .label-name`).allInnerTexts();
    return names.some((text) => isLabel(text, label));
  }

  /** Scrolls down one screen, or from the end back to the top, because rows may have been added there. */
  async #scrollOn(): Promise<void> {
    const list = this.#pane.locator('.pane-body .monaco-list');
    const before = await list.getAttribute('aria-activedescendant');
    await list.focus();
    await this.#page.keyboard.press('PageDown');
    const isAtEnd = before !== null && before === (await list.getAttribute('aria-activedescendant'));
    if (isAtEnd) await this.#page.keyboard.press('Home');
  }
}

/** Returns a pattern for a whole label in the page, in which spaces may be non-breaking. */
function wholeLabel(label: string | RegExp): RegExp {
  const source = typeof label === 'string' ? `^${label.replaceAll(/[$()*+.?[\\\]^{|}]/g, '\\$&')}$` : label.source;
  return new RegExp(source.replaceAll(' ', '\\s'), typeof label === 'string' ? '' : label.flags);
}

/** Longer than the delay with which the editor batches changes before it redraws a tree. */
const settleMs = 300;

/** Maximum time that a menu takes to open. A menu that was closed by something else is opened again after it. */
const menuMs = 5_000;

/** Operates a row of a tree like a user. */
export class TreeRow {
  readonly #page: Page;
  readonly #row: Locator;

  constructor(page: Page, row: Locator) {
    this.#page = page;
    this.#row = row;
  }

  /** Clicks the row, which selects it and runs its command. */
  async click(): Promise<void> {
    await this.#row.locator('.monaco-icon-label').click();
  }

  /** Double-clicks the row. */
  async doubleClick(): Promise<void> {
    await this.#row.locator('.monaco-icon-label').dblclick();
  }

  /** Expands the row if it is collapsed. */
  async expand(): Promise<void> {
    await this.#setExpanded(true);
  }

  /** Collapses the row if it is expanded. */
  async collapse(): Promise<void> {
    await this.#setExpanded(false);
  }

  /**
   * Toggles its check box; resolves when the new state persists. Clicks again if the editor lost the click by redrawing
   * the tree.
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
   * Presses a button at the right end of the row once the tree is stable, because a redrawn row may lose the click.
   * Doesn't wait for Playwright's stability check: the row of a running transfer is redrawn with each response.
   */
  async action(name: string): Promise<void> {
    await pause(settleMs);
    await this.#row.hover();
    const button = this.#row.locator(`.actions .action-label[aria-label^="${name}"]`);
    await button.waitFor();
    await button.click({ force: true });
  }

  /** Returns the names of the buttons at the right end of the row. */
  async actions(): Promise<readonly string[]> {
    await this.#row.hover();
    return this.#row
      .locator('.actions .action-label')
      .evaluateAll((buttons: PageElement[]) => buttons.map((button) => button.getAttribute('aria-label') ?? ''));
  }

  /** Chooses an entry from the context menu. */
  async menu(entry: string): Promise<void> {
    await this.openMenu(entry);
    await this.#page.keyboard.press('Enter');
    await this.#page.locator('.monaco-menu').first().waitFor({ state: 'hidden' });
  }

  /**
   * Opens the context menu and moves the focus to an entry. Reopens a menu that was opened before the extension had
   * added its entries, or that was closed because the focus moved.
   */
  async openMenu(entry: string): Promise<void> {
    await until(`"${entry}" in the menu`, async () => {
      if (await this.#focusMenuEntry(entry).catch(() => false)) return true;
      await this.#page.keyboard.press('Escape');
      return undefined;
    });
  }

  /** Chooses an entry from a submenu of the context menu. */
  async submenu(title: string, entry: string): Promise<void> {
    await until(`"${entry}" in the menu "${title}"`, async () => {
      await this.openMenu(title);
      if (await this.#focusSubmenuEntry(entry).catch(() => false)) return true;
      await this.#page.keyboard.press('Escape');
      return undefined;
    });
    await this.#page.keyboard.press('Enter');
    await this.#page.locator('.monaco-menu').first().waitFor({ state: 'hidden' });
  }

  async #focusSubmenuEntry(entry: string): Promise<boolean> {
    const submenu = this.#page.locator('.monaco-submenu');
    await this.#page.keyboard.press('ArrowRight');
    await submenu.locator('.action-menu-item', { hasText: entry }).first().hover({ timeout: menuMs });
    await submenu.locator('.action-item.focused', { hasText: entry }).waitFor({ timeout: menuMs });
    return true;
  }

  async #focusMenuEntry(entry: string): Promise<boolean> {
    const items = this.#page.locator('.monaco-menu .action-menu-item');
    const item = items.filter({ hasText: entry });
    const focused = this.#page.locator('.monaco-menu .action-item.focused', { hasText: entry });
    await this.#row.locator('.monaco-icon-label').click({ button: 'right', timeout: menuMs });
    await items.first().waitFor({ timeout: menuMs });
    if ((await item.count()) === 0) return false;
    await item.first().hover({ timeout: menuMs });
    await focused.waitFor({ timeout: menuMs });
    return true;
  }

  /** Returns the text of the tooltip, shown by hovering over the row. */
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

/** Runs in the browser page, so it cannot use anything else from this module. */
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
