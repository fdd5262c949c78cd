import assert from 'node:assert/strict';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Editor } from '../../support/editor/editor.ts';
import { closeEditors, openEditor } from '../../support/editor/editorPool.ts';
import { saveFailureArtifacts } from '../../support/editor/failureArtifacts.ts';
import type { TreeView } from '../../support/editor/treeView.ts';
import type { EditorWindow } from '../../support/editor/window.ts';
import { publicLike } from '../../support/faultPersonality.ts';
import { FaultServer } from '../../support/faultServer.ts';
import * as version01 from '../../support/version01.ts';

const orcid = '0000-0002-1825-0097';
const apiKey = 'a-made-up-key';
const ignoredCancelId = '2fe3584a-ebf8-41bb-b03a-7168595cb05a';
const activeId = '00124f18-84e6-4451-ba13-7d89a50bd3ec';

/** The exported state of each transfer in the history, by the transfer's description. */
const statesByDescription = {
  'For a *first* look': 'succeeded',
  'The one that failed': 'failed',
  'The one that was canceled': 'cancelled',
  'The one that ignores its cancel': 'staging',
  'The one that is on its way': 'active',
  'The one without an answer': 'notConfirmed',
  'A copy': 'succeeded',
  'A long copy': 'succeeded',
};

describe('A user upgrading from version 0.1', () => {
  let home: string;
  let server: FaultServer;
  let editor: Editor;
  let window: EditorWindow;
  let databases: TreeView;
  let transfers: TreeView;

  beforeEach(async () => {
    home = await mkdtemp(join(tmpdir(), 'from-0.1-'));
    await version01.createHome(home);
    server = await FaultServer.start();
    const service = publicLike(server, apiKey);
    service.transfers.set(ignoredCancelId, { orcid, status: 'staging', num_files: 10, num_files_transferred: 0 });
    service.transfers.set(activeId, { orcid, status: 'active', num_files: 1, num_files_transferred: 0 });
    const settings = { 'dataTransfer.search.pageSize': 20, 'files.simpleDialog.enable': true };
    editor = await openEditor({ workspace: join(home, 'project'), settings });
    const storage = version01.getStorageFolder(editor.dataFolder);
    const values = { server: server.address, home, storage };
    await version01.installStorage(values);
    await version01.installSettings(editor.dataFolder, values);
    const origin = `http://${editor.server.authority}`;
    window = await editor.openWindow({ prepare: (page) => version01.seedBrowser(page, origin, values, apiKey) });
    databases = window.tree('Databases');
    transfers = window.tree('Transfers');
    await window.openContainer('Data Transfer');
  });
  afterEach(async function () {
    if (this.currentTest?.state === 'failed') await saveFailureArtifacts(this.currentTest.title);
    await closeEditors();
    await server.stop();
    await rm(home, { recursive: true, force: true, maxRetries: 5 });
  });

  const hasRow = (tree: TreeView, label: string, description: string): Promise<void> =>
    tree.waitFor(`${label}, ${description}`, (rows) =>
      rows.some((row) => row.label.startsWith(label) && row.description.startsWith(description)),
    );

  const isConnected = (service: string): Promise<void> =>
    databases.waitFor(service, ([first]) => first?.spoken === `${service}, connected`);

  const hasTransfer = (state: string, title: string): Promise<void> =>
    transfers.waitFor(`${state}, ${title}`, (rows) =>
      rows.some(({ spoken }) => new RegExp(`, ${state}(?:,|$)`).test(spoken) && spoken.includes(title)),
    );

  async function checkExport(): Promise<void> {
    const file = join(home, 'project', 'history.csv');
    await window.command('Data Transfer: Export Transfer History…');
    await window.quickInput.saveAs(file, 'Export Transfer History');
    await window.notifications.wait('Exported 9 transfers.');
    await window.notifications.clear();
    const lines = (await readFile(file, 'utf8')).trim().split('\n');
    for (const [description, state] of Object.entries(statesByDescription)) {
      const line = lines.find((text) => text.includes(description));
      assert.ok(line?.includes(state), `${description}: ${line ?? 'missing'}`);
    }
    assert.equal(lines.length, 10);
  }

  async function offersSearches(queries: readonly string[]): Promise<void> {
    await window.command('Data Transfer: Search Files…');
    const { rows } = await window.quickInput.wait('Select a database, or repeat a recent search');
    const labels = rows.map(({ label }) => label);
    for (const query of queries) assert.ok(labels.includes(`“${query}”`), labels.join());
    await window.quickInput.cancel();
  }

  it('keeps the last connection, the served folder, every transfer and the searches', async () => {
    await isConnected('Local Service');
    for (const name of ['Archive', 'Received Files', 'project']) await hasRow(databases, name, '');
    assert.ok(!(await databases.labels()).includes('Sample Data'));

    await hasRow(transfers, 'Not confirmed', '1');
    await hasTransfer('staging', '10 files');
    await (await transfers.row('Finished')).expand();
    await hasRow(transfers, 'Finished', '6');
    await hasTransfer('succeeded', '→ Received');
    await hasTransfer('succeeded', '3 files (started elsewhere)');
    const received = join(version01.getStorageFolder(editor.dataFolder), 'received');
    const copy = await readFile(join(received, 'dts-8ff1bb16-bada-4e09-895c-e0d897af6364', 'movie.bin'));
    assert.equal(copy.length, 2 ** 26);

    await checkExport();
    await window.command('Data Transfer: Restore Removed Transfers…');
    await window.pick(/1 file to KBase/);
    await hasRow(transfers, 'Finished', '7');
    await offersSearches(['movie', 'table']);
  });

  it('connects to the other service with the saved key and ORCID iD, even after a reload', async () => {
    await isConnected('Local Service');
    await window.command('Data Transfer: Switch Connection…');
    await window.pick('DTS prototype', 'Select a service to connect to');
    await isConnected('DTS prototype');
    await hasRow(databases, 'JGI Data Portal', '');
    await hasTransfer('active', '1 file');
    await offersSearches(['JDP:00005', 'JDP']);
    await window.command('Data Transfer: Set ORCID iD…');
    assert.equal((await window.quickInput.wait('ORCID iD')).value, orcid);
    await window.quickInput.cancel();
    await window.reload();
    await window.openContainer('Data Transfer');
    await isConnected('DTS prototype');
    await offersSearches(['JDP:00005', 'JDP']);
  });
});
