import assert from 'node:assert/strict';
import { savedConnection, type Editor } from '../support/editor/editor.ts';
import { closeEditors, openEditor } from '../support/editor/editorPool.ts';
import { saveFailureArtifacts } from '../support/editor/failureArtifacts.ts';
import { searchDatabase } from '../support/editor/journeySteps.ts';
import type { EditorWindow } from '../support/editor/window.ts';
import { publicLike } from '../support/faultPersonality.ts';
import { FaultServer } from '../support/faultServer.ts';

const database = 'JGI Data Portal';

describe('A user who cites data', () => {
  let server: FaultServer;
  let editor: Editor;
  let window: EditorWindow;

  beforeEach(async () => {
    server = await FaultServer.start();
    publicLike(server, 'the-key');
    editor = await openEditor(savedConnection(server.address, 'the-key'));
    window = await editor.openWindow();
    await window.openContainer('Data Transfer');
    await window.tree('Databases').waitFor('databases', (rows) => rows.some(({ label }) => label === database));
  });
  afterEach(async function () {
    if (this.currentTest?.state === 'failed') await saveFailureArtifacts(this.currentTest.title);
    await closeEditors();
    await server.stop();
  });

  it('copies the citation of a file from its row, and a data availability statement of a checked file', async () => {
    const results = window.tree('Search Results');
    await searchDatabase(window, database, 'JDP:00001');
    await (await results.row('JDP:000011.csv')).submenu('Share', 'Cite…');
    await window.pick('BibTeX', /1\/2/);
    await window.pick('Copy', /2\/2/);
    const entry = await window.clipboard((text) => text.startsWith('@dataset{'));
    assert.match(entry, /title = \{\{JDP:000011\.csv \(JGI Data Portal\)\}\}/);
    await (await results.row('JDP:000012.csv')).toggleCheck();
    await window.command('Data Transfer: Copy Data Availability Statement');
    const statement = await window.clipboard((text) => text.startsWith('The data that support'));
    assert.match(statement, /consist of 1 file from JGI Data Portal\. It is available through/);
    assert.match(statement, /^- JDP:000012\.csv \(JGI Data Portal\) \[Data set\]\. \(n\.d\.\)\.$/m);
  });
});
