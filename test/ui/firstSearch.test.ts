import assert from 'node:assert/strict';
import { countActions, type ActionCounter } from '../support/editor/actions.ts';
import { savedConnection, type Editor } from '../support/editor/editor.ts';
import { closeEditors, openEditor } from '../support/editor/editorPool.ts';
import { saveFailureArtifacts } from '../support/editor/failureArtifacts.ts';
import { Keyboard } from '../support/editor/keyboard.ts';
import { until } from '../support/editor/until.ts';
import type { EditorWindow } from '../support/editor/window.ts';
import { json } from '../support/faultBehaviors.ts';
import { publicLike } from '../support/faultPersonality.ts';
import { FaultServer } from '../support/faultServer.ts';
import { Gate } from '../support/gate.ts';
import { counted } from '../support/tally.ts';

const database = 'JGI Data Portal';
const words = /leave empty to list all files/;
const request = 'POST /api/v1/files';

describe('A user who searches for the first time', () => {
  let server: FaultServer;
  let editor: Editor;
  let window: EditorWindow;
  let keyboard: Keyboard;
  let actions: ActionCounter;

  beforeEach(async () => {
    server = await FaultServer.start();
    publicLike(server, 'the-key');
    editor = await openEditor(savedConnection(server.address, 'the-key'));
    window = await editor.openWindow({
      prepare: async (page) => {
        actions = await countActions(page);
      },
    });
    keyboard = new Keyboard(window.page, window.quickInput);
    await window.openContainer('Data Transfer');
    await window.tree('Databases').waitFor('databases', (rows) => rows.some(({ label }) => label === database));
  });
  afterEach(async function () {
    if (this.currentTest?.state === 'failed') await saveFailureArtifacts(this.currentTest.title);
    await closeEditors();
    await server.stop();
  });

  const results = (): ReturnType<EditorWindow['tree']> => window.tree('Search Results');

  async function isAt(name: string): Promise<void> {
    await until(`the focus on ${name}`, async () => {
      const focus = await keyboard.focus();
      return (focus.role === 'treeitem' && focus.name.startsWith(name)) || undefined;
    });
  }

  counted(
    it('needs three actions with the keyboard, then checks files with Space and opens one with Enter (D55)', async () => {
      await keyboard.focusView('Databases');
      await keyboard.until('ArrowDown', ({ role, name }) => role === 'treeitem' && name.startsWith(database));
      actions.restart();
      await keyboard.press('Enter');
      await keyboard.input('JDP:00001', words);
      await isAt('“JDP:00001”');
      await results().waitFor('files', (rows) => rows.some(({ label }) => label === 'JDP:000010.csv'));
      assert.equal(actions.count, 3);
      assert.ok(server.requestsTo(request).length > 0, 'the search was sent');
      await keyboard.until('ArrowDown', ({ name }) => name.startsWith('JDP:000010.csv'));
      await keyboard.press('Space');
      await results().waitFor('the check', (rows) =>
        rows.some(({ label, isChecked }) => label === 'JDP:000010.csv' && isChecked),
      );
      await keyboard.press('ArrowDown', 'Space');
      await results().waitFor('two checks', (rows) => rows.filter(({ isChecked }) => isChecked).length === 2);
      await isAt('JDP:000011.csv');
      await keyboard.press('Enter');
      await (await window.pageFrame('JDP:000011.csv')).getByText('data/JDP:000011.csv').first().waitFor();
      await keyboard.focusView('Search Results');
      await keyboard.until('Home', ({ name }) => name.startsWith('“JDP:00001”'));
      await keyboard.press('Space');
      await results().waitFor('the collapsed row', ([first]) => first?.isExpanded === false);
    }),
    { kind: 'actions', runs: 1, actions: { 'first search': 3 } },
  );

  counted(
    it('needs three actions with the mouse, and sees the contents of the database', async () => {
      const databases = window.tree('Databases');
      const row = await databases.row(database);
      actions.restart();
      await row.click();
      await keyboard.input('JDP:00001', words);
      await results().waitFor('files', (rows) => rows.some(({ label }) => label === 'JDP:000010.csv'));
      assert.equal(actions.count, 3);
      await (await databases.row('List All Files')).click();
      await results().waitFor(
        'all files',
        ([first]) => first?.label === 'All files' && !first.icon.includes('loading'),
      );
      await window.command('Data Transfer: Search Files with Filters…');
      await window.pick('“JDP:00001”', /1\/3/);
      await results().waitFor('the new search', ([first]) => first?.label === '“JDP:00001”');
    }),
    { kind: 'actions', runs: 1, actions: { 'first search': 3 } },
  );

  it('sees one row for the databases without results, reaches it with the arrow keys, and removes it (D55)', async () => {
    server.on(request, async (received, response) => {
      const isLast = /"database":"(?:nmdc|National)/.test(received.body);
      await json({ resources: isLast ? [{ id: 'nmdc:1', name: 'corn.csv' }] : [] })(received, response);
    });
    await keyboard.command('Data Transfer: Search All Databases…');
    await keyboard.input('corn', words);
    await results().waitFor('two rows', (rows) => {
      const roots = rows.filter(({ level }) => level === 1).map(({ label }) => label);
      return roots.join() === '“corn”,2 databases without results';
    });
    assert.ok(await results().hasFocus(), 'the focus moved before the rows were grouped');
    await keyboard.until('ArrowDown', ({ name }) => name.startsWith('2 databases without results'));
    await keyboard.press('ArrowRight');
    await results().see(database);
    await (await results().row('2 databases without results')).action('Remove Search');
    await results().waitFor('the search with results', (rows) => rows.filter(({ level }) => level === 1).length === 1);
  });

  it('keeps the focus in an open menu when the files arrive (D55)', async () => {
    const gate = new Gate();
    server.holdAt(gate, request);
    gate.hold();
    await (await window.tree('Databases').row(database)).click();
    await keyboard.input('JDP:00001', words);
    await isAt('“JDP:00001”');
    await until('the search request to be pending', async () => (gate.waitingCount > 0 ? true : undefined));
    await (await results().row('“JDP:00001”')).openMenu('Remove Search');
    gate.release();
    await results().waitFor('files', (rows) => rows.some(({ label }) => label === 'JDP:000010.csv'));
    assert.equal((await keyboard.focus()).role, 'menuitem');
    await keyboard.press('Enter');
    await results().waitFor('no search', (rows) => rows.length === 0);
  });
});
