import type { Locator, Page } from 'playwright-core';
import type { PageElement } from './pageElement.ts';
import { isLabel } from './quickInput.ts';
import { TreeRow } from './treeRow.ts';
import { until } from './until.ts';

/** Matches the actual rows, but not their copies that stick to the top of a scrolled tree. */
const rowSelector = '.monaco-list-rows > .monaco-list-row';

/** A row of a tree, as displayed. */
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
   * Waits for a row, scrolling to it in a long tree. Each action of the returned row finds it again by its label, so
   * that a row inserted above it in the meantime doesn't receive the click.
   */
  async row(label: string | RegExp): Promise<TreeRow> {
    await until(`a row ${label} in the tree`, async () => {
      if (await this.#has(label)) return true;
      await this.#scrollOn();
      return undefined;
    });
    const named = this.#page.locator('.label-name', { hasText: toLabelPattern(label) });
    return new TreeRow(this.#page, this.#pane.locator(`.pane-body ${rowSelector}`).filter({ has: named }).first());
  }

  /** Waits for a row that is announced with a text, which includes a state that only the icon shows. */
  async spokenRow(text: string | RegExp): Promise<TreeRow> {
    await until(`a row announced as ${text}`, async () => {
      const isThere = (await this.rows()).some(({ spoken }) => spoken.search(toTextPattern(text)) >= 0);
      if (!isThere) await this.#scrollOn();
      return isThere || undefined;
    });
    const announced = this.#pane.locator('.pane-body').getByRole('treeitem', { name: toTextPattern(text) });
    return new TreeRow(this.#page, announced.and(this.#page.locator(rowSelector)).first());
  }

  /** Waits until the visible rows meet a condition. */
  async waitFor(what: string, isSo: (rows: readonly TreeRowState[]) => boolean, waitMs?: number): Promise<void> {
    await until(what, async () => isSo(await this.rows()) || undefined, waitMs);
  }

  /** Waits for a row with the given label and description. A string needs to match only part of the displayed text. */
  async see(label: string | RegExp, description: string | RegExp = ''): Promise<void> {
    const fits = (text: string, pattern: string | RegExp): boolean =>
      typeof pattern === 'string' ? text.includes(pattern) : pattern.test(text);
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

  /** Returns true if the focus is in the tree. */
  async hasFocus(): Promise<boolean> {
    return (await this.#pane.locator('.monaco-list:focus').count()) > 0;
  }

  async #has(label: string | RegExp): Promise<boolean> {
    const names = await this.#pane.locator(`.pane-body ${rowSelector} .label-name`).allInnerTexts();
    return names.some((text) => isLabel(text, label));
  }

  /**
   * Scrolls down one screen, or from the end back to the top, because rows may have been added there. Leaves a tree
   * that shows all its rows unchanged.
   */
  async #scrollOn(): Promise<void> {
    const list = this.#pane.locator('.pane-body .monaco-list');
    if (!(await list.locator('.monaco-list-rows').evaluateAll(exceedsView))) return;
    const before = await list.getAttribute('aria-activedescendant');
    await list.focus();
    await this.#page.keyboard.press('PageDown');
    const isAtEnd = before !== null && before === (await list.getAttribute('aria-activedescendant'));
    if (isAtEnd) await this.#page.keyboard.press('Home');
  }
}

/**
 * Returns a pattern that finds a label in the page, where spaces may be non-breaking. A string must match the whole
 * label.
 */
function toLabelPattern(label: string | RegExp): RegExp {
  const { source, flags } = toTextPattern(label);
  return new RegExp(typeof label === 'string' ? `^${source}$` : source, flags);
}

/** Returns a pattern that finds a text in the page, where spaces may be non-breaking. */
function toTextPattern(text: string | RegExp): RegExp {
  const source = typeof text === 'string' ? text.replaceAll(/[$()*+.?[\\\]^{|}]/g, '\\$&') : text.source;
  return new RegExp(source.replaceAll(' ', '\\s'), typeof text === 'string' ? '' : text.flags);
}

/** Returns true if the rows need more height than the list has. Runs in the browser page. */
function exceedsView(rows: PageElement[]): boolean {
  return rows.some((one) => one.offsetHeight > (one.parentElement?.offsetHeight ?? 0));
}

/** Returns the rows of a tree. Runs in the browser page, so it can't use anything else from this module. */
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
