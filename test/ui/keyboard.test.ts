import assert from 'node:assert/strict';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startEditor, type Editor } from '../support/editor/editor.ts';
import { keepEvidence } from '../support/editor/evidence.ts';
import { installedExtensions } from '../support/editor/installed.ts';
import { Keyboard } from '../support/editor/keyboard.ts';
import { until } from '../support/editor/until.ts';
import type { EditorWindow } from '../support/editor/window.ts';
import { publicLike } from '../support/faultPersonality.ts';
import { FaultServer } from '../support/faultServer.ts';

const orcid = '0000-0002-1825-0097';
const manifestWords = /"path"|"resources"|"profile"/;

describe('A person without a mouse', function () {
  this.timeout(180_000);
  let folder: string;
  let server: FaultServer;
  let editor: Editor;
  let window: EditorWindow;
  let keyboard: Keyboard;
  let mouseCount: () => number;

  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'keyboard-'));
    await writeFile(join(folder, 'notes.txt'), 'Notes of the workspace');
    server = await FaultServer.start();
    publicLike(server, 'the-key');
    editor = await startEditor({ extensions: installedExtensions, workspace: folder });
    window = await editor.openWindow({
      prepare: async (page) => {
        mouseCount = await Keyboard.countMouse(page);
      },
    });
    keyboard = new Keyboard(window.page, window.quickInput);
  });
  afterEach(async function () {
    const mouseUses = mouseCount();
    if (this.currentTest?.state === 'failed') await keepEvidence(this.currentTest.title);
    await editor.close();
    await server.stop();
    await rm(folder, { recursive: true, force: true, maxRetries: 5 });
    assert.equal(mouseUses, 0, 'the mouse was never touched');
  });

  /** Moves the focus into a view and down to a row of it. */
  async function toRow(view: string, name: RegExp): Promise<void> {
    await keyboard.command(`Data Transfer: Focus on ${view} View`);
    await keyboard.until('ArrowDown', (focus) => focus.role === 'treeitem' && name.test(focus.name));
  }

  /** Presses a button of the welcome of the databases. */
  async function pressWelcome(button: string): Promise<void> {
    await keyboard.command('Data Transfer: Focus on Databases View');
    // Who is quicker than the start of the extension finds a view that is still empty.
    assert.match(await window.tree('Databases').welcome(), /Connect to a service/);
    await keyboard.command('Data Transfer: Focus on Databases View');
    assert.equal((await keyboard.focus()).name, 'Welcome');
    await keyboard.until('Tab', ({ role, name }) => role === 'button' && name === button);
    await keyboard.press('Enter');
  }

  async function sees(database: string): Promise<void> {
    await window.tree('Databases').waitFor('databases', (rows) => rows.some(({ label }) => label === database));
  }

  async function isAtRow(name: RegExp): Promise<void> {
    await until(`the focus on a row ${name}`, async () => {
      const focus = await keyboard.focus();
      return (focus.role === 'treeitem' && name.test(focus.name)) || undefined;
    });
  }

  async function startLocalService(): Promise<void> {
    await pressWelcome('Start the Local Service');
    await isAtRow(/^Local Service/);
    await sees('Sample Data');
  }

  /** Searches from the welcome of the results, and checks two files. */
  async function checkTwo(): Promise<void> {
    await startLocalService();
    await keyboard.command('Data Transfer: Focus on Search Results View');
    await keyboard.until('Tab', ({ role, name }) => role === 'button' && name === 'Search Files');
    await keyboard.press('Enter');
    await keyboard.input(orcid, 'ORCID iD');
    await keyboard.pick('Sample Data', /1\/3/);
    await keyboard.input('weather', /2\/3/);
    await keyboard.pick('Search', /3\/3/);
    const results = window.tree('Search Results');
    await results.waitFor('all results', (rows) => rows.some(({ description }) => description.endsWith('5 files')));
    for (const name of [/^observations-2024\.csv/, /^observations-2025\.csv/]) {
      await toRow('Search Results', name);
      await keyboard.menu('Check or Uncheck');
      await results.waitFor('the check', (rows) => rows.some(({ label, isChecked }) => name.test(label) && isChecked));
    }
  }

  /** Transfers two files, and waits until they have arrived. */
  async function transferTwo(): Promise<void> {
    await checkTwo();
    await keyboard.command('Data Transfer: Transfer Checked Files…');
    await keyboard.pick('Received Files', /1\/4/);
    await keyboard.input('', /2\/4/);
    await keyboard.pick('No instructions', /3\/4/);
    await window.notifications.dialog();
    assert.equal((await keyboard.focus()).name, 'Transfer');
    await keyboard.press('Enter');
    await window.statusBar('Transfers done');
  }

  it('starts the local service from the welcome, and is among its databases', async () => {
    await startLocalService();
    await keyboard.until('ArrowDown', ({ role, name }) => role === 'treeitem' && /^Sample Data/.test(name));
  });

  it('searches from the welcome of the results, and checks two files by the menu of their rows', async () => {
    await checkTwo();
  });

  it('transfers what is checked, and watches it arrive on its page', async () => {
    await transferTwo();
    await toRow('Transfers', /^Finished/);
    await keyboard.press('ArrowRight');
    await window.tree('Transfers').waitFor('the transfer', (rows) => rows.length > 1);
    await keyboard.until('ArrowDown', ({ name }) => /2 files to Received Files.*succeeded/s.test(name));
    await keyboard.press('Enter');
    const page = await window.pageFrame(/Received Files/);
    await page.getByText('Succeeded').first().waitFor();
    await keyboard.until('F6', ({ isInPage }) => isInPage);
    const { name } = await keyboard.until('Tab', ({ role, isInPage }) => isInPage && role === 'button');
    assert.equal(name, 'Submit Again…');
  });

  it('opens the manifest of what landed, and verifies it', async () => {
    await transferTwo();
    await keyboard.command('Data Transfer: Reveal Landed Files…');
    await keyboard.pick('2 files to Received Files', 'Select the transfer whose files to show');
    await keyboard.pick('Open manifest', /dts-/);
    assert.match(await window.editorText(), manifestWords);
    assert.equal((await keyboard.focus()).role, 'textbox');
    await keyboard.command('Data Transfer: Verify Landed Files…');
    await keyboard.pick('2 files to Received Files', 'Select the transfer whose files to verify');
    await window.notifications.wait(/^(?:All 2|2) files/);
    await keyboard.command('Notifications: Focus Notification Toast');
    await keyboard.until('Tab', ({ role, name }) => role === 'button' && name.startsWith('Show Report'));
    await keyboard.press('Enter');
    await window.showTab(/Landed Files/);
    assert.match(await window.editorText(), /As sent +2/);
  });

  it('stays in the text where the local service is started from the palette', async () => {
    await keyboard.command('Data Transfer: Focus on Databases View');
    assert.match(await window.tree('Databases').welcome(), /Connect to a service/);
    await keyboard.command('Create: New File...');
    await keyboard.pick('Text File');
    await until('the focus in the text', async () => (await keyboard.focus()).role === 'textbox' || undefined);
    await keyboard.command('Data Transfer: Start Local Service');
    await sees('Sample Data');
    assert.equal((await keyboard.focus()).role, 'textbox');
  });

  it('connects to another service from the welcome, and is among its databases', async () => {
    await pressWelcome('Connect to a Service');
    await keyboard.input(server.address, /1\/4/);
    await keyboard.input('the-key', /3\/4/);
    await keyboard.input(orcid, /Your ORCID iD/);
    await isAtRow(/^DTS prototype/);
    await sees('JGI Data Portal');
  });
});
