import assert from 'node:assert/strict';
import { savedConnection, type Editor } from '../../support/editor/editor.ts';
import { closeEditors, openEditor, type JourneyOptions } from '../../support/editor/editorPool.ts';
import { saveFailureArtifacts } from '../../support/editor/failureArtifacts.ts';
import { finishTransfers, searchDatabase } from '../../support/editor/journeySteps.ts';
import type { TreeView } from '../../support/editor/treeView.ts';
import { until } from '../../support/editor/until.ts';
import type { EditorWindow } from '../../support/editor/window.ts';
import { publicLike, type PublicState } from '../../support/faultPersonality.ts';
import { FaultServer } from '../../support/faultServer.ts';
import { Gate } from '../../support/gate.ts';

const orcid = '0000-0002-1825-0097';
const kbase = 'KBase Workspace Service (KSS)';
const row = /→ /;
const submission = 'POST /api/v1/transfers';
const cancel = 'DELETE /api/v1/transfers/*';

describe('A user whose window reloads during an operation', () => {
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
    for (const route of ['GET /', 'POST /api/v1/files', submission, cancel]) server.holdAt(gate, route);
  });
  afterEach(async function () {
    gate.release();
    if (this.currentTest?.state === 'failed') await saveFailureArtifacts(this.currentTest.title);
    await closeEditors();
    await server.stop();
  });

  /** Opens a window in a new editor. */
  async function open(options: JourneyOptions = {}): Promise<void> {
    const settings = { 'dataTransfer.search.pageSize': 20 };
    editor = await openEditor({ settings, ...options });
    window = await editor.openWindow();
    results = window.tree('Search Results');
    transfers = window.tree('Transfers');
    await window.openContainer('Data Transfer');
  }

  /** Opens a window in a new editor with a saved connection and waits until the window is connected. */
  async function openConnected(): Promise<void> {
    await open(savedConnection(server.address, 'the-key'));
    await connected();
  }

  const waiting = (): Promise<true> =>
    until('the service to receive a request', async () => (gate.waitingCount > 0 ? true : undefined));

  async function answerConnect(steps: 2 | 3): Promise<void> {
    await window.command('Data Transfer: Connect to a Service…');
    await window.input(server.address, new RegExp(`1/${steps}`));
    await window.input('the-key', new RegExp(`2/${steps}`));
  }

  async function connected(): Promise<void> {
    await window
      .tree('Databases')
      .waitFor('databases', (rows) => rows.some(({ label }) => label === 'JGI Data Portal'));
  }

  async function search(): Promise<void> {
    await searchDatabase(window, 'JGI Data Portal', 'JDP');
  }

  async function openTransfer(): Promise<void> {
    await window.command('Data Transfer: Transfer Checked Files…');
    await window.pick(kbase, /1\/2/);
  }

  it('has no saved connection to a service that had not responded yet', async () => {
    await open();
    gate.hold();
    await answerConnect(3);
    await waiting();
    await window.reloadNow();
    gate.release();
    assert.match(await window.tree('Databases').welcome(), /Connect to a service/);
    assert.deepEqual(await window.notifications.all(), []);
    await answerConnect(3);
    await window.input(orcid, /Your ORCID iD/);
    await connected();
  });

  for (const storageDelayMs of [0, 1000])
    it(`reconnects if the window was connecting${storageDelayMs > 0 ? ' with slow storage' : ''} (D45)`, async () => {
      // With two saved connections, only the stored state shows which one was in use.
      await open({ ...savedConnection('http://127.0.0.1:9', 'the-key'), storageDelayMs });
      await answerConnect(2);
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

  it('sees a running search immediately, which is requested again when the service is connected (D59)', async () => {
    await openConnected();
    await search();
    await results.waitFor('a page', (rows) => rows.some(({ description }) => description.startsWith('20+')));
    gate.hold();
    await (await results.row('“JDP”')).menu('Load All');
    await waiting();
    await window.reloadNow();
    await results.waitFor('the earlier results', (rows) =>
      rows.some(({ description }) => / · as of /.test(description)),
    );
    gate.release();
    await connected();
    await results.waitFor('the new results', (rows) =>
      rows.some(({ description }) => description.startsWith('20+ · JGI')),
    );
    const sent = server.requestsTo('POST /api/v1/files').length;
    await window.command('Data Transfer: Search Files…');
    await window.pick('“JDP”', 'Select a database');
    await until('the recent search', async () =>
      server.requestsTo('POST /api/v1/files').length > sent ? true : undefined,
    );
  });

  it('finds the page of a file and the checked files again (D59)', async () => {
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
    await results.waitFor('the check', (rows) =>
      rows.some(({ label, isChecked }) => label === 'JDP:000003.csv' && isChecked === true),
    );
    await results.waitFor('new results', (rows) => rows.every(({ description }) => !description.includes(' · as of ')));
    assert.match(await results.description(), /^1 (?:✓|checked)/);
    const names = await results.buttonNames();
    assert.ok(names.some((name) => name.startsWith('Transfer Checked Files…')));
  });

  it('has sent nothing if the reload interrupted the steps of a transfer, and sees no prompt', async () => {
    await openConnected();
    await search();
    await (await results.row('JDP:000003.csv')).toggleCheck();
    await openTransfer();
    await window.quickInput.wait(/2\/2/);
    await window.reloadNow();
    await connected();
    assert.equal(await window.quickInput.isOpen(), false);
    assert.equal(server.requestsTo(submission).length, 0);
  });

  it('has sent nothing if the reload interrupted the summary, and finds the files still checked', async () => {
    await openConnected();
    await search();
    await (await results.row('JDP:000003.csv')).toggleCheck();
    await openTransfer();
    await window.pick('Continue', /2\/2/);
    await window.notifications.dialog();
    await window.reloadNow();
    await connected();
    await results.waitFor('the check', (rows) =>
      rows.some(({ label, isChecked }) => label === 'JDP:000003.csv' && isChecked === true),
    );
    assert.equal(server.requestsTo(submission).length, 0);
    await openTransfer();
    await window.pick('Continue', /2\/2/);
    await window.notifications.answer('Transfer');
    await (await transfers.spokenRow(', staging, 1 file')).click();
    assert.equal(server.requestsTo(submission).length, 1);
    finishTransfers(service);
  });

  /** Submits a transfer of one file and waits until the transfer is shown as active. */
  async function startTransfer(): Promise<void> {
    await openConnected();
    await search();
    await (await results.row('JDP:000003.csv')).toggleCheck();
    await openTransfer();
    await window.pick('Continue', /2\/2/);
    await window.notifications.answer('Transfer');
    await transfers.spokenRow(', staging, 1 file');
    for (const transfer of service.transfers.values()) transfer.status = 'active';
    await transfers.spokenRow(', active, 1 file');
  }

  it('sees a running transfer continue', async () => {
    await startTransfer();
    await window.reloadNow();
    await transfers.spokenRow(', active, 1 file');
    await connected();
    finishTransfers(service);
    await transfers.spokenRow(', succeeded, 1 file');
    assert.equal(server.requestsTo(submission).length, 1);
  });

  it('sees a transfer end as canceled if its cancel had no response yet, without a second cancel', async () => {
    await startTransfer();
    gate.hold();
    await (await transfers.spokenRow(', active, 1 file')).action('Cancel Transfer');
    await window.notifications.answer('Cancel Transfer');
    await waiting();
    await window.reloadNow();
    gate.release();
    await transfers.spokenRow(/, (?:canceled|failed), 1 file/);
    await connected();
    assert.equal(server.requestsTo(cancel).length, 1);
  });

  it('has sent nothing if the reload interrupted the summary of a repeated transfer', async () => {
    await startTransfer();
    finishTransfers(service);
    await (await transfers.spokenRow(', succeeded, 1 file')).action('Transfer Again…');
    await window.notifications.dialog();
    await window.reloadNow();
    const again = await transfers.spokenRow(', succeeded, 1 file');
    await connected();
    assert.equal(server.requestsTo(submission).length, 1);
    await again.action('Transfer Again…');
    await window.notifications.answer('Transfer');
    await until('the second submission', async () => server.requestsTo(submission).length === 2 || undefined);
    finishTransfers(service);
  });

  /** Submits a transfer that the service accepts, and reloads the window before the response arrives. */
  async function submitWithoutAnswer(): Promise<void> {
    await openConnected();
    await search();
    await (await results.row('JDP:000003.csv')).toggleCheck();
    await openTransfer();
    await window.pick('Continue', /2\/2/);
    gate.hold();
    await window.notifications.answer('Transfer');
    await waiting();
    await window.reloadNow();
    gate.release();
    await transfers.waitFor('the group', (rows) => rows.some(({ label }) => label === 'Not confirmed'), 60_000);
    await connected();
    assert.equal(server.requestsTo(submission).length, 1);
  }

  it('sees a transfer without a response as not confirmed (D12), and can mark it as started', async () => {
    await submitWithoutAnswer();
    const [id = ''] = service.transfers.keys();
    await (await transfers.row(row)).click();
    const page = await window.pageFrame(`Transfer to ${kbase}`);
    await page.getByText('Not confirmed').first().waitFor();
    await page.getByRole('button', { name: 'Mark as Started…' }).click();
    await window.input(id, /folder whose name is dts-/);
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
