import assert from 'node:assert/strict';
import { savedConnection } from '../support/editor/editor.ts';
import { closeEditors, openEditor } from '../support/editor/editorPool.ts';
import { saveFailureArtifacts } from '../support/editor/failureArtifacts.ts';
import { holdMessages, prepareHolding } from '../support/editor/heldMessages.ts';
import { publicLike } from '../support/faultPersonality.ts';
import { FaultServer } from '../support/faultServer.ts';

describe('A user who expands a database', function () {
  this.timeout(180_000);
  let server: FaultServer;

  beforeEach(async () => {
    server = await FaultServer.start();
    publicLike(server, 'the-key');
  });
  afterEach(async function () {
    if (this.currentTest?.state === 'failed') await saveFailureArtifacts(this.currentTest.title);
    await closeEditors();
    await server.stop();
  });

  it('sees its search parameters even if they arrive together with the first rows', async () => {
    const editor = await openEditor(savedConnection(server.address, 'the-key'));
    const window = await editor.openWindow({ prepare: prepareHolding });
    await window.openContainer('Data Transfer');
    const tree = window.tree('Databases');
    const database = await tree.row('JGI Data Portal');
    await holdMessages(window.page, '["dataTransfer.databases"');
    await database.expand();
    await tree.see(/^Search parameters: /);
    assert.ok((await tree.rows()).every(({ label }) => label !== 'Loading…'));
  });
});
