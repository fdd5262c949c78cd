import assert from 'node:assert/strict';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { AxeResults } from 'axe-core';
import type { Frame } from 'playwright-core';
import { startEditor, type Editor } from '../support/editor/editor.ts';
import { keepEvidence } from '../support/editor/evidence.ts';
import { repositoryRoot } from '../support/editor/places.ts';
import { themes, type ThemeName } from '../support/editor/settings.ts';
import { counted, type Tally } from '../support/tally.ts';
import type { EditorWindow } from '../support/editor/window.ts';

const orcid = '0000-0002-1825-0097';

describe('The pages for people who see little or nothing', function () {
  this.timeout(240_000);
  let folder: string;
  let editor: Editor;
  let window: EditorWindow;
  let axe: string;

  before(async () => {
    axe = await readFile(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');
    folder = await mkdtemp(join(tmpdir(), 'accessibility-'));
    await writeFile(join(folder, 'notes.txt'), 'Notes of the workspace');
    editor = await startEditor({ extensionPath: repositoryRoot, workspace: folder });
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

  /** What axe has looked at and found in a page: its rules as a person reads them, with where they are broken. */
  async function check(page: Frame): Promise<{ readonly passed: number; readonly broken: readonly string[] }> {
    await page.evaluate(axe);
    const results = await page.evaluate<AxeResults>('axe.run(document, { resultTypes: ["violations"] })');
    const broken = results.violations.flatMap(({ id, nodes }) => nodes.map(({ html }) => `${id}: ${html}`));
    return { passed: results.passes.length, broken };
  }

  it('keeps the page of a double click open', async () => {
    await window.showTab('stations.csv');
    const page = await window.pageFrame('stations.csv');
    await page.getByRole('button', { name: 'Show as JSON' }).waitFor();
    assert.equal(await page.getByRole('button', { name: 'Keep Open' }).count(), 0);
  });

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
        const { passed, broken } = await check(page);
        assert.deepEqual(broken, []);
        assert.ok(passed > 10, `only ${passed} rules applied`);
        tally.runs = passed;
      });
      counted(test, tally);
    }
});
