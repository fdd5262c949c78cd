import assert from 'node:assert/strict';
import { savedConnection, type Editor } from '../support/editor/editor.ts';
import { closeEditors, openEditor } from '../support/editor/editorPool.ts';
import { saveFailureArtifacts } from '../support/editor/failureArtifacts.ts';
import { finishTransfers, searchDatabase } from '../support/editor/journeySteps.ts';
import type { TreeView } from '../support/editor/treeView.ts';
import { until } from '../support/editor/until.ts';
import type { EditorWindow } from '../support/editor/window.ts';
import { publicLike, type PublicState } from '../support/faultPersonality.ts';
import { FaultServer } from '../support/faultServer.ts';

const kbase = 'KBase Workspace Service (KSS)';
const submission = 'POST /api/v1/transfers';

describe('A user who is looking for the next step', () => {
  let server: FaultServer;
  let service: PublicState;
  let editor: Editor;
  let window: EditorWindow;
  let results: TreeView;

  beforeEach(async () => {
    server = await FaultServer.start();
    service = publicLike(server, 'the-key');
    const settings = { 'dataTransfer.search.pageSize': 20 };
    editor = await openEditor({ settings, ...savedConnection(server.address, 'the-key') });
    window = await editor.openWindow();
    results = window.tree('Search Results');
    await window.openContainer('Data Transfer');
    await window
      .tree('Databases')
      .waitFor('databases', (rows) => rows.some(({ label }) => label === 'JGI Data Portal'));
  });
  afterEach(async function () {
    if (this.currentTest?.state === 'failed') await saveFailureArtifacts(this.currentTest.title);
    await closeEditors();
    await server.stop();
  });

  const searchTen = async (): Promise<void> => {
    await searchDatabase(window, 'JGI Data Portal', 'JDP:00001');
    await results.row('JDP:000012.csv');
  };
  const transferRow = (title: string): Promise<void> =>
    window.tree('Transfers').waitFor(title, (rows) => rows.some(({ label }) => label.startsWith(title)));

  it('transfers selected, unchecked files, and then others to the same destination in two steps', async () => {
    await searchTen();
    await (await results.row('JDP:000011.csv')).click();
    await results.action('Transfer Checked Files…');
    await window.pick(kbase, /1\/2/);
    await window.pick('Continue', /2\/2/);
    const { message, detail } = await window.notifications.dialog();
    assert.equal(message, `Transfer 1 file to ${kbase}?`);
    assert.match(detail, /^File: JDP:000011\.csv$/m);
    await window.notifications.answer('Transfer');
    await transferRow('staging · 1 file to');
    const buttons = await results.buttonNames();
    await (await results.row('JDP:000012.csv')).toggleCheck();
    await (await results.row('JDP:000012.csv')).menu('Transfer to Last Destination');
    await window.notifications.answer('Transfer');
    await until('nothing to be checked', async () => ((await results.description()) === '' ? true : undefined));
    assert.deepEqual(await results.buttonNames(), buttons, 'no button was added or removed');
    assert.equal(server.requestsTo(submission).length, 2);
    finishTransfers(service);
  });

  it('transfers three selected files with a context menu and by pressing Enter three times', async () => {
    await searchTen();
    await (await results.row('JDP:000011.csv')).click();
    await window.pageFrame('JDP:000011.csv');
    await window.page.keyboard.down('Shift');
    await (await results.row('JDP:000013.csv')).click();
    await window.page.keyboard.up('Shift');
    await (await results.row('JDP:000013.csv')).menu('Transfer Files…');
    await window.quickInput.wait(/1\/2/);
    await window.quickInput.accept();
    await window.quickInput.wait(/2\/2/);
    await window.press('Enter');
    assert.match((await window.notifications.dialog()).message, /^Transfer 3 files to /);
    await window.press('Enter');
    await transferRow('staging · 3 files to');
    assert.equal(server.requestsTo(submission).length, 1);
    finishTransfers(service);
  });

  it('is guided to the next step by a command that has nothing to act on yet', async () => {
    await window.command('Data Transfer: Show Transfer Progress');
    const { severity, buttons } = await window.notifications.wait('No transfers yet.');
    assert.deepEqual([severity, buttons], ['info', ['Transfer Files…']]);
    await window.notifications.press('No transfers yet.', 'Transfer Files…');
    await window.notifications.press('No files yet. Run a search first.', 'Search Files…');
    await window.quickInput.wait(/1\/2/);
    await window.quickInput.cancel();
  });
});
