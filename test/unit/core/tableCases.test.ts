import assert from 'node:assert/strict';
import { cp, mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { formatPlan, describeObstacle } from '../../../src/cli/recipes/planText.ts';
import { tableWording } from '../../../src/cli/text/sentences.ts';
import { localServiceName } from '../../../src/contract/contract.ts';
import { findObstacle } from '../../../src/core/recipes/planRecipe.ts';
import type { Recipe } from '../../../src/core/recipes/recipeSchema.ts';
import { submitRun } from '../../../src/core/search/recipeRun.ts';
import type { TransferOrder } from '../../../src/core/model/transferModel.ts';
import { readTables } from '../../../src/core/tables/dataTable.ts';
import { TableError } from '../../../src/core/tables/tableError.ts';
import { listLookups, matchRows } from '../../../src/core/tables/rowMatch.ts';
import {
  describeColumns,
  detectHeader,
  guessColumn,
  guessKey,
  listIndexes,
} from '../../../src/core/tables/tableColumns.ts';
import { countStatuses } from '../../../src/core/tables/tableMatch.ts';
import { describeTableError } from '../../../src/core/words/tableSentences.ts';
import { chooseBehavior, json } from '../../support/faultBehaviors.ts';
import { repositoryRoot } from '../../support/editor/places.ts';
import { Rig } from './rig.ts';

const paths = [
  ...['Lab1.csv', 'Lab2.csv', 'Lab:1', 'Lab:2', '1', '2', '12', '0012', '1.1', '2021-06-03', 'S1', 'S2', 'n/a'],
  ...['1000000000000000', '1000000000000001', '1234567890123457000', '1234567890123457024'],
  ...['reads/ERR2223563_1.fastq.gz', 'reads/ERR2223563_2.fastq.gz'],
  ...['run/SRR17001000.fastq.gz', 'run/SRR17001000_1.fastq.gz', 'run/SRR17001000_2.fastq.gz'],
];
const resources = paths.map((path) => ({ id: path, path, hash: 'f'.repeat(64) }));

function refuse(file: string, text: string): string {
  const remedy = 'Correct them, or leave them out with "doubts": "leaveOut".';
  return `Some rows of the recipe's table ${file} are in doubt. ${text} ${remedy}`;
}

/** The file, the column of the recipe, the editor's suggestion with its result, and the files or the reason. */
const cases: readonly (readonly [string, string | readonly string[], string, string])[] = [
  ['rtable.tsv', 'file_id', 'file_id: 2 matched', 'Lab1.csv, Lab2.csv'],
  [
    'unpaired-quote.tsv',
    'file',
    'file: 4 matched',
    'reads/ERR2223563_1.fastq.gz, reads/ERR2223563_2.fastq.gz, run/SRR17001000.fastq.gz, run/SRR17001000_1.fastq.gz',
  ],
  ['unpaired-quote-2.tsv', 'file_id', 'file_id: 4 matched', '1, 2, Lab1.csv, Lab2.csv'],
  [
    'big16.xlsx',
    'file_id',
    'file_id: 1 rounded',
    refuse('big16.xlsx', 'Numbers that a spreadsheet may have rounded (format IDs as text): row 2 (1000000000000000).'),
  ],
  ['big16.csv', 'file_id', 'file_id: 1 matched', '1000000000000001'],
  [
    'n19.xlsx',
    'file_id',
    'file_id: 1 rounded',
    refuse(
      'n19.xlsx',
      'Numbers that a spreadsheet may have rounded (format IDs as text): row 2 (1234567890123457024).',
    ),
  ],
  [
    'padded.xlsx',
    'file_id',
    'file_id: 1 several',
    refuse('padded.xlsx', 'Values that several files match: row 2 (0012).'),
  ],
  ['xwchart.xlsx', 'file_id', 'file_id: 2 matched', 'Lab1.csv, Lab2.csv'],
  ['chartsheet.xlsx', 'file_id', 'file_id: 2 matched', 'Lab:1, Lab:2'],
  ['iso_time.xlsx', 'file_id', 'file_id: 1 matched', 'Lab:1'],
  ['excelstrictdates.xlsx', 'file_id', 'file_id: 2 matched', 'Lab:1, Lab:2'],
  ['z64.xlsx', 'file_id', 'file_id: 2 matched', 'Lab:1, Lab:2'],
  ['date.xlsx', 'file_id', 'file_id: 1 matched', '2021-06-03'],
  ['date.csv', 'file_id', 'file_id: 1 matched', '2021-06-03'],
  ['gn11.xlsx', 'file_id', 'file_id: 2 matched', '1.1, 2'],
  ['gn11.csv', 'file_id', 'file_id: 2 matched', '1.1, 2'],
  [
    'nf.xlsx',
    'joined',
    'file_id: 2 matched',
    refuse(
      'nf.xlsx',
      'Formulas without values (open and save the workbook in a spreadsheet program): row 2. Rows without a value: row 3.',
    ),
  ],
  ['ok.ods', 'file_id', 'file_id: 2 matched', 'Lab1.csv, Lab2.csv'],
  ['ok.xlsm', 'file_id', 'file_id: 2 matched', 'Lab1.csv, Lab2.csv'],
  [
    'ok.xls',
    'file_id',
    "ok.xls has the format XLS, which can't be read. Save the table as XLSX or CSV.",
    "ok.xls has the format XLS, which can't be read. Save the table as XLSX or CSV.",
  ],
  ['sep.csv', 'file_id', 'file_id: 2 matched', 'Lab1.csv, Lab2.csv'],
  [
    'nfcore.csv',
    ['fastq_1', 'fastq_2'],
    'fastq_1, fastq_2: 2 matched',
    'reads/ERR2223563_1.fastq.gz, reads/ERR2223563_2.fastq.gz, run/SRR17001000_1.fastq.gz, run/SRR17001000_2.fastq.gz',
  ],
  [
    'ena.tsv',
    'fastq_ftp',
    'fastq_ftp: 2 matched',
    'reads/ERR2223563_1.fastq.gz, reads/ERR2223563_2.fastq.gz, run/SRR17001000.fastq.gz, run/SRR17001000_1.fastq.gz, run/SRR17001000_2.fastq.gz',
  ],
  [
    'ena.tsv',
    'fastq_md5',
    'fastq_ftp: 2 matched',
    refuse(
      'ena.tsv',
      'Hashes that were not compared, because this database knows no MD5: row 2 (7c92cf1eee8d99cc85f8355a3d6e4b86;d279186428a75016b17e4df5ea43d080), row 3 (dd5c07036f2975ff4bce568b6511d3bc;ec6ef230f1828039ee794566b9c58adc;1d665b9b1467944c128a5575119d1cfd).',
    ),
  ],
  ['gdc.tsv', 'filename', 'id: 2 notFound', 'reads/ERR2223563_1.fastq.gz, run/SRR17001000.fastq.gz'],
  [
    'gdc.tsv',
    'md5',
    'id: 2 notFound',
    refuse(
      'gdc.tsv',
      'Hashes that were not compared, because this database knows no MD5: row 2 (7c92cf1eee8d99cc85f8355a3d6e4b86), row 3 (dd5c07036f2975ff4bce568b6511d3bc).',
    ),
  ],
  ['md5list.tsv', 'md5', 'first column: 2 matched', 'The recipe\'s table md5list.tsv has no column "md5".'],
  ['participants.tsv', 'file', 'file: 1 matched, 1 empty', refuse('participants.tsv', 'Rows without a value: row 3.')],
  ['q2.tsv', 'file', 'file: 2 matched', 'reads/ERR2223563_1.fastq.gz, run/SRR17001000.fastq.gz'],
  ['illumina.csv', 'Sample_ID', 'Sample_ID: 2 matched', 'S1, S2'],
];

describe('Tables as other programs write them', () => {
  let rig: Rig;
  let folder: string;
  before(async () => {
    rig = await Rig.start();
    folder = await mkdtemp(join(tmpdir(), 'tables-'));
    await cp(join(repositoryRoot, 'test', 'fixtures', 'tables'), folder, { recursive: true });
    rig.server.on('GET /', json({ name: localServiceName, version: '1.0.0' }));
    rig.server.on('POST /api/v1/files', json({ resources }));
    const findById = chooseBehavior(({ body }) => {
      const { file_ids: ids } = JSON.parse(body) as { readonly file_ids: readonly string[] };
      return json({ resources: resources.filter(({ id }) => ids.includes(id)) });
    });
    rig.server.on('POST /api/v1/files/by-id', findById);
  });
  after(async () => {
    await rig.end();
    await rm(folder, { recursive: true, force: true });
  });

  const options = { signal: new AbortController().signal, onProgress: () => undefined };

  /** Matches a table as the editor does if every suggestion is accepted. */
  async function match(file: string): Promise<string> {
    const tables = await readTables(file, await readFile(join(folder, file))).catch((error: unknown) => {
      if (error instanceof TableError) return describeTableError(tableWording, error, file);
      throw error;
    });
    if (typeof tables === 'string') return tables;
    const [table] = tables;
    assert.ok(table);
    const columns = describeColumns(table);
    const { column } = guessColumn(columns);
    const selection = { table, columns: listIndexes(column), hasHeader: detectHeader(columns, column) !== false };
    const request = { database: 'Alpha', key: guessKey(column) ?? 'id', values: listLookups(selection) } as const;
    const index = await rig.explorer.tableMatchFlow.match(await rig.connect(), request, options);
    const matched = matchRows(selection, index);
    const counts = Object.entries(countStatuses(matched)).map(([status, count]) => `${count} ${status}`);
    return `${selection.hasHeader ? column.header : 'first column'}: ${counts.join(', ')}`;
  }

  /** Plans and runs a recipe. Returns the sent IDs, or the reason why nothing is sent, as a dry run shows it. */
  async function run(table: Recipe['from']['table']): Promise<string> {
    const recipe = { from: { database: 'Alpha', table }, to: { database: 'Beta' } };
    const session = await rig.connect();
    const plan = await rig.explorer.recipeFlow.plan(session, { recipe, folder }, options);
    const lock = { kind: 'none' };
    const planned = { path: join(folder, 'table.transfer.json'), recipe, lock, plan, session } as never;
    const obstacle = findObstacle(plan);
    const text = obstacle && describeObstacle(plan, obstacle);
    if (text !== undefined) assert.ok(formatPlan(planned, {}).endsWith(`${text}\n`), 'the dry run says the same');
    let sent: readonly string[] = [];
    const host = {
      failObstructed: () => undefined,
      confirm: (_: unknown, order: TransferOrder) => order,
      submit: ({ files }: TransferOrder) => void (sent = files.map(({ id }) => id)),
    };
    await submitRun(host as never, planned);
    assert.deepEqual(sent, text === undefined ? plan.files.map(({ id }) => id) : [], 'the run does the same');
    return text ?? plan.files.map(({ id }) => id).join(', ');
  }

  for (const [file, column, matched, sent] of cases)
    it(`are matched, and transferred or refused: ${file}, ${[column].flat().join(', ')}`, async () => {
      const outcome = await run({ file, column: typeof column === 'string' ? column : [...column] });
      assert.deepEqual([await match(file), outcome], [matched, sent]);
    });
});
