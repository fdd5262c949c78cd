import assert from 'node:assert/strict';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { savedConnection, type Editor } from '../../support/editor/editor.ts';
import { closeEditors, openEditor } from '../../support/editor/editorPool.ts';
import { saveFailureArtifacts } from '../../support/editor/failureArtifacts.ts';
import { finishTransfers, searchDatabase, sendTransfer } from '../../support/editor/journeySteps.ts';
import type { EditorWindow } from '../../support/editor/window.ts';
import { publicLike, type PublicState } from '../../support/faultPersonality.ts';
import { FaultServer } from '../../support/faultServer.ts';

describe('A user who moves to another machine (D65)', () => {
  let folder: string;
  let server: FaultServer;
  let service: PublicState;
  let editor: Editor;

  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'moving-ui-'));
    server = await FaultServer.start();
    service = publicLike(server, 'the-key');
  });
  afterEach(async function () {
    if (this.currentTest?.state === 'failed') await saveFailureArtifacts(this.currentTest.title);
    await closeEditors();
    await server.stop();
    await rm(folder, { recursive: true, force: true, maxRetries: 5 });
  });

  const dialogs = { 'files.simpleDialog.enable': true };

  async function hasFinished(window: EditorWindow): Promise<void> {
    const transfers = window.tree('Transfers');
    await transfers.waitFor('the finished transfer', (rows) =>
      rows.some(({ label, description }) => label === 'Finished' && description === '1'),
    );
  }

  async function transferInOldMachine(): Promise<void> {
    editor = await openEditor({ ...savedConnection(server.address, 'the-key'), workspace: folder, settings: dialogs });
    const window = await editor.openWindow();
    await window.openContainer('Data Transfer');
    await window.tree('Databases').see('JGI Data Portal');
    await searchDatabase(window, 'JGI Data Portal', 'JDP:00005');
    await (await window.tree('Search Results').row('“JDP:00005”')).menu('Check All Files');
    await window.pick('Check 10 loaded files; more may exist', /not have been loaded yet/);
    await window.command('Data Transfer: Transfer Checked Files…');
    await sendTransfer(window, 'KBase Workspace Service (KSS)');
    await window.tree('Transfers').see(/^staging · 10 files to KBase/);
    finishTransfers(service);
    await window.tree('Transfers').action('Refresh Transfers');
    await hasFinished(window);
    await window.notifications.clear();
    await window.command('Data Transfer: Export Data for Another Machine…');
    await window.quickInput.saveAs(join(folder, 'moved.json'), 'Export Data for Another Machine');
    await window.notifications.wait(/^Exported 1 transfer, 1 connection, .*The file contains no API keys\.$/);
    await editor.close();
  }

  it('exports data on the old one, and finds the history, connection and ORCID iD on the new one', async () => {
    await transferInOldMachine();
    assert.doesNotMatch(await readFile(join(folder, 'moved.json'), 'utf8'), /the-key/);
    editor = await openEditor({ workspace: folder, settings: dialogs });
    const window = await editor.openWindow();
    await window.openContainer('Data Transfer');
    await window.command('Data Transfer: Import Data from Another Machine…');
    await window.pick('moved.json', 'Import Data from Another Machine');
    const { rows } = await window.quickInput.wait('Select what to import from moved.json.');
    const unchecked = rows
      .filter(({ isChecked }) => isChecked === false)
      .map(({ label }) => label.split(' ', 2).join(' '));
    assert.deepEqual(unchecked, ['Environment variable']);
    assert.deepEqual(
      rows.filter(({ isChecked }) => isChecked).map(({ label }) => label),
      ['1 finished transfer', 'DTS prototype', 'ORCID iD'],
    );
    await window.quickInput.accept();
    await hasFinished(window);
    await window.notifications.press(/^Imported 1 transfer, 1 connection, your ORCID iD\.$/, 'Set API Key…');
    await window.input('the-key', /Developer token/);
    await window.tree('Databases').see('JGI Data Portal');
  });
});
