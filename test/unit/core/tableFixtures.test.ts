import assert from 'node:assert/strict';
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { readTables } from '../../../src/core/tables/dataTable.ts';

const folder = join(import.meta.dirname, '..', '..', 'fixtures', 'tables');

interface Expected {
  readonly rows: readonly (readonly string[])[];
  readonly doubts?: object;
  readonly longRows?: readonly number[];
}

const fastq = (name: string): string => `${name}.fastq.gz`;

/**
 * The content of each table in the folder according to the program that wrote it: LibreOffice 7.4.7 (`big16`, `date`,
 * `ok`), openpyxl 3.0.9 (`chartsheet`, `iso_time`, `nf`, `padded`, `excelstrictdates`, and `z64`, which Info-ZIP 3.0
 * packed again), XlsxWriter 3.0 (`n19`, `xwchart`), Gnumeric 1.12.55 (`gn11`) and R 4.2.2 (`rtable`). The others have
 * the forms of Excel's CSV with a separator (`sep`), Windows PowerShell 5 (`ids16`), ENA, GDC, Illumina, md5sum
 * (`md5list`), nf-core, BIDS (`participants`), QIIME 2 (`q2`), and TSV without quoting (`unpaired-quote`).
 */
const tables: Readonly<Record<string, Expected>> = {
  'big16.csv': {
    rows: [
      ['file_id', 'size'],
      ['1000000000000001', '5'],
    ],
  },
  'big16.xlsx': {
    rows: [
      ['file_id', 'size'],
      ['1000000000000000', '5'],
    ],
    doubts: { '2/0': { kind: 'rounded' } },
  },
  'n19.xlsx': { rows: [['file_id'], ['1234567890123457024']], doubts: { '2/0': { kind: 'rounded' } } },
  'padded.xlsx': {
    rows: [
      ['file_id', 'n'],
      ['0012', '1'],
    ],
    doubts: { '2/0': { kind: 'padded', other: '12' } },
  },
  'xwchart.xlsx': {
    rows: [
      ['file_id', 'n'],
      ['Lab1.csv', '1'],
      ['Lab2.csv', '2'],
    ],
  },
  'chartsheet.xlsx': {
    rows: [
      ['file_id', 'when', 'n'],
      ['Lab:1', '2021-06-03T10:00:00', '5'],
      ['Lab:2', '2021-06-04T00:00:00', '6'],
    ],
  },
  'iso_time.xlsx': {
    rows: [
      ['file_id', 'when'],
      ['Lab:1', '13:45:00'],
    ],
  },
  'excelstrictdates.xlsx': {
    rows: [
      ['file_id', 'when', 'n'],
      ['Lab:1', '2021-06-03T10:00:00', '5'],
      ['Lab:2', '1899-12-30T13:45:00', '6'],
    ],
  },
  'z64.xlsx': {
    rows: [
      ['file_id', 'when', 'n'],
      ['Lab:1', '2021-06-03T10:00:00', '5'],
      ['Lab:2', '2021-06-04T00:00:00', '6'],
    ],
  },
  'date.csv': {
    rows: [
      ['file_id', 'size'],
      ['2021-06-03', '5'],
    ],
  },
  'date.xlsx': {
    rows: [
      ['file_id', 'size'],
      ['2021-06-03', '5'],
    ],
  },
  'gn11.csv': {
    rows: [
      ['file_id', 'size'],
      ['1.1', '5'],
      ['2', '6'],
    ],
  },
  'gn11.xlsx': {
    rows: [
      ['file_id', 'size'],
      ['1.1', '5'],
      ['2', '6'],
    ],
  },
  'nf.xlsx': {
    rows: [['file_id', 'joined'], ['Lab:1', ''], ['Lab:2']],
    doubts: { '2/1': { kind: 'noValue' } },
  },
  'ok.ods': {
    rows: [
      ['file_id', 'size'],
      ['Lab1.csv', '5'],
      ['Lab2.csv', '6'],
    ],
  },
  'ok.xlsm': {
    rows: [
      ['file_id', 'size'],
      ['Lab1.csv', '5'],
      ['Lab2.csv', '6'],
    ],
  },
  'rtable.tsv': {
    rows: [
      ['', 'file_id', 'size'],
      ['1', 'Lab1.csv', '5'],
      ['2', 'Lab2.csv', '6'],
    ],
  },
  'sep.csv': {
    rows: [
      ['file_id', 'size'],
      ['Lab1.csv', '5'],
      ['Lab2.csv', '6'],
    ],
  },
  'unpaired-quote.tsv': {
    rows: [
      ['file', 'note'],
      [fastq('ERR2223563_1'), '"mutant A'],
      [fastq('ERR2223563_2'), 'ok'],
      [fastq('SRR17001000'), '5" disc'],
      [fastq('SRR17001000_1'), 'x'],
    ],
  },
  'unpaired-quote-2.tsv': {
    rows: [
      ['file_id', 'description'],
      ['Lab1.csv', '"Candidatus'],
      ['1', 'x'],
      ['2', 'y'],
      ['Lab2.csv', '5" disk'],
    ],
  },
  'ids16.txt': { rows: [[fastq('ERR2223563_1')], [fastq('SRR17001000')]] },
  'nfcore.csv': {
    rows: [
      ['sample', 'fastq_1', 'fastq_2', 'strandedness'],
      ['WT_REP1', fastq('s3://lab/reads/ERR2223563_1'), fastq('s3://lab/reads/ERR2223563_2'), 'auto'],
      ['WT_REP2', fastq('/data/run/SRR17001000_1'), fastq('/data/run/SRR17001000_2'), 'auto'],
    ],
  },
  'md5list.tsv': {
    rows: [
      ['7c92cf1eee8d99cc85f8355a3d6e4b86', fastq('ERR2223563_1')],
      ['d279186428a75016b17e4df5ea43d080', fastq('ERR2223563_2')],
    ],
  },
  'participants.tsv': {
    rows: [
      ['participant_id', 'age', 'sex', 'file'],
      ['sub-01', '34', 'M', fastq('ERR2223563_1')],
      ['sub-02', 'n/a', 'F', 'n/a'],
    ],
  },
  'q2.tsv': {
    rows: [
      ['sample-id', 'barcode', 'file'],
      ['s1', 'ACGT', fastq('ERR2223563_1')],
      ['s2', 'ACGA', fastq('SRR17001000')],
    ],
  },
  'illumina.csv': {
    rows: [
      ['Lane', 'Sample_ID', 'Sample_Name', 'index'],
      ['1', 'S1', 'WT_1', 'ACGT'],
      ['1', 'S2', 'WT_2', 'ACGA'],
    ],
  },
};

describe('Reading tables that other programs wrote', () => {
  for (const [name, { rows, doubts = {}, longRows = [] }] of Object.entries(tables)) {
    it(`reads ${name}`, async () => {
      const [table] = await readTables(name, await readFile(join(folder, name)));
      assert.deepEqual(
        table?.rows.map(({ cells }) => cells),
        rows,
      );
      assert.deepEqual([Object.fromEntries(table.doubts), table.longRows], [doubts, longRows]);
    });
  }

  it('has an expectation for every file', async () => {
    const others = (await readdir(folder)).filter((name) => !(name in tables));
    assert.deepEqual(others, ['ena.tsv', 'gdc.tsv', 'ok.xls']);
  });

  it('names the lines of the records in a sample sheet', async () => {
    const [table] = await readTables('illumina.csv', await readFile(join(folder, 'illumina.csv')));
    assert.deepEqual(
      table?.rows.map(({ line }) => line),
      [7, 8, 9],
    );
  });
});
