import { savedConnection } from '../support/editor/editor.ts';
import { closeEditors, openEditor } from '../support/editor/editorPool.ts';
import { saveFailureArtifacts } from '../support/editor/failureArtifacts.ts';
import { holdMessages, prepareHolding, waitForHeldMessage } from '../support/editor/heldMessages.ts';
import { searchDatabase } from '../support/editor/journeySteps.ts';
import type { EditorWindow } from '../support/editor/window.ts';
import { publicLike } from '../support/faultPersonality.ts';
import { FaultServer } from '../support/faultServer.ts';
import { Gate } from '../support/gate.ts';

/** The command that the extension runs to wait until the window has handled all messages. */
const roundTrip = '"noop"';

describe('A user who expands a row', () => {
  const gate = new Gate();
  let server: FaultServer;
  let window: EditorWindow;

  beforeEach(async () => {
    server = await FaultServer.start();
    publicLike(server, 'the-key');
    server.holdAt(gate, 'POST /api/v1/files');
    const editor = await openEditor(savedConnection(server.address, 'the-key'));
    window = await editor.openWindow({ prepare: prepareHolding });
    await window.openContainer('Data Transfer');
  });
  afterEach(async function () {
    if (this.currentTest?.state === 'failed') await saveFailureArtifacts(this.currentTest.title);
    gate.release();
    await closeEditors();
    await server.stop();
  });

  it('sees search parameters and files even if they arrive together with the first rows', async () => {
    const results = window.tree('Search Results');
    await searchDatabase(window, 'JGI Data Portal', 'JDP:000010');
    await results.see('JDP:000010.csv');
    const search = await results.row('“JDP:000010”');
    await search.collapse();
    gate.hold();
    await search.action('Repeat Search');
    await results.waitFor('the loading row', ([first]) => first?.icon.includes('loading') === true);
    await holdMessages(window.page, '["dataTransfer.searchResults"', roundTrip);
    await search.expand();
    await waitForHeldMessage(window.page, 'Searching…');
    gate.release();
    await results.see('JDP:000010.csv');

    const databases = window.tree('Databases');
    const database = await databases.row('JGI Data Portal');
    await holdMessages(window.page, '["dataTransfer.databases"', roundTrip);
    await database.expand();
    await databases.see(/^Search parameters: /);
  });
});
