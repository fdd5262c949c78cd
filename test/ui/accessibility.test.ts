import assert from 'node:assert/strict';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { runAxe, type AxeCounts } from '../support/axe.ts';
import type { Editor } from '../support/editor/editor.ts';
import { closeEditors, openEditor } from '../support/editor/editorPool.ts';
import { saveFailureArtifacts } from '../support/editor/failureArtifacts.ts';
import { sendTransfer } from '../support/editor/journeySteps.ts';
import { themes, type ThemeName } from '../support/editor/settings.ts';
import type { EditorWindow } from '../support/editor/window.ts';
import { PageStand } from '../support/pageStand.ts';
import { metadataPages, tablePages, transferPages } from '../support/pageStates.ts';
import { readTheme, applyTheme, type PageTheme } from '../support/pageTheme.ts';
import { readTabOrder, listInteractiveElements } from '../support/tabOrder.ts';
import { counted, type Tally } from '../support/tally.ts';
import { bySize } from '../support/testSize.ts';

const themeNames = Object.keys(themes) as ThemeName[];

/**
 * Combines each item with each theme. In quick test runs, selects pairs so that each item and each theme occurs at
 * least once.
 */
function inThemes<T>(all: readonly T[]): readonly (readonly [ThemeName, T])[] {
  const pairs = themeNames.flatMap((name) => all.map((one) => [name, one] as const));
  const count = themeNames.length;
  const isChosen = (name: ThemeName, one: T): boolean => themeNames[all.indexOf(one) % count] === name;
  // If there are fewer items than themes, each item gets several themes.
  const isShared = (name: ThemeName, one: T): boolean => all[themeNames.indexOf(name) % all.length] === one;
  return bySize(
    pairs.filter((pair) => (all.length < count ? isShared(...pair) : isChosen(...pair))),
    pairs,
  );
}

describe('The pages for users with visual impairments', () => {
  let folder: string;
  let editor: Editor;
  let window: EditorWindow;

  before(async () => {
    folder = await mkdtemp(join(tmpdir(), 'accessibility-'));
    await writeFile(join(folder, 'notes.txt'), 'Notes of the workspace');
    await writeFile(join(folder, 'a.transfer.json'), '{ "from": { "database": "Sample Data", "query": "stations" } }');
    editor = await openEditor({ workspace: folder });
    window = await editor.openWindow();
    await openPages();
  });
  afterEach(async function () {
    if (this.currentTest?.state === 'failed') await saveFailureArtifacts(this.currentTest.title);
  });
  after(async () => {
    await closeEditors();
    await rm(folder, { recursive: true, force: true, maxRetries: 5 });
  });

  async function openPages(): Promise<void> {
    await window.openContainer('Data Transfer');
    const databases = window.tree('Databases');
    await databases.welcomeLink('Start the local service');
    await (await databases.row('Sample Data')).click();
    await window.quickInput.input('stations', /leave empty to list all files/);
    const results = window.tree('Search Results');
    const row = await results.row('stations.csv');
    await row.toggleCheck();
    await row.doubleClick();
    await results.action('Transfer Checked Files…');
    await sendTransfer(window, 'Received Files', 'For the *first* look');
    await window.clickStatusBar('All transfers finished');
    await window.quickInput.pick('1 file to Received Files', 'Select a transfer');
  }

  it('keep a page open after a double click', async () => {
    await window.showTab('stations.csv');
    const page = await window.pageFrame('stations.csv');
    await page.getByRole('button', { name: 'Show as JSON' }).waitFor();
    assert.equal(await page.getByRole('button', { name: 'Keep Open' }).count(), 0);
  });

  it('are opened from rows with accessible names and states, and from buttons with accessible names', async () => {
    await (await window.tree('Transfers').row('Finished')).expand();
    for (const title of ['Databases', 'Search Results', 'Transfers', 'Recipes']) {
      const tree = window.tree(title);
      for (const { label, description, role, spoken } of await tree.rows()) {
        assert.ok(role === 'treeitem' || role === 'checkbox', `${label} is a ${role}`);
        for (const part of [label, ...description.split(' · ')])
          assert.ok(spoken.includes(part), `“${spoken}” contains “${part}”`);
      }
      for (const name of await tree.buttonNames()) assert.notEqual(name, '', `a button of ${title}`);
    }
    const [, ended] = await window.tree('Transfers').rows();
    assert.match(ended?.spoken ?? '', /^→ Received Files, succeeded, 1 file/);
    const [connection] = await window.tree('Databases').rows();
    assert.equal(connection?.spoken, 'Local Service, connected');
  });

  /** Asserts that axe applied more than ten rules and found no violations, and stores the counts in the tally. */
  function judge(tally: Tally, { passed, broken, incomplete }: AxeCounts): void {
    assert.deepEqual(broken, []);
    assert.ok(passed > 10, `only ${passed} rules applied`);
    Object.assign(tally, { runs: passed, incomplete: incomplete.length });
  }

  const pages = [
    ['stations.csv', 'The five stations'],
    [/Received Files/, 'Succeeded'],
  ] as const;
  for (const [name, [title, text]] of inThemes(pages)) {
    const tally: Tally = { kind: 'accessible page', runs: 0 };
    const test = it(`have no axe violations: ${String(title)} in the theme ${themes[name].label}`, async () => {
      await window.theme(name);
      await window.showTab(title);
      const page = await window.pageFrame(title);
      await page.getByText(text).first().waitFor();
      judge(tally, await runAxe(page, `${String(title)}, ${themes[name].label}`));
    });
    counted(test, tally);
  }

  describe('in every state', () => {
    let stands: Readonly<Record<'metadata' | 'table' | 'transfer', PageStand>>;
    const worn = new Map<ThemeName, PageTheme>();
    before(async () => {
      for (const name of themeNames) {
        await window.theme(name);
        await window.showTab('stations.csv');
        const page = await window.pageFrame('stations.csv');
        await page.locator(`body[data-vscode-theme-id="${themes[name].id}"]`).waitFor();
        worn.set(name, await readTheme(page));
      }
      stands = {
        metadata: await PageStand.open('metadata'),
        table: await PageStand.open('table'),
        transfer: await PageStand.open('transfer'),
      };
    });
    after(() => Promise.all(Object.values(stands).map((stand) => stand.close())));

    const states = [
      ...Object.entries(metadataPages).map(([state, news]) => ({ kind: 'metadata', state, news }) as const),
      ...Object.entries(tablePages).map(([state, news]) => ({ kind: 'table', state, news }) as const),
      ...Object.entries(transferPages).map(([state, news]) => ({ kind: 'transfer', state, news }) as const),
    ];
    for (const [name, { kind, state, news }] of inThemes(states)) {
      const tally: Tally = { kind: 'accessible page', runs: 0 };
      const test = it(`have no axe violations and a visible focus: ${state}, ${themes[name].label}`, async () => {
        const { page } = stands[kind];
        await stands[kind].reload();
        await applyTheme(page, worn.get(name) ?? assert.fail('the theme was not read'));
        await stands[kind].send(news);
        judge(tally, await runAxe(page, `${state}, ${themes[name].label}`));
        const expected = await listInteractiveElements(page);
        const way = await readTabOrder(page, expected.length);
        assert.deepEqual(
          way.map((stop) => stop.name),
          expected,
        );
        assert.deepEqual(
          way.filter(({ outlinePixels }) => outlinePixels < 1),
          [],
        );
      });
      counted(test, tally);
    }
  });
});
