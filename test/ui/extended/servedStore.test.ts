import assert from 'node:assert/strict';
import { mkdtemp, readFile, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import type { Editor } from '../../support/editor/editor.ts';
import { closeEditors, openEditor } from '../../support/editor/editorPool.ts';
import { saveFailureArtifacts } from '../../support/editor/failureArtifacts.ts';
import { searchDatabase, sendTransfer } from '../../support/editor/journeySteps.ts';
import type { EditorWindow } from '../../support/editor/window.ts';
import { StoreServers } from '../../support/storeServers.ts';

const title = 'Serve a Store as a Database';

describe('A user with a store that rclone reaches (D62)', () => {
  let folder: string;
  let servers: StoreServers;
  let editor: Editor;
  let window: EditorWindow;

  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'served-store-'));
    servers = await StoreServers.start(['sftp']);
    await servers.write('sftp', { 'runs/weather.csv': 'day,rain\n1,2\n', 'runs/deep/notes.txt': 'notes' });
    editor = await openEditor({ workspace: folder, environment: servers.environment });
    window = await editor.openWindow();
    await window.openContainer('Data Transfer');
  });
  afterEach(async function () {
    if (this.currentTest?.state === 'failed') await saveFailureArtifacts(this.currentTest.title);
    await closeEditors();
    await servers.stop();
    await rm(folder, { recursive: true, force: true, maxRetries: 5 });
  });

  it('serves it, finds a file, transfers it to a folder and verifies it', async () => {
    const databases = window.tree('Databases');
    await window.command('Data Transfer: Serve a Store as a Database…');
    await window.pick('sftp:', /Select a store/);
    await window.pick('runs', /Open a folder, or serve sftp:/);
    await window.pick('Serve sftp:runs', title);
    await window.input('Cluster', /Database name for sftp:runs \(1 folder, 1 file\)/);
    await databases.see('Cluster', /^as of /);
    await (await databases.row('Cluster')).menu('Scan Store Again');
    await databases.see('Cluster', /^as of /);
    await searchDatabase(window, 'Cluster', 'weather');
    await (await window.tree('Search Results').row('weather.csv')).toggleCheck();
    await window.command('Data Transfer: Transfer Checked Files…');
    await sendTransfer(window, basename(folder));
    const transfers = window.tree('Transfers');
    await (await transfers.row('Finished')).expand();
    await (await transfers.spokenRow(', succeeded, 1 file')).menu('Verify Transferred Files…');
    await window.notifications.wait(/1 file/);
    const [own] = (await readdir(folder)).filter((name) => name.startsWith('dts-'));
    assert.equal(await readFile(join(folder, own ?? '', 'weather.csv'), 'utf8'), 'day,rain\n1,2\n');
  });

  it('adds a store with the configuration of rclone in a terminal', async () => {
    await window.command('Data Transfer: Add a Store…');
    const terminals = window.page.locator('.terminal-wrapper .xterm');
    await terminals.first().waitFor();
    assert.equal(await terminals.count(), 1);
  });
});
