import assert from 'node:assert/strict';
import { countActions, type ActionCounter } from '../../support/editor/actions.ts';
import { savedConnection, type Editor } from '../../support/editor/editor.ts';
import { closeEditors, openEditor } from '../../support/editor/editorPool.ts';
import { saveFailureArtifacts } from '../../support/editor/failureArtifacts.ts';
import { finishTransfers, searchDatabase, sendTransfer } from '../../support/editor/journeySteps.ts';
import { Keyboard } from '../../support/editor/keyboard.ts';
import { until } from '../../support/editor/until.ts';
import type { EditorWindow } from '../../support/editor/window.ts';
import { publicLike, type PublicState } from '../../support/faultPersonality.ts';
import { FaultServer } from '../../support/faultServer.ts';
import { counted } from '../../support/tally.ts';

const kbase = 'KBase Workspace Service (KSS)';
const files = ['JDP:000011.csv', 'JDP:000012.csv', 'JDP:000013.csv'];

describe('The number of actions', () => {
  let server: FaultServer;
  let service: PublicState;
  let editor: Editor;
  let window: EditorWindow;
  let keyboard: Keyboard;
  let actions: ActionCounter;

  beforeEach(async () => {
    server = await FaultServer.start();
    service = publicLike(server, 'the-key');
    editor = await openEditor(savedConnection(server.address, 'the-key'));
    window = await editor.openWindow({
      prepare: async (page) => {
        actions = await countActions(page);
      },
    });
    keyboard = new Keyboard(window.page, window.quickInput);
    await window.openContainer('Data Transfer');
    await window
      .tree('Databases')
      .waitFor('databases', (rows) => rows.some(({ label }) => label === 'JGI Data Portal'));
    await searchDatabase(window, 'JGI Data Portal', 'JDP:00001');
    await results().row('JDP:000010.csv');
  });
  afterEach(async function () {
    if (this.currentTest?.state === 'failed') await saveFailureArtifacts(this.currentTest.title);
    await closeEditors();
    await server.stop();
  });

  const results = (): ReturnType<EditorWindow['tree']> => window.tree('Search Results');
  const transfers = (): ReturnType<EditorWindow['tree']> => window.tree('Transfers');

  async function waitForSelection(labels: readonly string[]): Promise<void> {
    await results().waitFor(`${labels.length} selected rows`, (rows) => {
      const selected = rows.filter(({ isSelected }) => isSelected).map(({ label }) => label);
      return selected.join() === labels.join();
    });
  }

  /** Selects the three files with Shift and the arrow keys. */
  async function selectByKeys(): Promise<void> {
    await keyboard.focusView('Search Results');
    await keyboard.press('Home');
    await keyboard.until('ArrowDown', ({ name }) => name.startsWith('JDP:000011.csv'));
    for (const count of [2, 3]) {
      await keyboard.press('Shift+ArrowDown');
      await waitForSelection(files.slice(0, count));
    }
  }

  async function selectByMouse(): Promise<void> {
    await (await results().row('JDP:000011.csv')).click();
    await window.pageFrame('JDP:000011.csv');
    await window.page.keyboard.down('Shift');
    await (await results().row('JDP:000013.csv')).click();
    await window.page.keyboard.up('Shift');
    await waitForSelection(files);
  }

  /** Waits until the server has received `count` submissions or cancels. */
  async function waitForRequests(method: 'POST' | 'DELETE', count: number): Promise<void> {
    const isOne = (request: FaultServer['requests'][number]): boolean =>
      request.method === method && request.url.startsWith('/api/v1/transfers');
    await until(`${count} ${method}`, () =>
      Promise.resolve(server.requests.filter(isOne).length === count || undefined),
    );
  }

  async function waitForTransfer(title: string): Promise<void> {
    await transfers().waitFor(title, (rows) => rows.some(({ spoken }) => spoken.includes(title)));
  }

  async function startTransfer(): Promise<void> {
    await selectByKeys();
    await results().action('Transfer Checked Files…');
    await sendTransfer(window, kbase);
    await waitForTransfer(', staging, 3 files');
  }

  async function finishTransfer(): Promise<void> {
    await startTransfer();
    finishTransfers(service);
    await waitForTransfer(', succeeded, 3 files');
    await window.notifications.clear();
  }

  /** Moves the focus to the row of a transfer, without the mouse. */
  async function toTransfer(title: string): Promise<void> {
    await keyboard.focusView('Transfers');
    await keyboard.until('ArrowDown', ({ role, name }) => role === 'treeitem' && name.includes(title));
  }

  /** Asserts that four actions have put the citation of the three files on the clipboard. */
  async function expectCitation(): Promise<void> {
    const text = await window.clipboard((copied) => copied.startsWith('@dataset{'));
    assert.match(text, /title = \{\{JDP:000011\.csv and 2 more files \(JGI Data Portal\)\}\}/);
    assert.equal(actions.count, 4);
  }

  async function confirmByKeys(message: RegExp, button: string): Promise<void> {
    assert.match((await window.notifications.dialog()).message, message);
    assert.equal((await keyboard.focus()).name, button);
    await keyboard.press('Enter');
  }

  counted(
    it('is four by mouse for the transfer of three selected files', async () => {
      await selectByMouse();
      actions.restart();
      await results().action('Transfer Checked Files…');
      await sendTransfer(window, kbase);
      await waitForRequests('POST', 1);
      assert.equal(actions.count, 4);
      await waitForTransfer(', staging, 3 files');
      finishTransfers(service);
    }),
    { kind: 'actions', runs: 1, actions: { 'transfer of three files': 4 } },
  );

  counted(
    it('is four by keyboard for the transfer of three selected files', async () => {
      await selectByKeys();
      actions.restart();
      await keyboard.press('Control+Enter');
      await keyboard.pick(kbase, /1\/2/);
      await keyboard.pick('Continue', /2\/2/);
      await confirmByKeys(/^Transfer 3 files to /, 'Transfer');
      await waitForRequests('POST', 1);
      assert.equal(actions.count, 4);
      await waitForTransfer(', staging, 3 files');
      finishTransfers(service);
    }),
    { kind: 'actions', runs: 1, actions: { 'transfer of three files': 4 } },
  );

  counted(
    it('is two by mouse for a cancel', async () => {
      await startTransfer();
      actions.restart();
      await (await transfers().spokenRow(', staging, 3 files')).action('Cancel Transfer');
      await window.notifications.answer('Cancel Transfer');
      await waitForRequests('DELETE', 1);
      assert.equal(actions.count, 2);
      finishTransfers(service);
    }),
    { kind: 'actions', runs: 1, actions: { cancel: 2 } },
  );

  it('is two by mouse for a cancel on the page of the transfer', async () => {
    await startTransfer();
    await (await transfers().spokenRow(', staging, 3 files')).click();
    const page = await window.pageFrame(`Transfer to ${kbase}`);
    actions.restart();
    await page.getByRole('button', { name: 'Cancel Transfer' }).click();
    await window.notifications.dialog();
    assert.equal(actions.count, 1);
    await window.notifications.answer('Cancel Transfer');
    await waitForRequests('DELETE', 1);
    assert.equal(actions.count, 2);
    finishTransfers(service);
  });

  counted(
    it('is two by mouse for repeating a transfer', async () => {
      await finishTransfer();
      actions.restart();
      await (await transfers().spokenRow(', succeeded, 3 files')).action('Transfer Again…');
      await window.notifications.answer('Transfer');
      await waitForRequests('POST', 2);
      assert.equal(actions.count, 2);
      finishTransfers(service);
    }),
    { kind: 'actions', runs: 1, actions: { 'transfer again': 2 } },
  );

  counted(
    it('is two by keyboard for a cancel', async () => {
      await startTransfer();
      await toTransfer(', staging, 3 files');
      actions.restart();
      await keyboard.press('Delete');
      await confirmByKeys(/^Cancel the transfer of 3 files/, 'Cancel Transfer');
      await waitForRequests('DELETE', 1);
      assert.equal(actions.count, 2);
      finishTransfers(service);
    }),
    { kind: 'actions', runs: 1, actions: { cancel: 2 } },
  );

  counted(
    it('is two by keyboard for repeating a transfer', async () => {
      await finishTransfer();
      await toTransfer(', succeeded, 3 files');
      actions.restart();
      await keyboard.press('Control+Enter');
      await confirmByKeys(/^Transfer 3 files to /, 'Transfer');
      await waitForRequests('POST', 2);
      assert.equal(actions.count, 2);
      finishTransfers(service);
    }),
    { kind: 'actions', runs: 1, actions: { 'transfer again': 2 } },
  );

  counted(
    it('is four by mouse for the citation of transferred files', async () => {
      await finishTransfer();
      actions.restart();
      await (await transfers().spokenRow(', succeeded, 3 files')).click();
      const page = await window.pageFrame(`Transfer to ${kbase}`);
      await page.getByRole('button', { name: 'Cite…' }).click();
      await window.pick('BibTeX', /1\/2/);
      await window.pick('Copy', /2\/2/);
      await expectCitation();
    }),
    { kind: 'actions', runs: 1, actions: { 'cite my files': 4 } },
  );

  counted(
    it('is four by keyboard for the citation of transferred files', async () => {
      await finishTransfer();
      await toTransfer(', succeeded, 3 files');
      actions.restart();
      await keyboard.submenu('Share', 'Cite…');
      await keyboard.pick('BibTeX', /1\/2/);
      await keyboard.pick('Copy', /2\/2/);
      await expectCitation();
    }),
    { kind: 'actions', runs: 1, actions: { 'cite my files': 4 } },
  );

  it('leaves the selected files selected after their transfer', async () => {
    await startTransfer();
    await waitForSelection(files);
    finishTransfers(service);
    await waitForTransfer(', succeeded, 3 files');
    await waitForSelection(files);
  });

  it('does not include opening files while rows are selected with Shift and an arrow key', async () => {
    await selectByKeys();
    assert.equal((await keyboard.focus()).name.startsWith('JDP:000013.csv'), true);
    await keyboard.press('Shift+ArrowUp', 'Shift+ArrowUp');
    await waitForSelection(files.slice(0, 1));
    assert.deepEqual(await window.tabs(), []);
    await keyboard.press('Enter');
    await window.pageFrame('JDP:000011.csv');
    assert.deepEqual(
      (await window.tabs()).map(({ label }) => label),
      ['JDP:000011.csv'],
    );
  });
});
