import assert from 'node:assert/strict';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { lookWithAxe, type AxeCounts } from '../support/axe.ts';
import { startEditor, type Editor } from '../support/editor/editor.ts';
import { keepEvidence } from '../support/editor/evidence.ts';
import { installedExtensions } from '../support/editor/installed.ts';
import { themes, type ThemeName } from '../support/editor/settings.ts';
import type { EditorWindow } from '../support/editor/window.ts';
import { PageStand } from '../support/pageStand.ts';
import { metadataPages, transferPages } from '../support/pageStates.ts';
import { themeOf, wearTheme, type PageTheme } from '../support/pageTheme.ts';
import { tabWay, usable } from '../support/tabWay.ts';
import { counted, type Tally } from '../support/tally.ts';

const orcid = '0000-0002-1825-0097';

describe('The pages for people who see little or nothing', function () {
  this.timeout(240_000);
  let folder: string;
  let editor: Editor;
  let window: EditorWindow;

  before(async () => {
    folder = await mkdtemp(join(tmpdir(), 'accessibility-'));
    await writeFile(join(folder, 'notes.txt'), 'Notes of the workspace');
    editor = await startEditor({ extensions: installedExtensions, workspace: folder });
    window = await editor.openWindow();
    await openPages();
  });
  afterEach(async function () {
    if (this.currentTest?.state === 'failed') await keepEvidence(this.currentTest.title);
  });
  after(async () => {
    await editor.close();
    await rm(folder, { recursive: true, force: true, maxRetries: 5 });
  });

  async function openPages(): Promise<void> {
    await window.openContainer('Data Transfer');
    const databases = window.tree('Databases');
    await databases.welcomeButton('Start the Local Service');
    await (await databases.row('Sample Data')).action('Search Files…');
    await window.quickInput.input(orcid, 'ORCID iD');
    await window.quickInput.input('stations', /2\/3/);
    await window.quickInput.pick('Search', /3\/3/);
    const results = window.tree('Search Results');
    const row = await results.row('stations.csv');
    await row.toggleCheck();
    await row.doubleClick();
    await results.action('Transfer Checked Files…');
    await window.quickInput.pick('Received Files', /1\/4/);
    await window.quickInput.input('For the *first* look', /2\/4/);
    await window.quickInput.pick('No instructions', /3\/4/);
    await window.notifications.answer('Transfer');
    await window.clickStatusBar('Transfers done');
    await window.quickInput.pick('1 file to Received Files', 'Select a transfer');
  }

  it('keeps the page of a double click open', async () => {
    await window.showTab('stations.csv');
    const page = await window.pageFrame('stations.csv');
    await page.getByRole('button', { name: 'Show as JSON' }).waitFor();
    assert.equal(await page.getByRole('button', { name: 'Keep Open' }).count(), 0);
  });

  it('are reached by rows that say what stands in them, with their state, and by buttons with names', async () => {
    await (await window.tree('Transfers').row('Finished')).expand();
    for (const title of ['Databases', 'Search Results', 'Transfers']) {
      const tree = window.tree(title);
      for (const { label, description, role, spoken } of await tree.rows()) {
        assert.ok(role === 'treeitem' || role === 'checkbox', `${label} is a ${role}`);
        for (const part of [label, description]) assert.ok(spoken.includes(part), `“${spoken}” says “${part}”`);
      }
      for (const name of await tree.buttonNames()) assert.notEqual(name, '', `a button of ${title}`);
    }
    const [, ended] = await window.tree('Transfers').rows();
    assert.match(ended?.spoken ?? '', /^1 file to Received Files, succeeded/);
    const [connection] = await window.tree('Databases').rows();
    assert.match(connection?.spoken ?? '', /^Local Service, connected · v[\d.]+/);
  });

  /** Asserts that axe has looked and found nothing, and keeps the counts for the end. */
  function judge(tally: Tally, { passed, broken, incomplete }: AxeCounts): void {
    assert.deepEqual(broken, []);
    assert.ok(passed > 10, `only ${passed} rules applied`);
    Object.assign(tally, { runs: passed, incomplete: incomplete.length });
  }

  const pages = [
    ['stations.csv', 'The five stations'],
    [/Received Files/, 'Succeeded'],
  ] as const;
  for (const name of Object.keys(themes) as ThemeName[])
    for (const [title, text] of pages) {
      const tally: Tally = { kind: 'accessible page', runs: 0 };
      const test = it(`have nothing that axe finds: ${String(title)} in the theme ${themes[name].label}`, async () => {
        await window.theme(name);
        await window.showTab(title);
        const page = await window.pageFrame(title);
        await page.getByText(text).first().waitFor();
        judge(tally, await lookWithAxe(page, `${String(title)}, ${themes[name].label}`));
      });
      counted(test, tally);
    }

  describe('in every state that they have', () => {
    let stands: Readonly<Record<'metadata' | 'transfer', PageStand>>;
    const worn = new Map<ThemeName, PageTheme>();
    before(async () => {
      for (const name of Object.keys(themes) as ThemeName[]) {
        await window.theme(name);
        await window.showTab('stations.csv');
        const page = await window.pageFrame('stations.csv');
        await page.locator(`body[data-vscode-theme-id="${themes[name].id}"]`).waitFor();
        worn.set(name, await themeOf(page));
      }
      stands = { metadata: await PageStand.open('metadata'), transfer: await PageStand.open('transfer') };
    });
    after(() => Promise.all(Object.values(stands).map((stand) => stand.close())));

    const states = [
      ...Object.entries(metadataPages).map(([state, news]) => ({ kind: 'metadata', state, news }) as const),
      ...Object.entries(transferPages).map(([state, news]) => ({ kind: 'transfer', state, news }) as const),
    ];
    for (const name of Object.keys(themes) as ThemeName[])
      for (const { kind, state, news } of states) {
        const tally: Tally = { kind: 'accessible page', runs: 0 };
        const test =
          it(`have nothing that axe finds, and a focus that is seen: ${state}, ${themes[name].label}`, async () => {
            const { page } = stands[kind];
            await stands[kind].reload();
            await wearTheme(page, worn.get(name) ?? assert.fail('the theme was not read'));
            await stands[kind].tell(news);
            judge(tally, await lookWithAxe(page, `${state}, ${themes[name].label}`));
            const expected = await usable(page);
            const way = await tabWay(page, expected.length);
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
