import assert from 'node:assert/strict';
import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { countActions, type ActionCounter } from '../../support/editor/actions.ts';
import { closeEditors, openEditor } from '../../support/editor/editorPool.ts';
import { saveFailureArtifacts } from '../../support/editor/failureArtifacts.ts';
import { searchDatabase } from '../../support/editor/journeySteps.ts';
import { until } from '../../support/editor/until.ts';
import type { EditorWindow } from '../../support/editor/window.ts';
import { counted } from '../../support/tally.ts';

describe('A user who repeats a transfer', () => {
  let folder: string;
  let window: EditorWindow;
  let actions: ActionCounter;

  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'recipes-'));
    for (const name of ['source', 'archive', 'work']) await mkdir(join(folder, name));
    for (const name of ['a', 'b']) await writeFile(join(folder, 'source', `${name}.csv`), `content of ${name}\n`);
  });
  afterEach(async function () {
    if (this.currentTest?.state === 'failed') await saveFailureArtifacts(this.currentTest.title);
    await closeEditors();
    await rm(folder, { recursive: true, force: true, maxRetries: 5 });
  });

  /** Opens the workspace and shows the extension's view container. The editor may not notice later changes on disk. */
  async function openWorkspace(): Promise<void> {
    const databases = [
      { name: 'Source', folder: join(folder, 'source') },
      { name: 'Archive', folder: join(folder, 'archive') },
    ];
    const editor = await openEditor({
      workspace: join(folder, 'work'),
      settings: { 'files.simpleDialog.enable': true },
      machineSettings: { 'dataTransfer.localService.databases': databases },
    });
    window = await editor.openWindow({
      prepare: async (page) => {
        actions = await countActions(page);
      },
    });
    await window.openContainer('Data Transfer');
  }

  /** Waits for a code lens of the open recipe and clicks it. */
  async function clickLens(title: string): Promise<void> {
    await window.page.locator('.codelens-decoration a').getByText(title, { exact: true }).click();
  }

  /** Confirms a run and waits until its transfers have succeeded. */
  async function confirmRun(count: number): Promise<void> {
    await window.notifications.answer('Transfer');
    await waitForRun(count);
  }

  async function waitForRun(count: number): Promise<void> {
    await until(`${count} transfers to be written to the archive`, async () => {
      const { files } = await readLock();
      const ended = (await window.notifications.all()).some(({ text }) => text.startsWith('Transferred '));
      return (files.length === count && ended) || undefined;
    });
    await window.notifications.clear();
  }

  async function readLock(): Promise<{ readonly files: readonly { readonly path: string }[] }> {
    const text = await readFile(join(folder, 'work', 'monthly.transfer.lock.json'), 'utf8').catch(() => '');
    return text === '' ? { files: [] } : (JSON.parse(text) as { files: readonly { path: string }[] });
  }

  /** Waits for the dialog of a dry run, asserts that the dialog contains `line`, and presses `button`. */
  async function answerDryRun(line: string, button: string): Promise<void> {
    const { message, detail } = await window.notifications.dialog();
    assert.match(message, /^Dry run of monthly\.transfer\.json: /);
    assert.ok(detail.split('\n').includes(line), detail);
    await window.notifications.answer(button);
  }

  it('starts a dry run from the Explorer', async () => {
    const recipe = {
      version: 1,
      service: 'local',
      from: { database: 'Source', search: { query: 'csv' } },
      to: { database: 'Archive' },
    };
    await writeFile(join(folder, 'work', 'monthly.transfer.json'), JSON.stringify(recipe));
    await openWorkspace();
    await window.openContainer('Explorer');
    await (await window.tree('work').row('monthly.transfer.json')).menu('Dry-Run Recipe');
    const { message, detail } = await window.notifications.dialog();
    assert.match(message, /^Dry run of monthly\.transfer\.json: /);
    assert.match(detail, /^Files: a\.csv, b\.csv$/m);
    await window.press('Escape');
  });

  const test = it('saves a recipe, runs and verifies it, and sees what is new before running it again', async () => {
    await openWorkspace();
    await window.command('Data Transfer: Start Local Service');
    await searchDatabase(window, 'Source', 'csv');
    const results = window.tree('Search Results');
    await results.waitFor('the files', (rows) => rows.some(({ label }) => label === 'b.csv'));
    await window.command('Data Transfer: Check All Files');
    await window.command('Data Transfer: Save as Recipe…');
    await window.pick('Checked files', 'Select what to save as a recipe');
    await window.pick('By search', 'Select how the recipe finds its files');
    await window.pick('Archive', 'Select the database to transfer to');
    await window.quickInput.saveAs(join(folder, 'work', 'monthly.transfer.json'), 'Save as Recipe');
    assert.match(await window.editorText(), /"query": "csv"/);

    await clickLens('Run…');
    await confirmRun(2);
    await window.tree('Recipes').see('monthly', /^no changes since /);
    await clickLens('Verify');
    await window.notifications.wait(/2 files/);
    await window.notifications.clear();
    await clickLens('Cite…');
    await window.pick('BibTeX', /1\/2/);
    await window.pick('Copy', /2\/2/);
    await window.notifications.clear();

    await writeFile(join(folder, 'source', 'c.csv'), 'content of c\n');
    await until('the service to find the new file', async () => {
      await clickLens('Dry Run');
      const { detail } = await window.notifications.dialog();
      if (detail.includes('1 new')) return true;
      await window.press('Escape');
      return undefined;
    });
    await answerDryRun('Since the last run: 1 new, 2 unchanged', 'Compare with Lock');
    await until(
      'the comparison',
      async () => (await window.tabs()).some(({ label }) => label.includes('lock ↔ current files')) || undefined,
    );
    const recipe = await window.tree('Recipes').row('monthly');
    await recipe.click();
    actions.restart();
    await recipe.action('Run Recipe…');
    await window.notifications.answer('Transfer');
    assert.equal(actions.count, 2);
    await waitForRun(3);
    assert.deepEqual((await readLock()).files.map(({ path }) => path).sort(), ['a.csv', 'b.csv', 'c.csv']);

    await recipe.menu('Run Recipe with Locked Files…');
    const { detail } = await window.notifications.dialog();
    assert.match(detail, /Since the last run: 3 unchanged/);
    await window.press('Escape');
  });
  counted(test, { kind: 'actions', runs: 1, actions: { 'repeat from a recipe': 2 } });
});
