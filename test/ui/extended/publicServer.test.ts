import assert from 'node:assert/strict';
import { savedConnection, type Editor } from '../../support/editor/editor.ts';
import { closeEditors, openEditor, type JourneyOptions } from '../../support/editor/editorPool.ts';
import { saveFailureArtifacts } from '../../support/editor/failureArtifacts.ts';
import { finishTransfers, searchDatabase, sendTransfer } from '../../support/editor/journeySteps.ts';
import type { TreeView } from '../../support/editor/treeView.ts';
import type { EditorWindow } from '../../support/editor/window.ts';
import { dropBeforeAnswer } from '../../support/faultBehaviors.ts';
import { publicLike } from '../../support/faultPersonality.ts';
import { FaultServer } from '../../support/faultServer.ts';

const kbase = 'KBase Workspace Service (KSS)';
const nmdc = 'National Microbiome Data Collaborative';
const orcid = '0000-0002-1825-0097';

describe('A user of a service that behaves like the public server', () => {
  let server: FaultServer;
  let service: ReturnType<typeof publicLike>;
  let editor: Editor;
  let window: EditorWindow;

  beforeEach(async () => {
    server = await FaultServer.start();
    service = publicLike(server, 'the-key');
  });
  afterEach(async function () {
    if (this.currentTest?.state === 'failed') await saveFailureArtifacts(this.currentTest.title);
    await closeEditors();
    await server.stop();
  });

  /** Opens a window in a new editor. */
  async function open(options: JourneyOptions = {}): Promise<void> {
    editor = await openEditor({ ...options });
    window = await editor.openWindow();
    await window.openContainer('Data Transfer');
  }

  /** Opens a window in a new editor with a saved connection to the service. */
  const openConnected = (): Promise<void> => open(savedConnection(server.address, 'the-key'));

  /** Runs a search that finds a single file. */
  async function search(): Promise<TreeView> {
    await searchDatabase(window, 'JGI Data Portal', 'JDP:000050');
    const results = window.tree('Search Results');
    await results.waitFor('a file', (rows) => rows.some(({ description }) => description.startsWith('1+')));
    return results;
  }

  const bodies = (route: string): Record<string, unknown>[] =>
    server.requestsTo(route).map(({ body }) => JSON.parse(body) as Record<string, unknown>);

  async function submit(destination: string): Promise<void> {
    const results = window.tree('Search Results');
    await (await results.row('JDP:000050.csv')).toggleCheck();
    await results.action('Transfer Checked Files…');
    await sendTransfer(window, destination);
  }

  /** Transfers one file and waits until the transfer is shown as staging. */
  async function transfer(): Promise<TreeView> {
    await openConnected();
    await search();
    await submit(kbase);
    const transfers = window.tree('Transfers');
    await transfers.waitFor('staging', (rows) => rows.some(({ spoken }) => spoken.includes(', staging, ')));
    return transfers;
  }

  it('connects and lists its databases', async () => {
    await open();
    await window.command('Data Transfer: Connect to a Service…');
    await window.quickInput.input(server.address, /1\/3/);
    await window.quickInput.input('the-key', /2\/3/);
    await window.quickInput.input(orcid, /3\/3/);
    const databases = window.tree('Databases');
    await databases.waitFor('databases', (rows) => rows.some(({ label }) => label === 'JGI Data Portal'));
  });

  it('searches by database ID if the server does not know the name (D7), page after page (D9), and reads metadata (D8)', async () => {
    await openConnected();
    const results = await search();
    await (await results.row(/look for more$/)).click();
    await results.waitFor('the end', (rows) => rows.some(({ description }) => description.startsWith('1 ·')));
    const [first, second] = bodies('POST /api/v1/files');
    assert.deepEqual([first?.['database'], second?.['database']], ['JGI Data Portal', 'jdp']);
    // Metadata is requested with POST, the newer form.
    await (await results.row('JDP:000050.csv')).click();
    const page = await window.pageFrame('JDP:000050.csv');
    await page.getByText('data/JDP:000050.csv').first().waitFor();
    await page.getByText('10 bytes').first().waitFor();
    assert.deepEqual(bodies('POST /api/v1/files/by-id').at(-1)?.['file_ids'], ['JDP:000050']);
  });

  it('transfers a file, and is not shown the status of another transfer (D11)', async () => {
    const transfers = await transfer();
    const [sent] = bodies('POST /api/v1/transfers');
    assert.deepEqual([sent?.['source'], sent?.['destination']], ['jdp', 'kbase']);
    service.mixedUpAnswers = 1;
    finishTransfers(service);
    await transfers.waitFor('the end', (rows) => rows.some(({ label }) => label === 'Finished'));
    await window.statusBar('All transfers finished');
  });

  it('cancels a transfer, and sees that the server ignores the cancellation (D13)', async () => {
    const transfers = await transfer();
    await window.command('Data Transfer: Cancel Transfer');
    await window.quickInput.pick(`1 file to ${kbase}`, 'Select the transfer to cancel');
    await window.notifications.answer('Cancel Transfer');
    await transfers.waitFor('cancelling', (rows) =>
      rows.some(({ description }) => description.startsWith('canceling')),
    );
    await transfers.waitFor(
      'the status that the server still reports',
      (rows) =>
        rows.some(
          ({ spoken, description }) => spoken.includes(', staging, ') && description.startsWith('cancellation ignored'),
        ),
      60_000,
    );
  });

  it('sees an unconfirmed transfer, and marks it as started on its page (D12)', async () => {
    await openConnected();
    await search();
    server.on('POST /api/v1/transfers', dropBeforeAnswer());
    await submit(nmdc);
    const notConfirmed = await window.tree('Transfers').row('→ National Microbio…');
    await window.tree('Transfers').waitFor('the group', (rows) => rows.some(({ label }) => label === 'Not confirmed'));
    await notConfirmed.click();
    const page = await window.pageFrame(`Transfer to ${nmdc}`);
    await page.getByRole('button', { name: 'Submit Again (Not Started)…' }).waitFor();
    const id = crypto.randomUUID();
    service.transfers.set(id, { orcid, status: 'active', num_files: 1, num_files_transferred: 0 });
    await page.getByRole('button', { name: 'Mark as Started…' }).click();
    await window.quickInput.input(`dts-${id}`, /folder whose name is dts-/);
    await page.getByText('Active').first().waitFor();
    assert.equal(await page.getByRole('button', { name: 'Mark as Started…' }).count(), 0);
  });
});
