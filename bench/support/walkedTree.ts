import { until } from '../../test/support/editor/until.ts';
import type { TreeView } from '../../test/support/editor/treeView.ts';
import type { EditorWindow } from '../../test/support/editor/window.ts';
import { measureTime } from './rounds.ts';

const limitMs = 60_000;

/** Navigates a tree with the keyboard: a root with parts, which contain files. Only the last part stays expanded. */
export class WalkedTree {
  private readonly window: EditorWindow;
  private readonly title: string;
  private readonly tree: TreeView;
  private lastFile = '';
  private part = 1;

  constructor(window: EditorWindow, title: string) {
    this.window = window;
    this.title = title;
    this.tree = window.tree(title);
  }

  /** Collapses the first part, and stores the name of the last file. */
  async begin(): Promise<void> {
    await this.tree.focus();
    await this.goTo(1);
    await this.window.press('ArrowLeft');
    await this.tree.waitFor('a closed part', (rows) => rows[1]?.isExpanded === false, limitMs);
    await this.window.press('End');
    await this.tree.waitFor('a file at the end', (rows) => rows.at(-1)?.level === 3, limitMs);
    this.lastFile = (await this.tree.rows()).at(-1)?.label ?? '';
  }

  /** Resolves to the time to expand the next part, go to the end and check the last file, in milliseconds. */
  async walk(): Promise<number> {
    this.part += 1;
    await this.goTo(this.part);
    const took = await measureTime(async () => {
      await this.window.press('ArrowRight');
      await this.tree.waitFor('its files', (rows) => rows[this.part + 1]?.level === 3, limitMs);
      await this.window.press('End');
      await this.tree.waitFor('the end', (rows) => rows.at(-1)?.label === this.lastFile, limitMs);
      await this.toggleLastCheck();
    });
    await this.goTo(this.part);
    await this.window.press('ArrowLeft');
    await this.tree.waitFor('it to close', (rows) => rows[this.part]?.isExpanded === false, limitMs);
    return took;
  }

  /**
   * Resolves to the time from a click on the last file until its page shows a heading, in milliseconds; closes the
   * page.
   */
  async openPage(): Promise<number> {
    await this.tree.focus();
    await this.window.press('End');
    const row = await this.tree.row(this.lastFile);
    const took = await measureTime(async () => {
      await row.click();
      const frame = await this.window.pageFrame(this.lastTitle());
      await frame.locator('h1').first().waitFor();
    });
    await this.window.command('View: Close All Editors');
    await until('no tab', async () => ((await this.window.tabs()).length === 0 ? true : undefined));
    return took;
  }

  /** Matches the title of the last file's page: its whole name, which the row may shorten in the middle. */
  private lastTitle(): RegExp {
    return new RegExp(`^${this.lastFile.replaceAll('.', String.raw`\.`).replace('…', '.*')}$`);
  }

  /** Moves the focus to the root, then down a number of rows. */
  private async goTo(index: number): Promise<void> {
    await this.tree.focus();
    await this.window.press('Home');
    await this.tree.waitFor('the beginning', (rows) => rows[0]?.level === 1, limitMs);
    await this.window.press(...Array<string>(index).fill('ArrowDown'));
  }

  private async toggleLastCheck(): Promise<void> {
    const read = async (): Promise<boolean | undefined> => (await this.tree.rows()).at(-1)?.isChecked;
    const before = await read();
    const pane = this.window.page.locator(`.pane:has(> .pane-header h3.title:text-is("${this.title}"))`);
    const rows = pane.locator('.monaco-list-rows > .monaco-list-row', { hasText: this.lastFile });
    await rows.locator('[role="checkbox"]').click();
    await until('the check', async () => ((await read()) === before ? undefined : true));
  }
}
