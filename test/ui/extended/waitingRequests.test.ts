import assert from 'node:assert/strict';
import type { Editor } from '../../support/editor/editor.ts';
import { closeEditors, openEditor } from '../../support/editor/editorPool.ts';
import { saveFailureArtifacts } from '../../support/editor/failureArtifacts.ts';
import type { EditorWindow } from '../../support/editor/window.ts';
import { publicLike } from '../../support/faultPersonality.ts';
import { FaultServer } from '../../support/faultServer.ts';
import { Gate } from '../../support/gate.ts';

const kbase = 'KBase Workspace Service (KSS)';
const orcid = '0000-0002-1825-0097';

describe('A request that waits for a submission to the same server (D34)', () => {
  const creating = new Gate();
  let server: FaultServer;
  let service: ReturnType<typeof publicLike>;
  let editor: Editor;
  let window: EditorWindow;

  before(async () => {
    server = await FaultServer.start();
    service = publicLike(server, 'the-key');
    server.holdAt(creating, 'POST /api/v1/transfers');
    editor = await openEditor();
    window = await editor.openWindow();
  });
  after(async () => {
    creating.release();
    await closeEditors();
    await server.stop();
  });
  afterEach(async function () {
    if (this.currentTest?.state === 'failed') await saveFailureArtifacts(this.currentTest.title);
  });

  const received = (route: string): number => server.requestsTo(route).length;

  const submit = async (): Promise<void> => {
    const results = window.tree('Search Results');
    await results.waitFor('nothing checked', (rows) => rows.every(({ isChecked }) => isChecked !== true));
    await (await results.row('JDP:000050.csv')).toggleCheck();
    await results.action('Transfer Checked Files…');
    await window.quickInput.pick(kbase, /1\/2/);
    await window.quickInput.pick('Continue', /2\/2/);
    await window.notifications.answer('Transfer');
  };

  it('is shown with the risk of sending it now, and is sent when the user confirms', async () => {
    await window.openContainer('Data Transfer');
    await window.command('Data Transfer: Connect to a Service…');
    await window.quickInput.input(server.address, /1\/3/);
    await window.quickInput.input('the-key', /2\/3/);
    await window.quickInput.input(orcid, /3\/3/);
    await (await window.tree('Databases').row('JGI Data Portal')).click();
    await window.quickInput.input('JDP:000050', /leave empty to list all files/);
    await submit();
    const transfers = window.tree('Transfers');
    await transfers.waitFor('staging', (rows) => rows.some(({ spoken }) => spoken.includes(', staging, ')));
    for (const transfer of service.transfers.values()) transfer.status = 'active';
    creating.hold();
    await submit();
    await transfers.waitFor('submitting', (rows) => rows.some(({ spoken }) => spoken.includes(', submitting, ')));
    await window.command('Data Transfer: Cancel Transfer');
    await window.quickInput.pick(`1 file to ${kbase}`, 'Select the transfer to cancel');
    await window.notifications.answer('Cancel Transfer');
    const waiting = /Waiting for a submission to this server to finish\./;
    assert.match((await window.notifications.wait(waiting)).text, /^Cancel the transfer of 1 file to /);
    assert.equal(received('DELETE /api/v1/transfers/*'), 0);
    await window.notifications.followLink(waiting, 'Send Now…');
    const { message, detail } = await window.notifications.dialog();
    assert.match(message, /^Send this request now\? \(Cancel the transfer of 1 file to /);
    assert.match(detail, /it to mix up responses or stop responding for all users\.$/);
    await window.notifications.answer('Send Now');
    await transfers.waitFor('cancelled', (rows) => rows.some(({ spoken }) => /, cancel(?:ing|ed), /.test(spoken)));
    assert.equal(received('DELETE /api/v1/transfers/*'), 1);
    assert.equal(service.transfers.size, 1);
    creating.release();
  });
});
