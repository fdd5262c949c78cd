import assert from 'node:assert/strict';
import { EventEmitter, extensions, TabInputWebview, window, type WebviewPanel } from 'vscode';
import { CopyIndex } from '../../src/core/duplicates/copyIndex.ts';
import type { FileEntry, FoundFile } from '../../src/core/model/fileEntry.ts';
import { unaskedFileCount } from '../../src/core/search/searchFlow.ts';
import { SearchStore } from '../../src/core/search/searchStore.ts';
import { TablePanels } from '../../src/extension/features/search/tablePanel.ts';
import type { TableHostMessage, TableIntent, TableSnapshot } from '../../src/webviews/messages/tableMessages.ts';
import { eventually } from '../support/eventually.ts';
import { ManualClock } from '../support/manualClock.ts';
import { MemoryLog } from '../support/memoryLog.ts';
import { SilentPanel } from './silentPanel.ts';
import { fileEntry } from './specimens.ts';
import { extensionId, Stage } from './stage.ts';

/** A panel whose page is the test. */
class TestPanel extends SilentPanel<TableHostMessage, TableIntent> {
  get snapshot(): TableSnapshot {
    const shown = this.posted.flatMap((message) => (message.type === 'rows' ? [] : [message.snapshot]));
    return shown.at(-1) ?? assert.fail('no snapshot');
  }

  /** Returns the names of the rows in the first chunk, of which the checked ones end with a check mark. */
  readRows(): readonly string[] {
    this.send({ type: 'rows', chunk: 0 });
    const rows = this.posted.at(-1);
    assert.ok(rows?.type === 'rows');
    return rows.rows.map(({ cells, isChecked }) => `${String(cells[0])}${isChecked ? ' ✓' : ''}`);
  }
}

