import assert from 'node:assert/strict';
import type { FileEntry } from '../../../src/core/model/fileEntry.ts';
import { parseTextTable } from '../../../src/core/tables/dataTable.ts';
import { MatchIndex } from '../../../src/core/tables/matchIndex.ts';
import { listLookups, listRowFiles, matchRows, type MatchedTable } from '../../../src/core/tables/rowMatch.ts';
import { countStatuses, formatMatches } from '../../../src/core/tables/tableMatch.ts';
import type { MatchKey } from '../../../src/core/tables/tableColumns.ts';

function file(id: string, more: Partial<FileEntry> = {}): FileEntry {
  return { kind: 'file', id, database: 'Alpha', name: id, resource: {}, ...more };
}

function matchTable(text: string, key: MatchKey, files: readonly FileEntry[], column = 0): MatchedTable {
  const table = parseTextTable(text);
  const selection = { table, columns: [column], hasHeader: true };
  const index = new MatchIndex(key, listLookups(selection));
  for (const one of files) index.add(one);
  return matchRows(selection, index);
}

describe('Matching a table', () => {
  it('adds the files to the original columns, with row numbers', () => {
    const files = [file('1', { path: 'a/b.txt', name: 'b.txt', sizeBytes: 5, hash: 'ff' }), file('9')];
    const matched = matchTable('# lab\nid,note\n1,"x,y"\n\n2\n,\n', 'id', files);
    assert.equal(
      [...formatMatches(matched, ',')].join(''),
      [
        'id,note,row,match,matches,file_id,file_name,file_path,bytes,hash',
        '1,"x,y",3,matched,1,1,b.txt,a/b.txt,5,ff',
        '2,,5,not found,0,,,,,',
        ',,6,no value,0,,,,,',
        '',
      ].join('\r\n'),
    );
    assert.deepEqual(countStatuses(matched), { matched: 1, notFound: 1, empty: 1 });
  });

  it('lists each of several matches, and checks none of them', () => {
    const files = [file('1', { path: 'a/x.csv', name: 'x' }), file('2', { path: 'b/x.csv', name: 'x' }), file('3')];
    const matched = matchTable('name\nx.csv\nb/x.csv\n', 'name', files);
    assert.equal(
      [...formatMatches(matched, '\t')].join(''),
      [
        'name\trow\tmatch\tmatches\tfile_id\tfile_name\tfile_path\tbytes\thash',
        'x.csv\t2\tseveral matches\t2\t1\tx\ta/x.csv\t\t',
        'x.csv\t2\tseveral matches\t2\t2\tx\tb/x.csv\t\t',
        'b/x.csv\t3\tmatched\t1\t2\tx\tb/x.csv\t\t',
        '',
      ].join('\r\n'),
    );
    const unique = matched.rows.filter(({ status }) => status === 'matched');
    const ids = [unique, matched.rows].map((rows) => listRowFiles(rows).map(({ id }) => id));
    assert.deepEqual(ids, [['2'], ['1', '2']]);
  });

  it('lists the files of many rows with the same value, reading each once', () => {
    let reads = 0;
    const files = Array.from({ length: 100 }, (_, at) => file(String(at), { path: `${at}/x.csv`, name: 'x.csv' }));
    const { rows } = matchTable(`name\n${'x.csv\n x.csv\n'.repeat(50)}`, 'name', files);
    for (const [at, one] of files.entries())
      Object.defineProperty(one, 'id', { get: () => ((reads += 1), String(at)) });
    assert.deepEqual([listRowFiles(rows).length, reads], [100, 100]);
  });

  it('compares hashes in any notation', () => {
    const hex = 'ab'.repeat(32);
    const matched = matchTable(`sha\nSHA256:${hex.toUpperCase()}\n ${hex} \n`, 'hash', [file('1', { hash: hex })]);
    assert.equal(countStatuses(matched).matched, 2);
  });

  it('distinguishes values that were not looked up from those that were not found', () => {
    const matched = matchTable('id\n1\n2\n', 'id', []);
    matched.index.setGap('2', { kind: 'failed', reason: { kind: 'timeout' } });
    assert.deepEqual(countStatuses(matchRows(matched, matched.index)), { notFound: 1, failed: 1 });
  });

  it('counts all matches of a value, but lists only the first hundred', () => {
    const files = Array.from({ length: 5_000 }, (_, index) => file(String(index), { name: 'README.md' }));
    const { index } = matchTable('name\nREADME.md\n', 'name', files);
    assert.deepEqual([index.get('README.md')?.count, index.get('README.md')?.files.length], [5_000, 100]);
  });

  it('keeps the names of its columns unique, and writes no formula', () => {
    const matched = matchTable('row,match\n=1+1,@x\n', 'id', []);
    const [header = '', first = ''] = formatMatches(matched, ',');
    assert.match(header, /^row,match,row_matched,match_matched,matches,/);
    assert.match(first, /^'=1\+1,'@x,2,not found,0,/);
  });
});
