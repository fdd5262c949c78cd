import assert from 'node:assert/strict';
import { savedConnection, startEditor, type Editor, type EditorOptions } from '../support/editor/editor.ts';
import { keepEvidence } from '../support/editor/evidence.ts';
import { installedExtensions } from '../support/editor/installed.ts';
import { searchDatabase } from '../support/editor/journeySteps.ts';
import type { TreeView } from '../support/editor/treeView.ts';
import { until } from '../support/editor/until.ts';
import type { EditorWindow } from '../support/editor/window.ts';
import { publicLike, type PublicState } from '../support/faultPersonality.ts';
import { FaultServer } from '../support/faultServer.ts';
import { Gate } from '../support/gate.ts';

const orcid = '0000-0002-1825-0097';
const kbase = 'KBase Workspace Service (KSS)';
const row = /^1 file to/;
const submission = 'POST /api/v1/transfers';

describe('A person whose window is loaded again in the middle of something', function () {
  this.timeout(180_000);
  let server: FaultServer;
  let service: PublicState;
  let gate: Gate;
  let editor: Editor;
  let window: EditorWindow;
  let results: TreeView;
  let transfers: TreeView;

  beforeEach(async () => {
    server = await FaultServer.start();
    service = publicLike(server, 'the-key');
    gate = new Gate();
    for (const route of ['GET /', 'POST /api/v1/files', submission]) server.behind(gate, route);
  });
  afterEach(async function () {
    gate.release();
    if (this.currentTest?.state === 'failed') await keepEvidence(this.currentTest.title);
    await editor.close();
    await server.stop();
  });

  /** Opens a window of a fresh editor. */
  async function open(options: EditorOptions = {}): Promise<void> {
    const settings = { 'dataTransfer.search.pageSize': 20 };
    editor = await startEditor({ extensions: installedExtensions, settings, ...options });
    window = await editor.openWindow();
    results = window.tree('Search Results');
    transfers = window.tree('Transfers');
    await window.openContainer('Data Transfer');
  }

  /** Opens a window of a fresh editor in which the service is saved, and waits until it is connected. */
  async function openConnected(): Promise<void> {
    await open(savedConnection(server.address, 'the-key'));
    await connected();
  }

  const waiting = (): Promise<true> =>
    until('the service to be asked', async () => (gate.waitingCount > 0 ? true : undefined));

  async function answerConnect(): Promise<void> {
    await window.command('Data Transfer: Connect to a Service…');
    await window.input(server.address, /1\/4/);
    await window.input('the-key', /3\/4/);
  }

  async function connected(): Promise<void> {
    await window
      .tree('Databases')
      .waitFor('databases', (rows) => rows.some(({ label }) => label === 'JGI Data Portal'));
  }

  async function search(): Promise<void> {
    await searchDatabase(window, 'JGI Data Portal', 'JDP');
  }

  async function askTransfer(): Promise<void> {
    await window.command('Data Transfer: Transfer Checked Files…');
    await window.pick(kbase, /1\/4/);
  }

  it('has saved nothing of a service that had not answered yet', async () => {
    await open();
    gate.hold();
    await answerConnect();
    await waiting();
    await window.reloadNow();
    gate.release();
    assert.match(await window.tree('Databases').welcome(), /Connect to a service/);
    assert.deepEqual(await window.notifications.all(), []);
    await answerConnect();
    await window.input(orcid, /Your ORCID iD/);
    await connected();
  });

  for (const storageDelayMs of [0, 1000])
    it(`connects anew where it was connecting${storageDelayMs > 0 ? ', where the editor is slow to store' : ''} (D45)`, async () => {
      // Of two saved connections, only what was remembered tells which one was in use.
      await open({ ...savedConnection('http://127.0.0.1:9', ''), storageDelayMs });
      await answerConnect();
      await window.input(orcid, /Your ORCID iD/);
      await connected();
      gate.hold();
      await window.reloadNow();
      await window.openContainer('Data Transfer');
      await waiting();
      await window.reloadNow();
      await window.openContainer('Data Transfer');
      gate.release();
      await connected();
    });

  it('forgets a search under way, shows nothing of it, and offers it among the recent ones', async () => {
    await openConnected();
    await search();
    await results.waitFor('a page', (rows) => rows.some(({ description }) => description.endsWith('20+ files')));
    gate.hold();
    await (await results.row('“JDP”')).menu('Load All');
    await waiting();
    await window.reloadNow();
    gate.release();
    await connected();
    assert.match(await results.welcome(), /Search a database for files/);
    await window.command('Data Transfer: Search Files…');
    await window.pick('“JDP”', 'Select the database to search');
    await results.waitFor('the search', (rows) => rows.some(({ description }) => description.endsWith('20+ files')));
  });

  it('brings back the page of a file, and believes no file to be checked that is not seen', async () => {
    await openConnected();
    await search();
    const file = await results.row('JDP:000003.csv');
    await file.toggleCheck();
    await file.doubleClick();
    await (await window.pageFrame('JDP:000003.csv')).getByText('data/JDP:000003.csv').first().waitFor();
    await window.reload();
    await window.showTab('JDP:000003.csv');
    await (await window.pageFrame('JDP:000003.csv')).getByText('data/JDP:000003.csv').first().waitFor();
    await connected();
    assert.match(await results.welcome(), /Search a database for files/);
    assert.equal(await results.description(), '');
    assert.equal((await results.buttonNames()).includes('Transfer Checked Files…'), false);
  });

  it('has sent nothing while it was still asked, and asks no more', async () => {
    await openConnected();
    await search();
    await (await results.row('JDP:000003.csv')).toggleCheck();
    await askTransfer();
    await window.quickInput.wait(/2\/4/);
    await window.reloadNow();
    await connected();
    assert.equal(await window.quickInput.isOpen(), false);
    assert.equal(server.requestsTo(submission).length, 0);
  });

  /** Sends a transfer and reloads the window before the answer; the service accepts it. */
  async function submitWithoutAnswer(): Promise<void> {
    await openConnected();
    await search();
    await (await results.row('JDP:000003.csv')).toggleCheck();
    await askTransfer();
    await window.input('', /2\/4/);
    await window.pick('No instructions', /3\/4/);
    gate.hold();
    await window.notifications.answer('Transfer');
    await waiting();
    await window.reloadNow();
    gate.release();
    await transfers.waitFor('the group', (rows) => rows.some(({ label }) => label === 'Not confirmed'), 60_000);
    await connected();
    assert.equal(server.requestsTo(submission).length, 1);
  }

  it('shows a transfer as not confirmed whose answer it did not see, and does not send it again (D12)', async () => {
    await submitWithoutAnswer();
    await (await transfers.row(row)).click();
    await (await window.pageFrame(`Transfer to ${kbase}`)).getByText('Not confirmed').first().waitFor();
  });

  it('goes on watching a transfer that runs, in the tree and on its page', async () => {
    await submitWithoutAnswer();
    const [id = ''] = service.transfers.keys();
    await (await transfers.row(row)).click();
    const page = await window.pageFrame(`Transfer to ${kbase}`);
    await page.getByRole('button', { name: 'It Did Start…' }).click();
    await window.input(id, /folder that is called dts-/);
    await page.getByText('Staging').first().waitFor();
    await window.reload();
    await window.showTab(`Transfer to ${kbase}`);
    await (await window.pageFrame(`Transfer to ${kbase}`)).getByText('Staging').first().waitFor();
    for (const kept of service.transfers.values())
      Object.assign(kept, { status: 'succeeded', num_files_transferred: 1 });
    await (await window.pageFrame(`Transfer to ${kbase}`)).getByText('Succeeded').first().waitFor();
    await transfers.waitFor('the end', (rows) => rows.some(({ label }) => label === 'Finished'));
    assert.equal(server.requestsTo(submission).length, 1);
  });
});
