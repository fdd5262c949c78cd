import assert from 'node:assert/strict';
import type { FileEntry } from '../../../src/core/model/fileEntry.ts';
import { getCellKey, type CellDoubt } from '../../../src/core/tables/cellDoubt.ts';
import { parseTextTable, type DataTable } from '../../../src/core/tables/dataTable.ts';
import { MatchIndex } from '../../../src/core/tables/matchIndex.ts';
import { listCellDoubts, listLookups, matchRows, type RowMatch } from '../../../src/core/tables/rowMatch.ts';
import { describeColumns, guessColumn, listIndexes, type MatchKey } from '../../../src/core/tables/tableColumns.ts';
import { describeDoubts } from '../../../src/core/words/tableSentences.ts';
import { english } from '../../../src/cli/text/sentences.ts';

function toFile(path: string, more: Partial<FileEntry> = {}): FileEntry {
  return { kind: 'file', id: path, database: 'Alpha', name: path.replace(/^.*\//, ''), path, resource: {}, ...more };
}

interface Options {
  readonly columns?: readonly number[];
  readonly doubt?: CellDoubt;
}

function match(
  text: string | DataTable,
  key: MatchKey,
  files: readonly (string | FileEntry)[],
  { columns = [0], doubt }: Options = {},
): readonly RowMatch[] {
  const parsed = typeof text === 'string' ? parseTextTable(text) : text;
  const doubts = new Map(doubt && [[getCellKey(2, columns[0] ?? 0), doubt]]);
  const selection = { table: { ...parsed, doubts }, columns, hasHeader: true };
  const index = new MatchIndex(key, listLookups(selection));
  for (const file of files) index.add(typeof file === 'string' ? toFile(file) : file);
  return matchRows(selection, index).rows;
}

/** Returns the status of each row and the IDs of its files. */
function summarize(rows: readonly RowMatch[]): readonly (readonly string[])[] {
  return rows.map(({ status, isPartial, files }) => [
    isPartial && status === 'matched' ? 'partial' : status,
    ...files.map(({ id }) => id),
  ]);
}

describe('The rows of a table', () => {
  describe('with paths of other places', () => {
    for (const [value, files, expected] of [
      ['s3://lab/reads/x_1.gz', ['x_1.gz', 'x_2.gz'], ['matched', 'x_1.gz']],
      ['s3://lab/reads/x_1.gz', ['x_1.gz', 'reads/x_1.gz', 'a/lab/reads/x_1.gz'], ['matched', 'a/lab/reads/x_1.gz']],
      ['C:\\data\\run\\x_1.gz', ['old/x_1.gz', 'run/x_1.gz'], ['matched', 'run/x_1.gz']],
      ['./run/x_1.gz', ['run/x_1.gz', 'a/run/x_1.gz'], ['several', 'run/x_1.gz', 'a/run/x_1.gz']],
      ['run/x_1.gz', ['run/x_1.gz', 'a/run/x_1.gz'], ['matched', 'run/x_1.gz']],
      ['/data/run/x_1.gz', ['a/x_1.gz', 'b/x_1.gz'], ['several', 'a/x_1.gz', 'b/x_1.gz']],
      ['/data/run/x_1.gz', ['other/x_1.gz'], ['partial', 'other/x_1.gz']],
      ['/data/run/x_1.gz', ['x_2.gz', 'run/x_11.gz'], ['notFound']],
      ['work/../x.fq', ['work/x.fq', 'x.fq'], ['several', 'work/x.fq', 'x.fq']],
      ['file:///data/../x.fq', ['data/x.fq', 'x.fq'], ['several', 'data/x.fq', 'x.fq']],
      ['work/../raw/x.fq', ['work/raw/x.fq', 'raw/x.fq'], ['several', 'work/raw/x.fq', 'raw/x.fq']],
      ['..\\..\\raw\\x.fq', ['work/x.fq', 'raw/x.fq'], ['matched', 'raw/x.fq']],
    ] as const)
      it(`match the longest end that they share: ${value} in ${files.join(', ')}`, () => {
        assert.deepEqual(summarize(match(`path\n${value}\n`, 'name', files)), [expected]);
      });

    it('are in doubt if other rows have the same end', () => {
      const rows = match('path\n/data/WT/x.bam\n/data/KO/x.bam\n', 'name', ['x.bam']);
      assert.deepEqual(summarize(rows), [
        ['several', 'x.bam'],
        ['several', 'x.bam'],
      ]);
      const found = match('path\n/data/WT/x.bam\n/data/KO/x.bam\n', 'name', ['WT/x.bam', 'KO/x.bam']);
      assert.deepEqual(summarize(found), [
        ['matched', 'WT/x.bam'],
        ['matched', 'KO/x.bam'],
      ]);
    });

    it('are not compared if they are too long, and by a limited number of folders', () => {
      const [longest, tooLong] = [10_000, 10_001].map((length) => `${'a/'.repeat(length / 2)}x`.slice(-length));
      const rows = match(`path\n${longest}\n${tooLong}\n x${' '.repeat(10_000)}\n`, 'name', ['x', 'b/x']);
      assert.deepEqual(summarize(rows), [['several', 'x', 'b/x'], ['incomplete'], ['incomplete']]);
      assert.deepEqual(rows[1]?.gaps, [{ kind: 'tooLong' }]);
      const shared = 'b/'.repeat(300);
      assert.deepEqual(summarize(match(`path\nc/${shared}x\n`, 'name', [`d/${shared}x`])), [
        ['partial', `d/${shared}x`],
      ]);
    });

    it('match in linear time if all files and rows have one name', () => {
      const text = Array.from({ length: 20_000 }, (_, at) => `/data/s${at}/reads.gz`).join('\n');
      const files = Array.from({ length: 20_000 }, (_, at) => `s${at}/reads.gz`);
      const rows = match(`path\n${text}\n`, 'name', files);
      assert.equal(rows.filter(({ status, count }) => status === 'matched' && count === 1).length, 20_000);
    });
  });

  describe('with several values', () => {
    it('match the file of each, as in reports of an archive', () => {
      const text = 'fastq_ftp\nftp.org/vol/x_1.gz;ftp.org/vol/x_2.gz\nftp.org/vol/y_1.gz;ftp.org/vol/y_2.gz;\n';
      assert.deepEqual(summarize(match(text, 'name', ['x_1.gz', 'x_2.gz', 'y_1.gz'])), [
        ['matched', 'x_1.gz', 'x_2.gz'],
        ['notFound', 'y_1.gz'],
      ]);
      assert.deepEqual(match(text, 'name', ['x_1.gz'])[1]?.missing, ['ftp.org/vol/y_1.gz', 'ftp.org/vol/y_2.gz']);
    });

    it('match hashes, and an ID that has a semicolon itself', () => {
      const [one, other] = ['a'.repeat(32), 'b'.repeat(32)];
      const files = [toFile('1', { hash: one }), toFile('2', { hash: `md5:${other}` })];
      assert.deepEqual(summarize(match(`md5\n"${one};${other}"\n`, 'hash', files)), [['matched', '1', '2']]);
      assert.deepEqual(summarize(match('id\n"1;2"\n', 'id', ['1', '2', '1;2'])), [['matched', '1;2']]);
    });

    it('match the files of several columns, of which one may be empty', () => {
      const text = 'sample,fastq_1,fastq_2\nA,x_1.gz,x_2.gz\nB,y_1.gz,\nC,,NA\n';
      const { column, key } = guessColumn(describeColumns(parseTextTable(text)));
      assert.deepEqual([column.header, key, listIndexes(column)], ['fastq_1, fastq_2', 'name', [1, 2]]);
      const rows = match(text, key, ['x_1.gz', 'x_2.gz', 'y_1.gz'], { columns: listIndexes(column) });
      assert.deepEqual(summarize(rows), [['matched', 'x_1.gz', 'x_2.gz'], ['matched', 'y_1.gz'], ['empty']]);
    });
  });

  describe('in other spellings', () => {
    const [nfc, nfd] = ['été.csv'.normalize('NFC'), 'été.csv'.normalize('NFD')];
    const mixed = `${nfc.slice(0, 2)}${nfd.slice(-6)}`;

    it('match exactly or else in the other form of Unicode', () => {
      for (const key of ['id', 'name'] as const) {
        assert.deepEqual(summarize(match(`f\n${nfc}\n`, key, [nfd])), [['matched', nfd]]);
        assert.deepEqual(summarize(match(`f\n${nfd}\n`, key, [nfc])), [['matched', nfc]]);
        assert.deepEqual(summarize(match(`f\n${nfd}\n`, key, [nfc, nfd])), [['matched', nfd]]);
        assert.deepEqual(summarize(match(`f\n${mixed}\n`, key, [nfc, nfd])), [['several', nfc, nfd]]);
      }
      assert.deepEqual(summarize(match(`f\n/x/${nfc}/${nfd}\n`, 'name', [`${nfd}/${nfc}`])), [
        ['matched', `${nfd}/${nfc}`],
      ]);
    });

    it('match with outer white space or else without it', () => {
      assert.deepEqual(summarize(match('f\n a.csv\n', 'id', ['a.csv', ' a.csv'])), [['matched', ' a.csv']]);
      assert.deepEqual(summarize(match('f\n a.csv \n', 'id', ['a.csv', ' a.csv'])), [['matched', 'a.csv']]);
    });

    it('are ambiguous if a number exists with and without leading zeros', () => {
      const doubt = { kind: 'padded', other: '12' } as const;
      assert.deepEqual(summarize(match('id\n0012\n', 'id', ['0012', '12'], { doubt })), [['several', '0012', '12']]);
      assert.deepEqual(summarize(match('id\n0012\n', 'id', ['0012'], { doubt })), [['matched', '0012']]);
      assert.deepEqual(summarize(match('id\n0012\n', 'id', ['12'], { doubt })), [['matched', '12']]);
    });
  });

  describe('in doubt', () => {
    for (const [name, text, kind, doubt] of [
      ['a number that may have been rounded', 'id\n1000000000000000\n', 'rounded', { kind: 'rounded' }],
      ['a number in scientific notation', 'id\n1.23457E+15\n', 'rounded', undefined],
      ['a number that is shown with other text', 'id\n12\n', 'formatted', { kind: 'formatted' }],
      ['a formula without a value', 'id,x\n,1\n', 'noValue', { kind: 'noValue' }],
      ['a formula without a value, alone in its row', 'id\n" "\n', 'noValue', { kind: 'noValue' }],
      ['more cells than the header', 'id\n1,2\n3\n', 'longRow', undefined],
      ['quotes around other rows', 'id,x\n1,"a\n3,b"\n', 'joinedRow', undefined],
      ['no value', 'id,x\nn/a,1\n', 'empty', undefined],
    ] as const)
      it(`do not match silently: ${name}`, () => {
        const [row] = match(text, 'id', ['1000000000000000', '1.23457E+15', '1', 'n/a'], doubt ? { doubt } : {});
        assert.equal(row?.status, kind);
        assert.deepEqual([row.doubt?.kind, row.doubt?.line], [kind, 2]);
      });

    it('include the names of columns, or the first row without them, whose quotes enclose other rows', () => {
      const text = 'id,"note\n1,a\n2,5"\n3,x\n';
      assert.deepEqual(summarize(match(text, 'id', ['1', '2', '3'])), [['joinedRow'], ['matched', '3']]);
      const selection = { table: parseTextTable('1,"note\n2,a"\n3,"x\n4,b"\n5,c\n'), columns: [0], hasHeader: false };
      const doubts = listCellDoubts(selection).map(({ kind, line }) => [kind, line]);
      assert.deepEqual(doubts, [
        ['joinedRow', 1],
        ['joinedRow', 3],
      ]);
    });

    it('keep the start and the end of long values, and the number of rows that are not listed', () => {
      const folder = '/data/'.padEnd(200, 'x');
      const lines = Array.from({ length: 5 }, (_, index) => `${folder}/${String(index)}.fastq.gz,more`);
      const table = parseTextTable(`id\n${lines.join('\n')}\n`);
      const doubts = match(table, 'id', []).flatMap(({ doubt }) => doubt ?? []);
      const text = describeDoubts({ l10n: english, toPlainLine: String }, doubts);
      assert.match(
        text,
        /^Rows that are longer than the header: row 2 \(\/data\/x+…x+\/0\.fastq\.gz\), row 3 \(.*\), row 4 \(.*\), … \(2 more\)\.$/,
      );
      assert.deepEqual(new Set(doubts.map(({ value }) => value.length)), new Set([100]));
      const unmatched = listCellDoubts({ table, columns: [0], hasHeader: true });
      assert.deepEqual(
        unmatched.map(({ value }) => value),
        doubts.map(({ value }) => value),
      );
    });

    it('do not include rows without any text', () => {
      const rows = match('id,x\n,\n', 'id', []);
      assert.deepEqual(
        rows.map((row) => row.doubt),
        [undefined],
      );
    });

    it('are not "not found" if files have no hash of the algorithm', () => {
      const [md5, sha] = ['a'.repeat(32), 'b'.repeat(64)];
      const text = `hash\n${md5}\n${sha}\n`;
      const unknown = match(text, 'hash', [toFile('1', { hash: sha }), toFile('2', { hash: sha.replace('b', 'c') })]);
      assert.deepEqual(summarize(unknown), [['noHash'], ['matched', '1']]);
      assert.deepEqual(unknown[0]?.doubt?.gap, { kind: 'noHash', algorithm: 'md5', isAll: true });
      const [, some] = match(text, 'hash', [toFile('1', { hash: md5 }), toFile('2', { hash: sha.replace('b', 'c') })]);
      assert.deepEqual(some?.doubt?.gap, { kind: 'noHash', algorithm: 'sha256', isAll: false });
      const all = match(text, 'hash', [toFile('1', { hash: 'c'.repeat(32) })]);
      assert.equal(all[0]?.status, 'notFound');
    });
  });
});
