import assert from 'node:assert/strict';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Editor } from '../../support/editor/editor.ts';
import { closeEditors, openEditor } from '../../support/editor/editorPool.ts';
import { saveFailureArtifacts } from '../../support/editor/failureArtifacts.ts';
import { Keyboard } from '../../support/editor/keyboard.ts';
import { until } from '../../support/editor/until.ts';
import type { TreeRowState } from '../../support/editor/treeView.ts';
import type { EditorWindow } from '../../support/editor/window.ts';
import { publicLike } from '../../support/faultPersonality.ts';
import { FaultServer } from '../../support/faultServer.ts';

const orcid = '0000-0002-1825-0097';
/** Milliseconds after which a link is activated again. Long, so that a slow activation isn't repeated. */
const activationMs = 20_000;
const manifestWords = /"path"|"resources"|"profile"/;

describe('A user without a mouse', () => {
  let folder: string;
  let server: FaultServer;
  let editor: Editor;
  let window: EditorWindow;
  let keyboard: Keyboard;
  let mouseCount = (): number => 0;

  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'keyboard-'));
    await writeFile(join(folder, 'notes.txt'), 'Notes of the workspace');
    server = await FaultServer.start();
    publicLike(server, 'the-key');
    editor = await openEditor({ workspace: folder });
    window = await editor.openWindow({
      prepare: async (page) => {
        mouseCount = await Keyboard.countMouse(page);
      },
    });
    keyboard = new Keyboard(window.page, window.quickInput);
  });
  afterEach(async function () {
    const mouseUses = mouseCount();
    if (this.currentTest?.state === 'failed') await saveFailureArtifacts(this.currentTest.title);
    await closeEditors();
    await server.stop();
    await rm(folder, { recursive: true, force: true, maxRetries: 5 });
    assert.equal(mouseUses, 0, 'the mouse was never used');
  });

  /** Moves the focus into a view and down to a row. */
  async function toRow(view: string, name: RegExp): Promise<void> {
    await keyboard.focusView(view);
    await keyboard.until('ArrowDown', (focus) => focus.role === 'treeitem' && name.test(focus.name));
  }

  /**
   * Activates a button or link of the welcome content in the Databases view. Repeats this until `isActivated` resolves,
   * because a window that has just loaded may redraw the content and lose the focus.
   */
  async function pressWelcome(text: string, isActivated: () => Promise<unknown>): Promise<void> {
    await until(`"${text}" to be activated`, async () => {
      await keyboard.command('Data Transfer: Focus on Databases View');
      // The view is still empty if the extension hasn't started yet.
      assert.match(await window.tree('Databases').welcome(), /Connect to a service/);
      await keyboard.focusView('Databases');
      assert.equal((await keyboard.focus()).name, 'Welcome');
      await keyboard.until('Tab', ({ role, name }) => (role === 'button' || role === 'a') && name === text);
      await keyboard.press('Enter');
      return await isActivated().then(
        () => true,
        () => undefined,
      );
    });
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
    const isLocal = ({ label }: TreeRowState): boolean => label.startsWith('Local Service');
    const isStarting = (rows: readonly TreeRowState[]): boolean => rows.some(isLocal);
    await pressWelcome('Start the local service', () =>
      window.tree('Databases').waitFor('the local service', isStarting, activationMs),
    );
    await isAtRow(/^Local Service/);
    await sees('Sample Data');
    await keyboard.until('ArrowDown', ({ role, name }) => role === 'treeitem' && /^Sample Data/.test(name));
  }

  /** Searches from the welcome content of the Search Results view and checks two files. */
  async function checkTwo(): Promise<void> {
    await startLocalService();
    await keyboard.focusView('Search Results');
    await keyboard.until('Tab', ({ role, name }) => role === 'button' && name === 'Search Files');
    await keyboard.press('Enter');
    await keyboard.pick('Sample Data', /1\/2/);
    await keyboard.input('weather', /leave empty to list all files/);
    const results = window.tree('Search Results');
    await results.waitFor('all results', (rows) => rows.some(({ description }) => description.startsWith('5 ·')));
    await isAtRow(/^“weather”/);
    for (const name of [/^observations-2024\.csv/, /^observations-2025\.csv/]) {
      await toRow('Search Results', name);
      await keyboard.menu('Toggle Checkbox');
      await results.waitFor('the check', (rows) => rows.some(({ label, isChecked }) => name.test(label) && isChecked));
    }
  }

  /** Transfers two files and waits until the transfer has succeeded. */
  async function transferTwo(): Promise<void> {
    await checkTwo();
    await keyboard.command('Data Transfer: Transfer Checked Files…');
    await keyboard.pick('Received Files', /1\/2/);
    await keyboard.pick('Continue', /2\/2/);
    await window.notifications.dialog();
    assert.equal((await keyboard.focus()).name, 'Transfer');
    await keyboard.press('Enter');
    await window.statusBar('All transfers finished');
  }

  it('searches from the welcome views, checks files with the context menu, and monitors their transfer', async () => {
    await transferTwo();
    await window.tree('Transfers').waitFor('the end', (rows) => rows.some(({ label }) => label === 'Finished'));
    await toRow('Transfers', /^Finished/);
    await keyboard.until('ArrowDown', ({ name }) => /^→ Received Files, succeeded, 2 files/.test(name));
    await keyboard.press('Enter');
    const page = await window.pageFrame(/Received Files/);
    await page.getByText('Succeeded').first().waitFor();
    await keyboard.until('F6', ({ isInPage }) => isInPage);
    const { name } = await keyboard.until('Tab', ({ role, isInPage }) => isInPage && role === 'button');
    assert.equal(name, 'Show Files');
  });

  it('opens the manifest of transferred files, and verifies them', async () => {
    await transferTwo();
    await keyboard.command('Data Transfer: Open Transferred Files…');
    await keyboard.pick('2 files to Received Files', 'Select the transfer to open files from');
    await keyboard.pick('Open Manifest', /dts-/);
    assert.match(await window.editorText(), manifestWords);
    assert.equal((await keyboard.focus()).role, 'textbox');
    await keyboard.command('Data Transfer: Verify Transferred Files…');
    await keyboard.pick('2 files to Received Files', 'Select the transfer to verify');
    await window.notifications.wait(/^(?:All 2|2) files/);
    // The notification may already be hidden, but the notification center still lists it.
    await keyboard.command('Notifications: Show Notifications');
    await window.page.locator('.notifications-center.visible :focus').first().waitFor();
    // The editor shows the progress for at least 800 ms. Its end redraws the list, which moves the focus to a row.
    const progress = window.page.locator('.notifications-center .notification-list-item', { hasText: 'Verifying' });
    await progress.waitFor({ state: 'hidden' });
    await keyboard.until('Tab', ({ role, name }) => role === 'button' && name.startsWith('Show Report'));
    await keyboard.press('Enter');
    await (await window.pageFrame(/Verification/)).getByText('All 2 files verified: all hashes match.').waitFor();
    await keyboard.command('View: Close Editor');
    await keyboard.command('Data Transfer: Show Verification Report');
    await (await window.pageFrame(/Verification/)).getByText('All 2 files verified: all hashes match.').waitFor();
    await keyboard.command('Data Transfer: Transfer Missing or Changed Files Again…');
    await window.notifications.wait('The last verification found no missing or changed files to transfer again.');
  });

  it('keeps the focus in the text editor when the local service is started from the Command Palette', async () => {
    await keyboard.focusView('Databases');
    assert.match(await window.tree('Databases').welcome(), /Connect to a service/);
    await keyboard.command('Create: New File...');
    await keyboard.pick('Text File');
    await until('the focus in the text', async () => (await keyboard.focus()).role === 'textbox' || undefined);
    await keyboard.command('Data Transfer: Start Local Service');
    await sees('Sample Data');
    assert.equal((await keyboard.focus()).role, 'textbox');
  });

  it('connects to a service from the welcome view, which moves the focus to its databases', async () => {
    await pressWelcome('Connect to a Service', () => window.quickInput.wait(/1\/3/, activationMs));
    await keyboard.input(server.address, /1\/3/);
    await keyboard.input('the-key', /2\/3/);
    await keyboard.input(orcid, /Your ORCID iD/);
    await isAtRow(/^DTS prototype/);
    await sees('JGI Data Portal');
  });
});
