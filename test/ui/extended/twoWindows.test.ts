import assert from 'node:assert/strict';
import { mkdir, mkdtemp, readdir, rename, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import type { Editor } from '../../support/editor/editor.ts';
import { closeEditors, openEditor } from '../../support/editor/editorPool.ts';
import { saveFailureArtifacts } from '../../support/editor/failureArtifacts.ts';
import { readLocalService } from '../../support/editor/localServices.ts';
import { until } from '../../support/editor/until.ts';
import type { EditorWindow } from '../../support/editor/window.ts';

describe('A user with two windows', () => {
  let folder: string;
  let archive: string;
  let editor: Editor;

  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'windows-'));
    archive = join(folder, 'archive');
    await mkdir(archive);
    await writeFile(join(folder, 'notes.txt'), 'Notes of the workspace');
    editor = await openEditor({ workspace: folder });
  });
  afterEach(async function () {
    if (this.currentTest?.state === 'failed') await saveFailureArtifacts(this.currentTest.title);
    await closeEditors();
    await rm(folder, { recursive: true, force: true, maxRetries: 5 });
  });

  async function leases(): Promise<number> {
    const service = await readLocalService(editor.dataFolder);
    assert.ok(service, 'the local service runs');
    const headers = { authorization: `Bearer ${service.token}` };
    const state = (await (await fetch(`${service.address}/service`, { headers })).json()) as { leases: number };
    return state.leases;
  }

  async function serveFromExplorer(window: EditorWindow): Promise<void> {
    const files = window.tree(basename(folder));
    await (await files.row('archive')).menu('Serve This Folder as a Database…');
    await window.quickInput.input('Archive', /Database name for/);
    await window.openContainer('Data Transfer');
    const databases = window.tree('Databases');
    await databases.waitFor('databases', (rows) => rows.some(({ label }) => label === 'Archive'));
  }

  async function transferNotes(window: EditorWindow): Promise<void> {
    await (await window.tree('Databases').row(basename(folder))).click();
    await window.quickInput.input('notes', /leave empty to list all files/);
    await (await window.tree('Search Results').row('notes.txt')).toggleCheck();
    await window.tree('Search Results').action('Transfer Checked Files…');
    await window.quickInput.pick('Archive', /1\/2/);
    await window.quickInput.pick('Continue', /2\/2/);
    await window.notifications.answer('Transfer');
  }

  const showsTransfer = async (window: EditorWindow, state: string): Promise<void> => {
    await window
      .tree('Transfers')
      .waitFor(`a transfer that is ${state}`, (rows) =>
        rows.some(({ spoken }) => spoken.includes(`→ Archive, ${state}, 1 file`)),
      );
  };

  /** Opens two windows with a transfer, which the first one starts, and whose destination is away. */
  const openWithWaitingTransfer = async (): Promise<readonly [EditorWindow, EditorWindow]> => {
    const person = await editor.newPerson();
    const first = await person.openWindow();
    await serveFromExplorer(first);
    await rename(archive, `${archive}-away`);
    await transferNotes(first);
    await showsTransfer(first, 'inactive');
    const second = await person.openWindow();
    await second.openContainer('Data Transfer');
    await showsTransfer(second, 'inactive');
    return [first, second];
  };

  it('pauses a transfer in one, sees it paused in the other and after a reload, and resumes it there (D70)', async () => {
    const [first, second] = await openWithWaitingTransfer();
    await (await first.tree('Transfers').spokenRow('→ Archive, inactive, 1 file')).menu('Pause Transfer');
    for (const window of [first, second]) await showsTransfer(window, 'paused');
    await first.statusBar(/^1 transfer paused$/);
    await rename(`${archive}-away`, archive);
    await second.reload();
    await showsTransfer(second, 'paused');
    await (await second.tree('Transfers').spokenRow('→ Archive, paused, 1 file')).action('Resume Transfer');
    for (const window of [first, second]) {
      await (await window.tree('Transfers').row('Finished')).expand();
      await showsTransfer(window, 'succeeded');
    }
  });

  it('serves a folder in one, and sees its transfer continue in the other after closing the first (D29)', async () => {
    const [first, second] = await openWithWaitingTransfer();
    await second.tree('Databases').waitFor('databases', (rows) => rows.some(({ label }) => label === 'Archive'));
    assert.equal(await leases(), 2);

    await first.close();
    await until('the first window to release its lease', async () => ((await leases()) === 1 ? true : undefined));
    await rename(`${archive}-away`, archive);
    await (await second.tree('Transfers').row('Finished')).expand();
    await showsTransfer(second, 'succeeded');
    const [folder = ''] = await readdir(archive);
    assert.deepEqual((await readdir(join(archive, folder))).sort(), ['manifest.json', 'notes.txt']);
  });
});
