import assert from 'node:assert/strict';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Locator } from 'playwright-core';
import { savedConnection, type Editor } from '../../support/editor/editor.ts';
import { closeEditors, openEditor, type JourneyOptions } from '../../support/editor/editorPool.ts';
import { saveFailureArtifacts } from '../../support/editor/failureArtifacts.ts';
import { finishTransfers, searchDatabase, sendTransfer, setOrcid } from '../../support/editor/journeySteps.ts';
import type { TreeView } from '../../support/editor/treeView.ts';
import { until } from '../../support/editor/until.ts';
import type { EditorWindow } from '../../support/editor/window.ts';
import { dropBeforeAnswer } from '../../support/faultBehaviors.ts';
import { publicLike, type PublicState } from '../../support/faultPersonality.ts';
import { FaultServer } from '../../support/faultServer.ts';
import { Gate } from '../../support/gate.ts';

const orcid = '0000-0002-1825-0097';
const kbase = 'KBase Workspace Service (KSS)';
const submission = 'POST /api/v1/transfers';
const searching = 'POST /api/v1/files';

describe('A user doing everyday work', () => {
  let folder: string;
  let server: FaultServer;
  let service: PublicState;
  let editor: Editor;
  let window: EditorWindow;
  let results: TreeView;
  let transfers: TreeView;

  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'everyday-'));
    server = await FaultServer.start();
    service = publicLike(server, 'the-key');
  });
  afterEach(async function () {
    if (this.currentTest?.state === 'failed') await saveFailureArtifacts(this.currentTest.title);
    await closeEditors();
    await server.stop();
    await rm(folder, { recursive: true, force: true, maxRetries: 5 });
  });

  /** Opens a window in a new editor. */
  async function open(options: JourneyOptions = {}): Promise<void> {
    const settings = { 'dataTransfer.search.pageSize': 20, 'files.simpleDialog.enable': true };
    editor = await openEditor({ workspace: folder, settings, ...options });
    window = await editor.openWindow();
    results = window.tree('Search Results');
    transfers = window.tree('Transfers');
    await window.openContainer('Data Transfer');
  }

  /** Opens a window in a new editor with a saved connection to the service. */
  const openConnected = (): Promise<void> => open(savedConnection(server.address, 'the-key'));

  /** Runs a search that finds ten files. */
  async function searchTen(): Promise<void> {
    await searchDatabase(window, 'JGI Data Portal', 'JDP:00001');
    await searchRow('“JDP:00001”', '10+');
  }

  /** Starts transferring a file and opens a document for the description. */
  async function writeDescription(): Promise<void> {
    await searchTen();
    await (await results.row('JDP:000011.csv')).menu('Transfer Files…');
    await window.pick(kbase, /1\/2/);
    await window.pick('Description…', /2\/2/);
    await window.quickInput.wait('Purpose of this transfer');
    await window.quickInput.button('Write in an Editor with Preview');
    await window.notifications.wait(/^Write the description in Markdown/);
    await window.pageFrame(/Preview|Untitled/);
  }

  /** Transfers one file and waits until the transfer has ended. */
  async function transferOne(description: string): Promise<void> {
    await openConnected();
    await searchTen();
    await (await results.row('JDP:000011.csv')).menu('Transfer Files…');
    await sendTransfer(window, kbase, description);
    await transferRow('staging');
    finishTransfers(service);
    await (await transfers.row('Finished')).expand();
    await transferRow('succeeded');
  }

  const run = (title: string): Promise<void> => window.command(`Data Transfer: ${title}`);
  const connected = (state: string): Promise<void> =>
    window.tree('Databases').waitFor(state, ([first]) => first?.spoken.endsWith(`, ${state}`) ?? false);
  const searchRow = (label: string, end: string): Promise<void> =>
    results.waitFor(`${label} with ${end}`, (rows) =>
      rows.some((row) => row.label === label && row.description.includes(end)),
    );
  const transferRow = (state: string): Promise<void> =>
    transfers.waitFor(state, (rows) => rows.some(({ spoken }) => spoken.includes(`, ${state}, 1 file`)));
  /** Does something, and waits until the server has received another request to a route. */
  const causeRequest = async (route: string, action: () => Promise<void>): Promise<void> => {
    const { length } = server.requestsTo(route);
    await action();
    await until(`a request to ${route}`, async () => (server.requestsTo(route).length > length ? true : undefined));
  };
  const seeNotification = async (text: string | RegExp): Promise<void> => {
    await window.notifications.wait(text);
    await window.notifications.clear();
  };

  it('sets the ORCID iD, tests the connection, and copies diagnostics', async () => {
    await open();
    await setOrcid(window, editor, orcid);
    await run('Connect to a Service…');
    await window.input(server.address, /1\/2/);
    await window.input('the-key', /2\/2/);
    await seeNotification(/^Connected to/);
    await connected('connected');
    await (await window.tree('Databases').row('DTS prototype')).menu('Test Connection');
    assert.equal((await window.notifications.dialog()).message, 'The connection to DTS prototype works.');
    await window.press('Escape');
    await causeRequest('GET /api/v1/databases', async () => await window.tree('Databases').action('Refresh Databases'));
    await run('Copy Diagnostics');
    await seeNotification(/^Copied the diagnostics to the clipboard/);
    await window.clipboard((text) => text.includes('DTS prototype'));
    await run('Show Log');
    const panel = window.page.locator('.part.panel');
    await panel.locator('.view-line', { hasText: 'copyDiagnostics took' }).waitFor();
    await panel.locator('.action-label[aria-label^="Hide Panel"]').click();
    await panel.waitFor({ state: 'hidden' });
    await run('Disconnect');
    assert.match(await window.tree('Databases').welcome(), /Connect to a service/);
    await run('Switch Connection…');
    await window.pick('DTS prototype', 'Select a service to connect to');
    await connected('connected');
  });

  it('refines a search, and restores cleared results with Undo', async () => {
    await openConnected();
    await connected('connected');
    await run('Search All Databases…');
    await window.input('JDP', /leave empty to list all files/);
    await results.waitFor('files', ([first, second]) => first?.level === 1 && second?.isChecked !== undefined);
    await (await results.row(/^(?:JGI|National|KBase)/)).menu('Remove Search');
    await seeNotification(/^Removed search/);
    await run('Clear Results');
    await window.notifications.press(/^Removed/, 'Undo');
    await (await results.row(/^(?:JGI|National|KBase)/)).menu('Remove Search');
    await window.notifications.clear();
    await run('Undo Last Removal');
    await results.row(/^(?:JGI|National|KBase)/);
    await run('Clear Results');
    await seeNotification(/^Removed/);

    await searchDatabase(window, 'JGI Data Portal', 'JDP');
    await searchRow('“JDP”', '20+');
    await (await results.row('“JDP”')).menu('Load More');
    await searchRow('“JDP”', '40+');
    await (await results.row('“JDP”')).menu('Load All');
    await searchRow('“JDP”', '60 ·');
    await run('Sort Results…');
    await window.pick('Name', 'Select a sort order');
    await searchRow('“JDP”', 'sorted by name');
    await (await results.row('“JDP”')).menu('Refine Search…');
    await window.input('JDP:00001', /1\/2/);
    await window.pick('Search', /2\/2/);
    await searchRow('“JDP:00001”', '10+');
    await causeRequest(searching, async () => await (await results.row('“JDP:00001”')).menu('Repeat Search'));
    await (await results.row('“JDP:00001”')).menu('Check All Files');
    await window.pick('Check 10 loaded files; more may exist', /not have been loaded yet/);
    await until('all to be checked', async () => ((await results.description()).startsWith('10 ✓') ? true : undefined));
    await run('Uncheck All Files');
    await until('none to be checked', async () => ((await results.description()) === '' ? true : undefined));
  });

  it('stops a search that takes too long', async () => {
    await openConnected();
    await searchTen();
    const gate = new Gate();
    server.holdAt(gate, searching);
    gate.hold();
    await (await results.row('“JDP:00001”')).menu('Repeat Search');
    await until('the search request to be pending', async () => (gate.waitingCount > 0 ? true : undefined));
    await results.waitFor('the search', (rows) => rows.some(({ spoken }) => spoken.includes('searching')));
    await (await results.row('“JDP:00001”')).action('Stop Search');
    await results.waitFor('the end', (rows) => rows.every(({ spoken }) => !spoken.includes('searching')));
    gate.release();
    await (await results.row('“JDP:00001”')).menu('Repeat Search');
    await searchRow('“JDP:00001”', '10+');
  });

  it('copies the ID of a file, and finds the file by this ID', async () => {
    await openConnected();
    await searchTen();
    const row = await results.row('JDP:000011.csv');
    await row.menu('Show Metadata as JSON');
    await window.showTab(/json/);
    await row.menu('Copy File ID');
    assert.equal(await window.clipboard((text) => text.startsWith('JDP:')), 'JDP:000011');
    await run('Find Files by ID…');
    await window.pick('JGI Data Portal', /1\/3/);
    await window.pick('Clipboard', /2\/3/);
    await results.waitFor('the file', (rows) => rows.filter(({ level }) => level === 1).length === 2);
  });

  it('transfers one file with a description from a document, and monitors the transfer', async () => {
    await openConnected();
    await writeDescription();
    await window.page.locator('.editor-group-container .monaco-editor .view-lines').first().click();
    await window.page.locator('.editor-group-container.active .monaco-editor.focused').waitFor();
    await window.page.keyboard.type('For a *first* look');
    await window.press('Control+Enter');
    const { value } = await window.quickInput.wait('Purpose of this transfer');
    assert.equal(value, 'For a *first* look');
    await window.quickInput.accept();
    await window.pick('Continue', /2\/2/);
    await window.notifications.answer('Transfer');
    await transferRow('staging');
    const asked = server.requestsTo('GET /api/v1/transfers/*').length;
    await transfers.action('Refresh Transfers');
    await until('the status to be requested', async () =>
      server.requestsTo('GET /api/v1/transfers/*').length > asked ? true : undefined,
    );
    await (await transfers.row(/→ /)).menu('Copy Transfer ID');
    const [id = ''] = service.transfers.keys();
    await window.clipboard((text) => text === id);
    finishTransfers(service);
    await (await transfers.row('Finished')).expand();
    await transferRow('succeeded');
  });

  it('accepts a description with Ctrl+Enter in its own document only', async () => {
    await openConnected();
    await writeDescription();
    const focused = (name: string): Locator =>
      window.page.locator(`.editor-group-container.active .monaco-editor.focused[data-uri="untitled:${name}"]`);
    await window.command('File: New Untitled Text File');
    await focused('Untitled-2').waitFor();
    await window.page.keyboard.type('first');
    await window.press('Control+Enter');
    await window.page.keyboard.type('second');
    await until('both lines', async () => (/first\s+second/.test(await window.editorText()) ? true : undefined));
    assert.equal(await window.quickInput.isOpen(), false);
    await window.showTab('Untitled-1');
    await focused('Untitled-1').waitFor();
    await window.page.keyboard.type('For a first look');
    await window.press('Control+Enter');
    const { value } = await window.quickInput.wait('Purpose of this transfer');
    assert.equal(value, 'For a first look');
    await window.quickInput.cancel();
  });

  it('finds an earlier transfer, resubmits it, and exports and clears the history', async () => {
    await transferOne('For a *first* look');
    await run('Find in History…');
    await window.quickInput.type('first', 'Search by file, database, description, or ID');
    await window.pick(`1 file to ${kbase}`);
    await window.pageFrame(`Transfer to ${kbase}`);
    await (await transfers.row(/→ /)).action('Transfer Again…');
    await window.notifications.answer('Transfer');
    await transferRow('staging');
    finishTransfers(service);
    await transfers.waitFor(
      'both',
      (rows) => rows.filter(({ spoken }) => spoken.includes(', succeeded, 1 file')).length === 2,
    );
    const file = join(folder, 'history.csv');
    await run('Export Transfer History…');
    await window.quickInput.saveAs(file, 'Export Transfer History');
    await seeNotification('Exported 2 transfers.');
    assert.equal((await readFile(file, 'utf8')).trim().split('\n').length, 3);

    const elsewhere = crypto.randomUUID();
    service.transfers.set(elsewhere, { orcid, status: 'succeeded', num_files: 1, num_files_transferred: 1 });
    await run('Track a Transfer by ID…');
    await window.input(elsewhere, 'Transfer ID issued by DTS prototype');
    await window.pageFrame(/Transfer started elsewhere|elsewhere/);
    await (await transfers.row(/elsewhere/)).menu('Remove from History');
    await seeNotification(/^Removed “.*” from the history/);
    await run('Clear Finished Transfers');
    await window.notifications.press(/^Removed 2 finished transfers/, 'Undo');
    await transfers.waitFor('the restored transfers', (rows) =>
      rows.some(({ label, description }) => label === 'Finished' && description === '2'),
    );
    await run('Restore Removed Transfers…');
    await window.pick('Restore 1 transfer', 'Select what to restore');
    await transfers.waitFor('the third', (rows) =>
      rows.some(({ label, description }) => label === 'Finished' && description === '3'),
    );
  });

  it('reports that an unconfirmed transfer did not start, and resubmits it', async () => {
    await transferOne('');
    server.on(submission, dropBeforeAnswer());
    await (await transfers.row(/→ /)).action('Transfer Again…');
    await window.notifications.answer('Transfer');
    await transfers.waitFor('the group', (rows) => rows.some(({ label }) => label === 'Not confirmed'));
    service = publicLike(server, 'the-key');
    const [unclear] = (await transfers.rows()).filter(({ spoken }) => spoken.includes('not confirmed'));
    await (await transfers.row(unclear?.label ?? '')).menu('Submit Again (Not Started)…');
    await window.notifications.answer('Transfer');
    await transferRow('staging');
    assert.equal(service.transfers.size, 1);
    finishTransfers(service);
  });
});
