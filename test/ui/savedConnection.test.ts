import assert from 'node:assert/strict';
import { countActions, type ActionCounter } from '../support/editor/actions.ts';
import { searchDatabase } from '../support/editor/journeySteps.ts';
import { Keyboard } from '../support/editor/keyboard.ts';
import { SharedWindow } from '../support/editor/sharedWindow.ts';
import { holdMessages, prepareHolding, waitForHeldMessage } from '../support/editor/heldMessages.ts';
import type { TreeView } from '../support/editor/treeView.ts';
import { until } from '../support/editor/until.ts';
import type { EditorWindow } from '../support/editor/window.ts';
import { json } from '../support/faultBehaviors.ts';
import type { FaultServer } from '../support/faultServer.ts';
import { Gate } from '../support/gate.ts';
import { counted } from '../support/tally.ts';

const database = 'JGI Data Portal';
const kbase = 'KBase Workspace Service (KSS)';
const words = /leave empty to list all files/;
const request = 'POST /api/v1/files';
const submission = 'POST /api/v1/transfers';
/** The command that the extension runs to wait until the window has handled all messages. */
const roundTrip = '"noop"';

describe('A user with a saved connection', () => {
  let actions: ActionCounter;
  const shared = new SharedWindow({
    prepare: async (page) => {
      actions = await countActions(page);
      await prepareHolding(page);
    },
  });
  let server: FaultServer;
  let window: EditorWindow;
  let results: TreeView;

  beforeEach(async () => {
    ({ server, window } = await shared.take());
    results = window.tree('Search Results');
  });
  afterEach(async function () {
    await shared.giveBack(this.currentTest);
  });
  after(() => shared.close());

  describe('who searches for the first time', () => {
    let keyboard: Keyboard;

    beforeEach(() => {
      keyboard = new Keyboard(window.page, window.quickInput);
    });

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
        await results.waitFor('files', (rows) => rows.some(({ label }) => label === 'JDP:000010.csv'));
        assert.equal(actions.count, 3);
        assert.ok(server.requestsTo(request).length > 0, 'the search was sent');
        await keyboard.until('ArrowDown', ({ name }) => name.startsWith('JDP:000010.csv'));
        await keyboard.press('Space');
        await results.waitFor('the check', (rows) =>
          rows.some(({ label, isChecked }) => label === 'JDP:000010.csv' && isChecked),
        );
        await keyboard.press('ArrowDown', 'Space');
        await results.waitFor('two checks', (rows) => rows.filter(({ isChecked }) => isChecked).length === 2);
        await isAt('JDP:000011.csv');
        await keyboard.press('Enter');
        await (await window.pageFrame('JDP:000011.csv')).getByText('data/JDP:000011.csv').first().waitFor();
        await keyboard.focusView('Search Results');
        await keyboard.until('Home', ({ name }) => name.startsWith('“JDP:00001”'));
        await keyboard.press('Space');
        await results.waitFor('the collapsed row', ([first]) => first?.isExpanded === false);
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
        await results.waitFor('files', (rows) => rows.some(({ label }) => label === 'JDP:000010.csv'));
        assert.equal(actions.count, 3);
        await (await databases.row('List All Files')).click();
        await results.waitFor(
          'all files',
          ([first]) => first?.label === 'All files' && !first.icon.includes('loading'),
        );
        await window.command('Data Transfer: Search Files with Filters…');
        await window.pick('“JDP:00001”', /1\/3/);
        await results.waitFor('the new search', ([first]) => first?.label === '“JDP:00001”');
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
      await results.waitFor('two rows', (rows) => {
        const roots = rows.filter(({ level }) => level === 1).map(({ label }) => label);
        return /^National[^,]*,2 databases without results$/.test(roots.join());
      });
      assert.ok(await results.hasFocus(), 'the focus moved before the rows were grouped');
      await keyboard.until('ArrowDown', ({ name }) => name.startsWith('2 databases without results'));
      await keyboard.press('ArrowRight');
      await results.see(database);
      await (await results.row('2 databases without results')).action('Remove Search');
      await results.waitFor('the search with results', (rows) => rows.filter(({ level }) => level === 1).length === 1);
    });

    it('keeps the focus in an open menu when the files arrive (D55)', async () => {
      const gate = new Gate();
      server.holdAt(gate, request);
      gate.hold();
      await (await window.tree('Databases').row(database)).click();
      await keyboard.input('JDP:00001', words);
      await isAt('“JDP:00001”');
      await until('the search request to be pending', async () => (gate.waitingCount > 0 ? true : undefined));
      await (await results.row('“JDP:00001”')).openMenu('Remove Search');
      gate.release();
      await results.waitFor('files', (rows) => rows.some(({ label }) => label === 'JDP:000010.csv'));
      assert.equal((await keyboard.focus()).role, 'menuitem');
      await keyboard.press('Enter');
      await results.waitFor('no search', (rows) => rows.length === 0);
    });
  });

  describe('who expands a row', () => {
    it('sees search parameters and files even if they arrive together with the first rows', async () => {
      const gate = new Gate();
      server.holdAt(gate, request);
      await searchDatabase(window, database, 'JDP:000010');
      await results.see('JDP:000010.csv');
      const search = await results.row('“JDP:000010”');
      await search.collapse();
      gate.hold();
      await search.menu('Repeat Search');
      await results.waitFor('the loading row', ([first]) => first?.icon.includes('loading') === true);
      await holdMessages(window.page, '["dataTransfer.searchResults"', roundTrip);
      await search.expand();
      await waitForHeldMessage(window.page, 'Searching…');
      gate.release();
      await results.see('JDP:000010.csv');

      const databases = window.tree('Databases');
      const row = await databases.row(database);
      await holdMessages(window.page, '["dataTransfer.databases"', roundTrip);
      await row.expand();
      await databases.see(/^Search parameters: /);
    });
  });

  describe('who is looking for the next step', () => {
    const searchTen = async (): Promise<void> => {
      await searchDatabase(window, database, 'JDP:00001');
      await results.row('JDP:000012.csv');
    };
    const transferRow = (title: string): Promise<void> =>
      window.tree('Transfers').waitFor(title, (rows) => rows.some(({ spoken }) => spoken.includes(title)));

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
      await transferRow(', staging, 1 file');
      const buttons = await results.buttonNames();
      await (await results.row('JDP:000012.csv')).toggleCheck();
      await (await results.row('JDP:000012.csv')).menu('Transfer to Last Destination');
      await window.notifications.answer('Transfer');
      await until('nothing to be checked', async () => ((await results.description()) === '' ? true : undefined));
      // The buttons follow the description, as Search Files… is hidden while it shows what is checked.
      const names = buttons.join();
      await until(`the buttons ${names}`, async () => (await results.buttonNames()).join() === names || undefined);
      assert.equal(server.requestsTo(submission).length, 2);
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
      await transferRow(', staging, 3 files');
      assert.equal(server.requestsTo(submission).length, 1);
    });

    it('is guided to the next step by a button that has nothing to act on yet', async () => {
      assert.equal(await window.hasCommand('Data Transfer: Find in History…'), false);
      await window.tree('Transfers').action('Transfer Files…');
      const { severity, buttons } = await window.notifications.wait('No files yet. Run a search first.');
      assert.deepEqual([severity, buttons], ['info', ['Search Files…']]);
      await window.notifications.press('No files yet. Run a search first.', 'Search Files…');
      await window.quickInput.wait(/1\/2/);
      await window.quickInput.cancel();
    });
  });

  describe('who cites data', () => {
    it('copies the citation of a file from its row, and a data availability statement of another file', async () => {
      await searchDatabase(window, database, 'JDP:00001');
      await (await results.row('JDP:000011.csv')).submenu('Share', 'Cite…');
      await window.pick('BibTeX', /1\/2/);
      await window.pick('Copy', /2\/2/);
      const entry = await window.clipboard((text) => text.startsWith('@dataset{'));
      assert.match(entry, /title = \{\{JDP:000011\.csv \(JGI Data Portal\)\}\}/);
      await (await results.row('JDP:000012.csv')).submenu('Share', 'Copy Data Availability Statement');
      const statement = await window.clipboard((text) => text.startsWith('The data that support'));
      assert.match(statement, /consist of 1 file from JGI Data Portal\. It is available through/);
      assert.match(statement, /^- JDP:000012\.csv \(JGI Data Portal\) \[Data set\]\. \(n\.d\.\)\.$/m);
    });
  });
});
