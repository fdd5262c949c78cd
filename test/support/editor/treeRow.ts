import { setTimeout as pause } from 'node:timers/promises';
import type { Locator, Page } from 'playwright-core';
import type { PageElement } from './pageElement.ts';
import { until } from './until.ts';

/**
 * Milliseconds after which a tree is considered stable. The editor batches changes for a shorter time before it
 * redraws.
 */
const settleMs = 300;

/** Milliseconds that a menu may take to open. A menu that was closed by something else is reopened after this time. */
const menuMs = 5_000;
const tooltipMs = 5_000;

/** Operates a row of a tree as a user would. */
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

  /** Double-clicks the row, which runs its command twice. For a file, a double-click pins the file's page. */
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
   * Toggles the check box of the row. Resolves when the count in the view's title has changed. Clicks again if the
   * editor lost the click because it redrew the tree.
   */
  async toggleCheck(): Promise<void> {
    const box = this.#row.locator('[role="checkbox"]');
    const count = this.#page.locator('.pane:has(.monaco-list [role="checkbox"]) > .pane-header .description');
    const readBox = (): Promise<string | null> => box.getAttribute('aria-checked', { timeout: 2000 }).catch(() => null);
    const readCount = async (): Promise<string> => (await count.allTextContents()).join();
    const [boxBefore, countBefore] = [await readBox(), await readCount()];
    await until('the check box to turn and be counted', async () => {
      if ((await readBox()) === boxBefore) await box.click();
      await pause(settleMs);
      const [isCounted, now] = [(await readCount()) !== countBefore, await readBox()];
      return (isCounted && now !== null && now !== boxBefore) || undefined;
    });
  }

  /**
   * Presses a button at the right end of the row once the tree is stable, because a redrawn row may lose the click.
   * Skips Playwright's stability check, because the row of a running transfer is redrawn with each response.
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
   * Opens the context menu and moves the focus to an entry. Reopens a menu that was opened before the extension added
   * its entries, or that was closed because the focus moved.
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
    await this.openSubmenu(title, entry);
    await this.#page.keyboard.press('Enter');
    await this.#page.locator('.monaco-menu').first().waitFor({ state: 'hidden' });
  }

  /** Opens a submenu of the context menu and moves the focus to an entry. */
  async openSubmenu(title: string, entry: string): Promise<void> {
    await until(`"${entry}" in the menu "${title}"`, async () => {
      if (await this.#focusSubmenuEntry(title, entry).catch(() => false)) return true;
      await this.#page.keyboard.press('Escape');
      await this.#page.keyboard.press('Escape');
      return undefined;
    });
  }

  /** Opens the context menu, opens a submenu by hovering over its title, and moves the focus to an entry in it. */
  async #focusSubmenuEntry(title: string, entry: string): Promise<boolean> {
    const items = await this.#openContextMenu();
    await items.filter({ hasText: title }).first().hover({ timeout: menuMs });
    const submenu = this.#page.locator('.monaco-submenu');
    await submenu.locator('.action-menu-item', { hasText: entry }).first().hover({ timeout: menuMs });
    await submenu.locator('.action-item.focused', { hasText: entry }).waitFor({ timeout: menuMs });
    return true;
  }

  async #focusMenuEntry(entry: string): Promise<boolean> {
    const items = await this.#openContextMenu();
    const item = items.filter({ hasText: entry });
    const focused = this.#page.locator('.monaco-menu .action-item.focused', { hasText: entry });
    if ((await item.count()) === 0) return false;
    await item.first().hover({ timeout: menuMs });
    await focused.waitFor({ timeout: menuMs });
    return true;
  }

  /** Opens the context menu; resolves to its entries. */
  async #openContextMenu(): Promise<Locator> {
    const items = this.#page.locator('.monaco-menu .action-menu-item');
    await this.#row.locator('.monaco-icon-label').click({ button: 'right', timeout: menuMs });
    await items.first().waitFor({ timeout: menuMs });
    return items;
  }

  /** Hovers over the row and returns the text of its tooltip. Hovers again if the row is redrawn in the meantime. */
  async tooltip(): Promise<string> {
    const hover = this.#page.locator('.monaco-hover:visible').last();
    return await until('a tooltip', async () => {
      await this.#page.mouse.move(0, 0);
      await this.#row.locator('.label-name').hover();
      const isShown = hover.waitFor({ timeout: tooltipMs }).then(() => hover.innerText());
      return await isShown.catch(() => undefined);
    });
  }

  async #setExpanded(expected: boolean): Promise<void> {
    const read = async (): Promise<boolean> => (await this.#row.getAttribute('aria-expanded')) === 'true';
    if ((await read()) === expected) return;
    await this.#row.locator('.monaco-tl-twistie').click();
    await until('the row to turn', async () => (await read()) === expected || undefined);
  }
}
