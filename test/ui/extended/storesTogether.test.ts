import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { mkdir, mkdtemp, readFile, readdir, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Editor } from '../../support/editor/editor.ts';
import { closeEditors, openEditor } from '../../support/editor/editorPool.ts';
import { saveFailureArtifacts } from '../../support/editor/failureArtifacts.ts';
import { searchDatabase, sendTransfer } from '../../support/editor/journeySteps.ts';
import type { EditorWindow } from '../../support/editor/window.ts';
import { StoreServers } from '../../support/storeServers.ts';

const fileCount = 300;

function createContent(index: number): string {
  return `run,value\n${index},${index * index}\n`;
}

/**
 * Writes 300 objects to the bucket, notes to the SFTP server, and a renamed copy of one object to the folder. A data
 * package in the folder contains the copy's MD5.
 */
async function writeFiles(folder: string, servers: StoreServers): Promise<void> {
  const runs = join(servers.root, 'local', 'runs');
  await mkdir(runs, { recursive: true });
  for (let index = 0; index < fileCount; index += 1)
    await writeFile(join(runs, `run-${String(index).padStart(3, '0')}.csv`), createContent(index));
  servers.run(['copy', join(servers.root, 'local'), servers.remote('s3')]);
  await servers.write('sftp', { 'notes/run-007-notes.txt': 'A cloud passed.' });
  const content = createContent(7);
  await writeFile(join(folder, 'copy-of-run-007.csv'), content);
  const hash = createHash('md5').update(content).digest('hex');
  const resources = [{ name: 'copy', path: 'copy-of-run-007.csv', hash, bytes: content.length }];
  await writeFile(join(folder, 'datapackage.json'), JSON.stringify({ name: 'runs', resources }));
}

describe('A user with a bucket, a cluster and a folder (D62)', () => {
  let root: string;
  let folder: string;
  let servers: StoreServers;
  let editor: Editor;
  let window: EditorWindow;

  beforeEach(async () => {
    root = await mkdtemp(join(tmpdir(), 'stores-together-'));
    folder = join(root, 'Study');
    await mkdir(folder);
    servers = await StoreServers.start(['s3', 'sftp']);
    await writeFiles(folder, servers);
    const databases = [
      { name: 'Bucket', remote: servers.remote('s3') },
      { name: 'Cluster', remote: servers.remote('sftp') },
    ];
    editor = await openEditor({
      workspace: folder,
      environment: servers.environment,
      machineSettings: {
        'dataTransfer.localService.databases': databases,
        'dataTransfer.search.pageSize': 2 * fileCount,
      },
    });
    window = await editor.openWindow();
    await window.openContainer('Data Transfer');
    await window.command('Data Transfer: Start Local Service');
    for (const { name } of databases) await window.tree('Databases').see(name, /^as of /);
  });
  afterEach(async function () {
    if (this.currentTest?.state === 'failed') await saveFailureArtifacts(this.currentTest.title);
    await closeEditors();
    await servers.stop();
    await rm(root, { recursive: true, force: true, maxRetries: 5 });
  });

  /** Checks all files that a search finds in a database, transfers them, and waits until the transfer has ended. */
  async function move(source: string, words: string, destination: string): Promise<void> {
    await window.command('Data Transfer: Clear Results');
    await searchDatabase(window, source, words);
    await window.tree('Search Results').see(`“${words}”`, new RegExp(`^${fileCount} ·`));
    await window.command('Data Transfer: Check All Files');
    await window.command('Data Transfer: Transfer Checked Files…');
    await sendTransfer(window, destination);
    await window.notifications.wait(new RegExp(`${fileCount} files`), 120_000);
    await window.notifications.clear();
  }

  it('searches them together, sees which of them have the same file, and moves 300 files via the cluster', async () => {
    const results = window.tree('Search Results');
    await window.command('Data Transfer: Search All Databases…');
    await window.input('007', /leave empty to list all files/);
    await results.see('run-007.csv', /also in Study/);
    await results.see('copy-of-run-007.csv', /also in Bucket/);
    await results.see('run-007-notes.txt', /\dB$|bytes$/);
    await move('Bucket', 'path:runs/*', 'Cluster');
    const [onCluster = ''] = (await readdir(servers.folder('sftp'))).filter((name) => name.startsWith('dts-'));
    await move('Cluster', `path:${onCluster}/runs/*`, 'Study');
    const transfers = window.tree('Transfers');
    await (await transfers.row('Finished')).expand();
    await (await transfers.row(/→ Study/)).menu('Verify Transferred Files…');
    await window.notifications.wait(new RegExp(`${fileCount} files`), 60_000);
    const [received = ''] = (await readdir(folder)).filter((name) => name.startsWith('dts-'));
    const files = await readdir(join(folder, received), { recursive: true });
    assert.equal(files.filter((name) => name.endsWith('.csv')).length, fileCount);
    const last = join(folder, received, onCluster, 'runs', 'run-299.csv');
    assert.equal(await readFile(last, 'utf8'), createContent(299));
  });
});
