import assert from 'node:assert/strict';
import { savedConnection, type Editor, type Person } from '../../support/editor/editor.ts';
import { closeEditors, openEditor } from '../../support/editor/editorPool.ts';
import { saveFailureArtifacts } from '../../support/editor/failureArtifacts.ts';
import { fillTransfer, searchDatabase, sendTransfer } from '../../support/editor/journeySteps.ts';
import { until } from '../../support/editor/until.ts';
import type { EditorWindow } from '../../support/editor/window.ts';
import { publicLike, type PublicState } from '../../support/faultPersonality.ts';
import { FaultServer } from '../../support/faultServer.ts';
import { Gate } from '../../support/gate.ts';

const kbase = 'KBase Workspace Service (KSS)';
const submission = 'POST /api/v1/transfers';
const nmdc = 'National Microbiome Data Collaborative';

describe('A user with two windows that show the same transfers', () => {
  let server: FaultServer;
  let service: PublicState;
  /** Gate that holds back the responses to status requests. */
  let answering: Gate;
  let editor: Editor;
  let person: Person;
  let first: EditorWindow;
  let second: EditorWindow;

  beforeEach(async () => {
    server = await FaultServer.start();
    service = publicLike(server, 'the-key');
    answering = new Gate();
    server.holdAt(answering, 'GET /api/v1/transfers/*');
    editor = await openEditor({ ...savedConnection(server.address, 'the-key') });
    person = await editor.newPerson();
    first = await openConnected();
  });
  afterEach(async function () {
    answering.release();
    if (this.currentTest?.state === 'failed') await saveFailureArtifacts(this.currentTest.title);
    await closeEditors();
    await server.stop();
  });

  /** Opens a window, which connects automatically. */
  async function openConnected(): Promise<EditorWindow> {
    const window = await person.openWindow();
    await window.openContainer('Data Transfer');
    await window
      .tree('Databases')
      .waitFor('databases', (rows) => rows.some(({ label }) => label === 'JGI Data Portal'));
    return window;
  }

  /** Starts a transfer in the first window and opens the second one. */
  async function beginInFirst(): Promise<void> {
    await submit(first, kbase);
    second = await openConnected();
  }

  /** Transfers the ten files of a search. */
  async function submit(window: EditorWindow, destination: string): Promise<void> {
    await searchDatabase(window, 'JGI Data Portal', 'JDP:00005');
    await (await window.tree('Search Results').row('“JDP:00005”')).menu('Check All Files');
    await window.pick('Check 10 loaded files; more may exist', /not have been loaded yet/);
    await window.command('Data Transfer: Transfer Checked Files…');
    await sendTransfer(window, destination);
    await shows(window, destination, 'staging');
  }

  function setStatus(status: string, moved: number): void {
    for (const transfer of service.transfers.values())
      if (!['failed', 'succeeded'].includes(transfer.status))
        Object.assign(transfer, { status, num_files_transferred: moved });
  }

  async function shows(window: EditorWindow, destination: string, state: string): Promise<void> {
    const title = `→ ${destination.slice(0, 5)}`;
    await window
      .tree('Transfers')
      .waitFor(`a transfer that is ${state}`, (rows) =>
        rows.some(({ label, spoken }) => label.includes(title) && spoken.includes(`, ${state}`)),
      );
  }

  async function listTransfers(window: EditorWindow): Promise<readonly string[]> {
    return (await window.statusBarTexts()).filter((text) => /transfer/i.test(text));
  }

  async function showsFinished(window: EditorWindow, count: string): Promise<void> {
    await window
      .tree('Transfers')
      .waitFor('the finished transfers', (rows) =>
        rows.some(({ label, description }) => label === 'Finished' && description === count),
      );
  }

  const underWay = (count: number): Promise<true> =>
    until(`${count} pending requests`, async () => (answering.waitingCount === count ? true : undefined));

  /**
   * Refreshes the transfers and then the databases of a window. Once the databases have been requested, the refresh of
   * the transfers has been handled.
   */
  async function refresh(window: EditorWindow): Promise<void> {
    const databases = (): number => server.requestsTo('GET /api/v1/databases').length;
    const before = databases();
    await window.tree('Transfers').action('Refresh Transfers');
    await window.tree('Databases').action('Refresh Databases');
    await until('the databases to be requested', async () => databases() > before || undefined);
  }

  /** Cancels the transfer in the first window and waits until both windows show it as canceled. */
  async function cancelInFirst(): Promise<void> {
    // This server follows a cancellation only while files are being transferred (D13: ignored cancel).
    setStatus('active', 9);
    await shows(first, kbase, 'active, 10 files, 90%');
    await (await first.tree('Transfers').row(/→ /)).action('Cancel Transfer');
    await first.notifications.answer('Cancel Transfer');
    for (const window of [second, first]) {
      await showsFinished(window, '1');
      await (await window.tree('Transfers').row('Finished')).expand();
      await shows(window, kbase, 'canceled');
    }
  }

  it('sees a transfer in the status bar of a window that has not shown the extension', async () => {
    const unused = await person.openWindow();
    assert.deepEqual(await listTransfers(unused), []);
    await submit(first, kbase);
    await unused.statusBar(/^1 transfer · 0\s?%$/);
  });

  it('has one window poll the service, sees each status in both, and cancels in one for both', async () => {
    await beginInFirst();
    for (const moved of [1, 2, 3]) {
      answering.hold();
      await underWay(1);
      for (const window of [first, second]) await refresh(window);
      assert.equal(answering.waitingCount, 1);
      setStatus('active', moved);
      answering.release();
      for (const window of [first, second]) await shows(window, kbase, `active, 10 files, ${moved}0%`);
    }
    await cancelInFirst();
  });

  it('opens a second window during a summary, sees the transfer start only once, and repeats it there', async () => {
    await searchDatabase(first, 'JGI Data Portal', 'JDP:00005');
    await (await first.tree('Search Results').row('“JDP:00005”')).menu('Check All Files');
    await first.pick('Check 10 loaded files; more may exist', /not have been loaded yet/);
    await first.command('Data Transfer: Transfer Checked Files…');
    await fillTransfer(first, kbase);
    second = await openConnected();
    await first.notifications.answer('Transfer');
    for (const window of [first, second]) await shows(window, kbase, 'staging');
    assert.equal(server.requestsTo(submission).length, 1);
    setStatus('succeeded', 10);
    await showsFinished(second, '1');
    await (await second.tree('Transfers').spokenRow(', succeeded, 10 files')).action('Transfer Again…');
    await second.notifications.answer('Transfer');
    await shows(first, kbase, 'staging');
    assert.equal(server.requestsTo(submission).length, 2);
    setStatus('succeeded', 10);
  });

  it('cancels a transfer in one window that the other is about to cancel, and sees no error', async () => {
    await beginInFirst();
    setStatus('active', 9);
    for (const window of [first, second]) await shows(window, kbase, 'active, 10 files, 90%');
    await (await first.tree('Transfers').row(/→ /)).action('Cancel Transfer');
    await first.notifications.dialog();
    await (await second.tree('Transfers').row(/→ /)).action('Cancel Transfer');
    await second.notifications.answer('Cancel Transfer');
    for (const window of [second, first]) await showsFinished(window, '1');
    await first.notifications.answer('Cancel Transfer');
    await shows(first, kbase, 'canceled');
    assert.equal((await first.notifications.all()).filter(({ severity }) => severity === 'error').length, 0);
  });

  it('has the other window poll after the polling window is closed', async () => {
    await beginInFirst();
    answering.hold();
    await underWay(1);
    await first.close();
    // The request of the closed window is never answered, and no window sends two requests in parallel.
    await underWay(2);
    setStatus('active', 9);
    answering.release();
    await shows(second, kbase, 'active, 10 files, 90%');
  });

  it('clears finished transfers in one window, sees them gone in the other, and restores them in both', async () => {
    await beginInFirst();
    await submit(second, nmdc);
    setStatus('succeeded', 10);
    for (const window of [first, second]) await showsFinished(window, '2');
    await first.tree('Transfers').action('Clear Finished Transfers');
    for (const window of [first, second])
      assert.match(await window.tree('Transfers').welcome(), /Your transfers appear here/);
    await first.notifications.press(/^Removed 2 finished transfers/, 'Undo');
    for (const window of [first, second]) await showsFinished(window, '2');
  });
});