describe('The table of a search', () => {
  let store: SearchStore;
  let copies: CopyIndex;
  let panels: TablePanels;
  let panel: TestPanel;
  let log: MemoryLog;
  let ran: unknown[];
  let loaded: string[];
  let isConnected: boolean;
  let clock: ManualClock;
  const connected = new EventEmitter<void>();

  beforeEach(() => {
    const { extensionUri } = extensions.getExtension(extensionId) ?? assert.fail('no extension');
    store = new SearchStore();
    copies = new CopyIndex(store);
    log = new MemoryLog();
    clock = new ManualClock();
    [ran, loaded, isConnected] = [[], [], true];
    panels = new TablePanels({
      extensionUri,
      log,
      run: (...command) => ran.push(command),
      store,
      copies,
      clock,
      isConnected: () => isConnected,
      load: async (key, count) => void loaded.push(`${key} ${count}`),
      onDidConnect: connected.event,
    });
  });
  afterEach(() => panels.dispose());

  const sized = (name: string, sizeBytes?: number): FileEntry =>
    fileEntry(name, { name, ...(sizeBytes !== undefined && { sizeBytes }) });
  const open = (key: string, files: readonly FoundFile[], mayHaveMore = false): void => {
    store.open(key, 'c', { database: 'Alpha', query: key, pageSize: 2 });
    store.update(key, { files, mayHaveMore, isLoading: false });
  };
  const restore = (state: object): TestPanel => {
    const restored = new TestPanel();
    panels.restore(restored as unknown as WebviewPanel, state);
    restored.send({ type: 'ready' });
    return restored;
  };
  const show = (subject?: string): void => {
    panel = restore({ ...(subject !== undefined && { subject }), filter: '', isToggled: false, active: 0 });
  };
  const arrange = (more: Partial<Extract<TableIntent, { type: 'arrange' }>>): void =>
    panel.send({ type: 'arrange', filter: '', isToggled: false, ...more });
  const bySize = { column: 'size', isDescending: true } as const;
  const settle = async (): Promise<void> => {
    await Promise.resolve();
  };
  const keyOf = (id: string): string => JSON.stringify(['c', 'Alpha', id]);

  it('shows name and size, and of the rest what is known', () => {
    open('s', [sized('a.csv', 2), fileEntry('b', { name: 'b.csv', path: 'data/b.csv', format: 'csv' })]);
    show('s');
    assert.equal(panel.title, '“s” in Alpha');
    assert.deepEqual(
      panel.snapshot.columns.map(({ label }) => label),
      ['Name', 'Folder', 'Size', 'Format'],
    );
    panel.send({ type: 'rows', chunk: 0 });
    const rows = panel.posted.at(-1);
    assert.deepEqual(rows?.type === 'rows' && rows.rows.map(({ cells }) => cells), [
      ['a.csv', '', 2, ''],
      ['b.csv', 'data', '', 'csv'],
    ]);
  });

  it('shows what is known only of late rows a little later', async () => {
    const licensed = fileEntry('z', { name: 'z.csv', resource: { licenses: [{ name: 'CC0-1.0' }] } });
    open('s', [...Array.from({ length: 2_500 }, (_, index) => sized(`${index}.csv`, index)), licensed]);
    show('s');
    const hasLicense = (): boolean => panel.snapshot.columns.some(({ label }) => label === 'License');
    const { version } = panel.snapshot;
    assert.equal(hasLicense(), false);
    await eventually(() => Promise.resolve(hasLicense() || undefined));
    assert.ok(panel.snapshot.version > version);
    panel.send({ type: 'rows', chunk: 25 });
    const rows = panel.posted.at(-1);
    assert.deepEqual(rows?.type === 'rows' && rows.rows.map(({ cells }) => cells), [['z.csv', '', 'CC0-1.0']]);
  });

  it('keeps the columns of late rows while a row of the checked files is unchecked', async () => {
    const licensed = fileEntry('z', { name: 'z.csv', resource: { licenses: [{ name: 'CC0-1.0' }] } });
    open('s', [...Array.from({ length: 1_500 }, (_, index) => sized(`${index}`, index)), licensed]);
    store.checkAll('s');
    show();
    const hasLicense = (): boolean => panel.snapshot.columns.some(({ label }) => label === 'License');
    await eventually(() => Promise.resolve(hasLicense() || undefined));
    panel.send({ type: 'check', index: 0, key: keyOf('0'), isChecked: false });
    await settle();
    assert.deepEqual([panel.snapshot.shown, hasLicense()], [1_500, true]);
  });

  it('shows license, people and copies in other databases', async () => {
    const resource = { licenses: [{ name: 'CC0-1.0' }], credit: { contributors: [{ name: 'Ada Lovelace' }] } };
    open('s', [fileEntry('a', { name: 'a.csv', hash: `sha256:${'a'.repeat(64)}`, sizeBytes: 1, resource })]);
    show('s');
    store.open('t', 'c', { database: 'Beta', query: 't', pageSize: 2 });
    store.update('t', {
      files: [fileEntry('b', { database: 'Beta', hash: `sha256:${'a'.repeat(64)}`, sizeBytes: 1 })],
      isLoading: false,
    });
    await settle();
    const columns = panel.snapshot.columns.map(({ label }) => label);
    assert.ok(columns.includes('Also in') && columns.includes('License'), columns.join());
  });

  it('sorts and filters its rows, and sends a hundred at a time', () => {
    open(
      's',
      Array.from({ length: 250 }, (_, index) => sized(`file ${index}`, index)),
    );
    show('s');
    arrange({ sort: bySize, filter: 'FILE 1' });
    assert.deepEqual([panel.snapshot.total, panel.snapshot.shown], [250, 133]);
    assert.deepEqual(panel.readRows().slice(0, 2), ['file 241', 'file 231']);
    assert.equal(panel.readRows().length, 100);
    panel.send({ type: 'rows', chunk: 1 });
    const last = panel.posted.at(-1);
    assert.equal(last?.type === 'rows' && last.rows.at(-1)?.cells[0], 'file 1');
  });

  it('has the same checked files as the search results, both ways', async () => {
    open('s', [sized('a', 1), sized('b', 2)]);
    open('t', [sized('c', 4)]);
    show('s');
    panel.send({ type: 'check', index: 1, key: keyOf('b'), isChecked: true });
    assert.equal(store.isChecked('s', 'b'), true);
    store.setChecked('t', [sized('c', 4)], true);
    store.setChecked('s', [sized('a', 1)], true);
    await settle();
    assert.deepEqual(panel.readRows(), ['a ✓', 'b ✓']);
    assert.equal(panel.snapshot.barText, '3 checked · 7 bytes · 1 in other searches');
    panel.send({ type: 'checkShown', isChecked: false });
    await settle();
    assert.deepEqual([panel.readRows(), store.checked.count], [['a', 'b'], 1]);
  });

  it('says which checked files are not among its rows', async () => {
    open('s', [sized('a', 1)]);
    show('s');
    store.setChecked('s', [sized('b', 2), sized('a', 1)], true);
    await settle();
    assert.equal(panel.snapshot.barText, '2 checked · 3 bytes · 1 checked file no longer in the results');
    store.update('s', { mayHaveMore: true });
    await settle();
    assert.equal(panel.snapshot.barText, '2 checked · 3 bytes · 1 more checked file, not loaded yet');
  });

  it('checks the row that was meant, even if it has moved in the meantime', () => {
    open('s', [sized('a', 1), sized('b', 2)]);
    show('s');
    arrange({ sort: bySize });
    panel.send({ type: 'check', index: 0, key: keyOf('a'), isChecked: true });
    panel.send({ type: 'check', index: 0, key: keyOf('gone'), isChecked: true });
    assert.deepEqual(panel.readRows(), ['b', 'a ✓']);
  });

  it('checks only the rows that are shown', () => {
    open('s', [sized('a', 1), sized('b', 2)]);
    show('s');
    arrange({ filter: 'b' });
    panel.send({ type: 'checkShown', isChecked: true });
    assert.deepEqual([store.isChecked('s', 'a'), store.isChecked('s', 'b')], [false, true]);
  });

  it('shows only checked files on request, and drops those that are unchecked', async () => {
    open('s', [sized('a'), sized('b'), sized('c')]);
    store.setChecked('s', [sized('a'), sized('c')], true);
    show('s');
    arrange({ isToggled: true });
    assert.deepEqual(panel.readRows(), ['a ✓', 'c ✓']);
    panel.send({ type: 'check', index: 0, key: keyOf('a'), isChecked: false });
    await settle();
    assert.deepEqual(panel.readRows(), ['c ✓']);
  });

  it('loads the remaining results once, and adds them at their places', async () => {
    open('s', [sized('a', 1)], true);
    show('s');
    arrange({ sort: bySize });
    assert.deepEqual(loaded, ['s 5000']);
    store.add('s', [sized('b', 2)]);
    store.update('s', { nextOffset: 2 });
    await settle();
    assert.deepEqual(panel.readRows(), ['b', 'a']);
    assert.deepEqual([loaded.length, panel.snapshot.mayHaveMore], [1, true]);
  });

  it('loads no more by itself than the command Load All does before it asks, and offers the rest', () => {
    const files = Array.from({ length: unaskedFileCount }, (_, index) => sized(`${index}`, 1));
    open('s', files, true);
    show('s');
    assert.deepEqual([loaded, panel.snapshot.mayHaveMore], [[], true]);
    panel.send({ type: 'more' });
    assert.deepEqual(ran, [['dataTransfer.loadAll', { kind: 'search', key: 's' }]]);
  });

  it('waits for the connection before it loads more', () => {
    isConnected = false;
    open('s', [sized('a', 1)], true);
    show('s');
    assert.deepEqual(loaded, []);
    isConnected = true;
    connected.fire();
    connected.fire();
    assert.deepEqual(loaded, ['s 5000']);
  });

  it('loads no more after the search was stopped, here or elsewhere, or removed while it was loading', async () => {
    for (const end of [stop, remove]) {
      const key = end.name;
      store.open(key, 'c', { database: 'Alpha', query: key, pageSize: 2 });
      show(key);
      end(key);
      await settle();
      assert.deepEqual([panel.snapshot.isLoading, panel.snapshot.mayHaveMore, loaded], [false, true, []]);
    }
  });

  const stop = (key: string): void => store.update(key, { isLoading: false });
  const remove = (key: string): void => store.restore(store.dismiss([key]));

  it('loads the rest only once, even if the search is removed and restored', async () => {
    open('s', [sized('a')], true);
    show('s');
    const dismissed = store.dismiss(['s']);
    await settle();
    store.restore(dismissed);
    await settle();
    assert.deepEqual([panel.readRows(), loaded], [['a'], ['s 5000']]);
  });

  it('loads the rest when the first page has arrived, and again when the search is repeated', async () => {
    store.open('s', 'c', { database: 'Alpha', query: 's', pageSize: 2 });
    show('s');
    const receive = async (): Promise<void> => {
      store.add('s', [sized('a')]);
      store.update('s', { isLoading: false, lastPage: [sized('a')] });
      await settle();
    };
    await receive();
    store.update('s', { isLoading: true, files: [], lastPage: undefined });
    await receive();
    assert.deepEqual(loaded, ['s 5000', 's 5000']);
  });

  it('requests the files of an earlier session before it loads the rest', async () => {
    open('s', [sized('a')], true);
    store.update('s', { isStale: true });
    show('s');
    assert.deepEqual(loaded, ['s 0']);
    const search = store.get('s') ?? assert.fail('no search');
    store.replace('s', { ...search, lastPage: [sized('b')], files: [sized('b')] });
    await settle();
    assert.deepEqual([panel.readRows(), loaded], [['b'], ['s 0', 's 5000']]);
  });

  it('shows pages that arrive quickly together, and the last one at once', async () => {
    store.open('s', 'c', { database: 'Alpha', query: 's', pageSize: 2 });
    show();
    const checked = panel;
    show('s');
    const receive = async (name: string, isLoading: boolean): Promise<number> => {
      store.add('s', [sized(name)]);
      store.update('s', { isLoading, lastPage: [sized(name)] });
      await settle();
      return panel.posted.length;
    };
    assert.deepEqual([await receive('a', true), await receive('b', true)], [1, 1]);
    await clock.pass(200);
    assert.deepEqual([panel.posted.length, panel.readRows()], [2, ['a', 'b']]);
    await receive('c', true);
    assert.equal(await receive('d', false), 4);
    assert.deepEqual([panel.readRows(), clock.waitingCount], [['a', 'b', 'c', 'd'], 0]);
    assert.equal(checked.posted.length, 1);
  });

  it('says why it shows no rows', async () => {
    open('s', [], true);
    show('s');
    assert.equal(panel.snapshot.emptyText, 'No files are loaded yet.');
    store.update('s', { files: [{ kind: 'unreadable', text: '{}' }], mayHaveMore: false });
    await settle();
    assert.equal(panel.snapshot.emptyText, 'None of the results is readable.');
    store.update('s', { files: [] });
    await settle();
    assert.equal(panel.snapshot.emptyText, 'No files found.');
    store.update('s', { files: [sized('a')] });
    await settle();
    arrange({ isToggled: true });
    assert.equal(panel.snapshot.emptyText, 'No file of this search is checked.');
    arrange({ isToggled: true, filter: 'b' });
    assert.equal(panel.snapshot.emptyText, 'No file matches the filter.');
  });

  it('tells the page which row was checked or opened last', async () => {
    open('s', [sized('a'), sized('b'), sized('c')]);
    show('s');
    panel.send({ type: 'check', index: 2, key: keyOf('c'), isChecked: true });
    await settle();
    assert.equal(panel.snapshot.active, 2);
    panel.send({ type: 'open', index: 1, key: keyOf('b') });
    assert.equal(panel.snapshot.active, 1);
  });

  const readRemarks = (): readonly string[] => panel.snapshot.remarks.map(({ kind, text }) => `${kind}: ${text}`);

  it('says why a search failed, what it leaves out, and that it was removed', async () => {
    open('s', [sized('a'), { kind: 'unreadable', text: '{}' }]);
    show('s');
    assert.deepEqual(readRemarks(), ['warning: 1 unreadable result is only in the search results.']);
    store.update('s', { reason: { kind: 'notConnected' } });
    await settle();
    assert.match(readRemarks()[0] ?? '', /^error: Could not search Alpha: .+\.$/);
    const dismissed = store.dismiss(['s']);
    await settle();
    assert.deepEqual([readRemarks(), panel.snapshot.total], [['error: This search was removed.'], 0]);
    assert.deepEqual([panel.title, panel.snapshot.title], ['“s” in Alpha', '“s” in Alpha']);
    store.restore(dismissed);
    await settle();
    assert.deepEqual(panel.readRows(), ['a']);
  });

  it('offers to retry what failed: to load more, or to repeat a search of an earlier session', async () => {
    isConnected = false;
    open('s', [sized('a')], true);
    show('s');
    for (const change of [{ mayHaveMore: true }, { mayHaveMore: false, isStale: true }]) {
      store.update('s', { reason: { kind: 'notConnected' }, ...change });
      await settle();
      assert.equal(panel.snapshot.canRetry, true);
      panel.send({ type: 'more' });
    }
    const node = { kind: 'search', key: 's' };
    assert.deepEqual(ran, [
      ['dataTransfer.loadAll', node],
      ['dataTransfer.repeatSearch', node],
    ]);
    store.update('s', { reason: undefined });
    await settle();
    assert.equal(panel.snapshot.canRetry, false);
  });

  it('shows names as plain lines', () => {
    open('s', [sized('a\nb\u202egnp.exe'), sized('')]);
    show('s');
    assert.deepEqual(panel.readRows(), ['a bgnp.exe', '(no name)']);
  });

  it('opens the page of a file, and runs the commands of the bar on the checked files or the search', () => {
    open('s', [sized('a'), sized('b')], true);
    show('s');
    panel.send({ type: 'open', index: 1, key: keyOf('b') });
    for (const type of ['cite', 'save', 'stop', 'more'] as const) panel.send({ type });
    store.setChecked('s', [sized('a')], true);
    for (const type of ['transfer', 'cite', 'save'] as const) panel.send({ type });
    const node = { kind: 'search', key: 's' };
    assert.deepEqual(ran, [
      ['dataTransfer.showFileMetadata', { kind: 'file', searchKey: 's', connectionId: 'c', file: sized('b') }],
      ['dataTransfer.cite', node],
      ['dataTransfer.exportRecords', node],
      ['dataTransfer.stopSearch', node],
      ['dataTransfer.loadAll', node],
      ['dataTransfer.transferCheckedFiles'],
      ['dataTransfer.cite', undefined],
      ['dataTransfer.exportRecords', undefined],
    ]);
  });

  it('shows the checked files of all searches, each once, without those that are unchecked', async () => {
    open('s', [sized('a', 1), sized('b', 2)]);
    open('t', [sized('a', 1), sized('c', 4)]);
    store.checkAll('s');
    store.checkAll('t');
    show();
    arrange({ sort: bySize });
    assert.deepEqual([panel.title, panel.readRows()], ['Checked files', ['c ✓', 'b ✓', 'a ✓']]);
    panel.send({ type: 'check', index: 2, key: keyOf('a'), isChecked: false });
    await settle();
    assert.deepEqual([panel.readRows(), store.checked.count], [['c ✓', 'b ✓'], 2]);
    panel.send({ type: 'checkShown', isChecked: false });
    await settle();
    assert.deepEqual([panel.snapshot.shown, panel.snapshot.emptyText], [0, 'No files are checked.']);
  });

  it('is restored with its order and filter, once for each search', () => {
    open('s', [sized('a', 1), sized('b', 2), sized('x', 3)]);
    panel = restore({ subject: 's', sort: bySize, filter: '', isToggled: false, active: 1 });
    assert.deepEqual([panel.readRows(), panel.snapshot.active], [['x', 'b', 'a'], 1]);
    assert.equal(restoreClosed({ subject: 's', filter: '', isToggled: false, active: 0 }), true);
    assert.equal(restoreClosed({ subject: 's' }), true);
    assert.equal(log.lines.length, 2);
    panel.close();
    assert.equal(restoreClosed({ subject: 's', filter: '', isToggled: false, active: 0 }), false);
  });

  const restoreClosed = (state: object): boolean => {
    const restored = new TestPanel();
    panels.restore(restored as unknown as WebviewPanel, state);
    return restored.isClosed;
  };
});

describe('The command Show as Table', () => {
  let stage: Stage;
  beforeEach(async () => {
    stage = await Stage.openConnected();
    await stage.closePages();
  });
  afterEach(async () => {
    await stage.closePages();
    await stage.close();
  });

  it('opens one tab for a search, and loads all of its results', async () => {
    await stage.settings.update('search.pageSize', 25, true);
    const { key } = await stage.search('JGI Data Portal', '');
    await stage.run('dataTransfer.showTable', { kind: 'search', key });
    await stage.run('dataTransfer.showTable');
    const { input } = await stage.tab('All files in JGI Data Portal');
    assert.ok(input instanceof TabInputWebview);
    assert.match(input.viewType, /dataTransfer\.table$/);
    assert.equal(window.tabGroups.all.flatMap(({ tabs }) => tabs).length, 1);
    await stage.searchesUntil(([search]) => search?.files.length === 60 && !search.isLoading);
  });
});
