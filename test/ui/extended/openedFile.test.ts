import assert from 'node:assert/strict';
import { savedConnection, type Editor } from '../../support/editor/editor.ts';
import { closeEditors, openEditor } from '../../support/editor/editorPool.ts';
import { saveFailureArtifacts } from '../../support/editor/failureArtifacts.ts';
import { searchDatabase } from '../../support/editor/journeySteps.ts';
import { until } from '../../support/editor/until.ts';
import type { EditorWindow } from '../../support/editor/window.ts';

describe('A user who opens a file without a transfer', () => {
  let editor: Editor;
  let window: EditorWindow;

  beforeEach(async () => {
    editor = await openEditor(savedConnection('http://127.0.0.1:9', 'the-key'));
    window = await editor.openWindow();
    await window.openContainer('Data Transfer');
    await window.command('Data Transfer: Start Local Service');
    await window.tree('Databases').see('Sample Data');
    await searchDatabase(window, 'Sample Data', 'observations-2023');
    await (await window.tree('Search Results').row('observations-2023.csv')).menu('Open Read-Only');
    await window.showTab('observations-2023.csv');
    await seesText();
    await window.command('View: Show Explorer');
  });
  afterEach(async function () {
    if (this.currentTest?.state === 'failed') await saveFailureArtifacts(this.currentTest.title);
    await closeEditors();
  });

  const seesText = async (): Promise<true> =>
    await until('the text of the file', async () =>
      (await window.editorText()).includes('station') ? true : undefined,
    );

  it('sees its text again after a reload, with all views closed', async () => {
    await window.reload();
    await window.showTab('observations-2023.csv');
    await seesText();
    assert.match(await window.editorText(), /station/);
  });
});
