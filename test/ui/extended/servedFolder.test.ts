import assert from 'node:assert/strict';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import type { Editor } from '../../support/editor/editor.ts';
import { closeEditors, openEditor } from '../../support/editor/editorPool.ts';
import { saveFailureArtifacts } from '../../support/editor/failureArtifacts.ts';
import { until } from '../../support/editor/until.ts';
import type { EditorWindow } from '../../support/editor/window.ts';

describe('A user with a folder to share', () => {
  let folder: string;
  let editor: Editor;
  let window: EditorWindow;

  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'served-folder-'));
    await mkdir(join(folder, 'archive'));
    await writeFile(join(folder, 'archive', 'notes.txt'), 'Notes of the archive');
    const settings = { 'files.simpleDialog.enable': true };
    editor = await openEditor({ workspace: folder, settings });
    window = await editor.openWindow();
    await window.openContainer('Data Transfer');
  });
  afterEach(async function () {
    if (this.currentTest?.state === 'failed') await saveFailureArtifacts(this.currentTest.title);
    await closeEditors();
    await rm(folder, { recursive: true, force: true, maxRetries: 5 });
  });

  it('serves the folder, stops serving it, and stops the local service', async () => {
    const databases = window.tree('Databases');
    await window.command('Data Transfer: Start Local Service');
    await databases.waitFor('a connection', ([first]) => first?.spoken.endsWith(', connected') ?? false);
    await window.command('Data Transfer: Serve a Folder as a Database…');
    await window.quickInput.pickFolder(`${join(folder, 'archive')}/`, ['..'], 'Serve a Folder as a Database');
    await window.input('Archive', /Database name for/);
    await databases.waitFor('it in place of the samples', (rows) => {
      const labels = rows.map(({ label }) => label);
      return labels.includes('Archive') && !labels.includes('Sample Data');
    });
    await (await databases.row('Archive')).menu('Stop Serving This Database');
    await until('the folder to be released', async () => {
      // If the row is redrawn while its menu is open, the editor doesn't pass it to the command, which then prompts.
      const asked = await window.quickInput.state();
      if (asked?.rows.some(({ label }) => label === 'Archive')) await window.pick('Archive');
      return (await databases.labels()).every((label) => label !== 'Archive') || undefined;
    });
    await window.notifications.wait("Removed Archive from your settings. Its files weren't deleted.");
    await databases.waitFor('it to disappear', (rows) => rows.every(({ label }) => label !== 'Archive'));
    assert.ok((await databases.labels()).includes(basename(folder)));
    await window.command('Data Transfer: Stop Local Service');
    assert.match(await databases.welcome(), /Connect to a service/);
  });
});
