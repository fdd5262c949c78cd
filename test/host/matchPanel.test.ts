import assert from 'node:assert/strict';
import { extensions, Uri } from 'vscode';
import type { FileEntry } from '../../src/core/model/fileEntry.ts';
import { SearchStore } from '../../src/core/search/searchStore.ts';
import { parseTextTable } from '../../src/core/tables/dataTable.ts';
import { MatchIndex } from '../../src/core/tables/matchIndex.ts';
import { listLookups, matchRows } from '../../src/core/tables/rowMatch.ts';
import { Notifications } from '../../src/extension/editor/notifications.ts';
import { MatchPanels, MatchSource } from '../../src/extension/features/search/matchPanel.ts';
import type { TableHostMessage, TableIntent } from '../../src/webviews/messages/tableMessages.ts';
import { MemoryLog } from '../support/memoryLog.ts';
import { SilentPanel } from './silentPanel.ts';
import { assertPlain, fileEntry, hostileTexts } from './specimens.ts';
import { extensionId } from './stage.ts';

const view = { filter: '', isToggled: false, active: 0 };

describe('The table of a match', () => {
  const createServices = () => {
    const { extensionUri } = extensions.getExtension(extensionId) ?? assert.fail('no extension');
    const notifications = new Notifications((_, error) => assert.fail(String(error)));
    return { extensionUri, log: new MemoryLog(), notifications, store: new SearchStore(), run: () => undefined };
  };
  const createSource = (text: string, files: readonly FileEntry[]) => {
    const services = createServices();
    const selection = { table: parseTextTable(text), columns: [0], hasHeader: true };
    const index = new MatchIndex('id', listLookups(selection));
    for (const file of files) index.add(file);
    services.store.open('s', 'c', { database: 'Alpha', query: '', pageSize: 10 });
    services.store.add('s', files);
    const matched = matchRows(selection, index);
    const facts = { searchKey: 's', connectionId: 'c', summary: 'Summary.', kind: 'info', remarks: [] } as const;
    const source = new MatchSource(services, Object.assign({ file: Uri.file('/study.csv'), matched }, facts));
    source.rows.add(source.takeRows());
    return { source, store: services.store };
  };
  const read = ({ rows }: MatchSource) =>
    rows.shown.map((row) => rows.shownColumns.map((column) => column.read(row) ?? ''));

  it('has the rows with their results and files, and checks the files of the search', () => {
    const { source, store } = createSource('id,site\n1,Nile\n2,Congo\n', [fileEntry('1', { sizeBytes: 5 })]);
    assert.deepEqual(read(source), [
      ['1', 'Matched', '1.csv', '1', 5, 'Nile'],
      ['2', 'Not found', '', '', '', 'Congo'],
    ]);
    assert.deepEqual(
      source.rows.shown.map((row) => source.isChecked(row)),
      [false, undefined],
    );
    source.check(source.rows.shown, true);
    assert.equal(store.isChecked('s', '1'), true);
    source.rows.arrange({ filter: 'not found' });
    assert.deepEqual(
      read(source).map(([id]) => id),
      ['2'],
    );
    source.dispose();
  });

  it('shows 100,000 rows, and says that it leaves out columns', () => {
    const cells = ',x'.repeat(30);
    const { source } = createSource(`id${cells}\n${`1${cells}\n`.repeat(100_000)}`, [fileEntry('1')]);
    assert.equal(source.rows.count, 100_000);
    const { remarks } = source.describe(view);
    assert.match(remarks.at(-1)?.text ?? '', /^The table is too large to show all of it\./);
    source.dispose();
  });

  it('shows hostile text as plain text', () => {
    for (const text of Object.values(hostileTexts)) {
      const quoted = `"${text.replaceAll('"', '""')}"`;
      const { source } = createSource(`id,${quoted}\n1,${quoted}\n`, [fileEntry('1', { name: text, path: text })]);
      for (const cell of read(source).flat()) assertPlain(String(cell), 'a cell');
      for (const { label } of source.rows.shownColumns) assertPlain(label, 'a column');
      source.dispose();
    }
  });

  it('says after a reload that the result is gone', () => {
    const panels = new MatchPanels(createServices());
    const panel = new SilentPanel<TableHostMessage, TableIntent>();
    panels.restore(panel.panel, Object.assign({ subject: 'gone' }, view));
    panel.send({ type: 'ready' });
    const [start] = panel.posted.flatMap((message) => (message.type === 'start' ? [message.snapshot] : []));
    assert.match(start?.remarks[0]?.text ?? '', /^This result is no longer available\./);
    panels.dispose();
  });
});
