import assert from 'node:assert/strict';
import { commands, window, workspace } from 'vscode';
import type { ScriptedTextBox } from '../support/scriptedInputs.ts';
import type { ScriptedNotice } from '../support/scriptedWindow.ts';
import { until } from '../unit/core/rig.ts';
import { fileEntry } from './specimens.ts';
import { Stage } from './stage.ts';

const database = 'JGI Data Portal';
const destination = 'National Microbiome Data Collaborative';

describe('The description of a transfer in an editor', () => {
  let stage: Stage;
  beforeEach(async () => {
    stage = await Stage.openConnected();
    // With this search, the client learns how the service identifies its databases (D7: database name or id).
    await stage.search(database, 'JDP:00000');
    const { searchStore, sessions } = stage.parts;
    searchStore.open('all', sessions.active?.connection.id ?? '', { database, query: '', pageSize: 10 });
    searchStore.update('all', { files: [fileEntry('one', { database })], isLoading: false });
    searchStore.checkAll('all');
  });
  afterEach(async () => {
    await stage.closePages();
    await stage.close();
  });

  /** Starts a transfer and opens the editor for its description. */
  const openEditor = async (): Promise<{ readonly done: Promise<void>; readonly guide: ScriptedNotice }> => {
    const done = stage.run('dataTransfer.transferCheckedFiles');
    (await stage.person.pick()).choose(destination);
    (await stage.person.pick()).choose('Description…');
    (await stage.person.textBox()).press('Write in an Editor with Preview');
    return { done, guide: await stage.person.notice(/^Write the description in Markdown/) };
  };

  /** Types text into the editor and accepts it. Resolves to the input box that shows the text on one line. */
  const accept = async (text: string): Promise<ScriptedTextBox> => {
    // The preview briefly takes the focus when it has loaded.
    await until(window.onDidChangeActiveTextEditor, () => window.activeTextEditor?.document.languageId === 'markdown');
    const editor = window.activeTextEditor;
    assert.ok(editor);
    await editor.edit((change) => change.insert(editor.document.positionAt(0), text));
    await commands.executeCommand('dataTransfer.useDescription');
    return await stage.person.textBox();
  };

  const bodies = (): readonly Record<string, unknown>[] =>
    stage.server.requestsTo('POST /api/v1/transfers').map(({ body }) => JSON.parse(body) as Record<string, unknown>);

  /**
   * Asserts that the drafts and previews are closed. VS Code wouldn't close a tab with unsaved changes without a
   * prompt.
   */
  const assertClosed = (): void => {
    const labels = window.tabGroups.all.flatMap(({ tabs }) => tabs).map(({ label }) => label);
    assert.deepEqual(
      labels.filter((label) => /Untitled|Preview/.test(label)),
      [],
    );
  };

  it('has a preview, and is closed without a prompt', async () => {
    const { done, guide } = await openEditor();
    await stage.tab(/^Untitled-\d+$/);
    const box = await accept('# Why\n\nBecause.');
    assert.equal(box.value, '# Why Because.');
    assertClosed();
    guide.dismiss();
    box.enter();
    (await stage.person.pick()).choose('Continue');
    (await stage.person.notice(/^Transfer 1 file/)).press('Transfer');
    await done;
    assert.equal(bodies()[0]?.['description'], '# Why\n\nBecause.');
  });

  it('is closed, and its transfer is canceled, when a description for another transfer is opened', async () => {
    const first = await openEditor();
    const second = await openEditor();
    await first.done;
    const box = await accept('The second');
    assert.equal(box.value, 'The second');
    assertClosed();
    box.escape();
    await second.done;
    assert.deepEqual(bodies(), []);
  });

  it('leaves other documents with unsaved changes as they are', async () => {
    const { done } = await openEditor();
    const other = await workspace.openTextDocument({ content: 'Unsaved work' });
    await window.showTextDocument(other);
    await commands.executeCommand('dataTransfer.useDescription');
    (await stage.person.textBox()).escape();
    await done;
    assert.equal(other.getText(), 'Unsaved work');
    assert.ok(window.tabGroups.all.some(({ tabs }) => tabs.some(({ isDirty }) => isDirty)));
    await window.showTextDocument(other);
    await commands.executeCommand('workbench.action.revertAndCloseActiveEditor');
  });
});
