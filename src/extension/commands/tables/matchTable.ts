import { l10n, type Uri } from 'vscode';
import type { OpenConnection } from '../../../core/flows/openConnections.ts';
import type { MatchProgress } from '../../../core/flows/tableMatchFlow.ts';
import type { DataTable } from '../../../core/tables/dataTable.ts';
import { getValueRows, type MatchedTable } from '../../../core/tables/matchResult.ts';
import {
  describeColumns,
  detectHeader,
  guessColumn,
  guessKey,
  type MatchKey,
  type TableColumn,
} from '../../../core/tables/tableColumns.ts';
import { CommandHint } from '../../editor/commandBoundary.ts';
import { createConditionalStep, runSteps } from '../../editor/inputSteps.ts';
import { withProgress } from '../../editor/notifications.ts';
import { pickOne, toStepResult, type PickOptions, type Step } from '../../editor/quickInput.ts';
import { describeColumn, describeMatchKey, describeMatchProgress } from '../../words/matchWords.ts';
import { requireSession } from '../connections/connectionPicker.ts';
import { requireOrcid } from '../connections/setOrcid.ts';
import { createDatabasePick } from '../files/databasePick.ts';
import type { CommandServices } from '../services.ts';
import { askColumn, askHasHeader } from './columnPrompt.ts';
import { showMatches } from './matchReport.ts';
import { askSheet, askTableFile, getFileName, loadTables } from './tableFile.ts';

/** The user's answers. */
interface MatchAnswers {
  file?: Uri;
  tables: readonly DataTable[];
  table: DataTable;
  columns: readonly TableColumn[];
  column: TableColumn;
  hasHeader: boolean;
  key: MatchKey;
  database: string;
}

/**
 * Matches the rows of a table to files and shows the result. In the search results, checks the files that are the only
 * match for a row.
 */
export async function matchTable(services: CommandServices, document: Uri | undefined): Promise<void> {
  const session = await requireSession(services);
  if (!session || (await requireOrcid(services, session.connection.id)) === undefined) return;
  const answers = createAnswers();
  if (document) await setFile(answers, document);
  const title = l10n.t('Match Table');
  if (!(await runSteps(title, createSteps(services, session, answers))) || !answers.file) return;
  await services.memory.rememberIdFile(answers.file.toString());
  const matched = await findMatches(services, session, answers);
  if (matched) await showMatches(services, { ...matched, session, file: answers.file, database: answers.database });
}

function createAnswers(): MatchAnswers {
  const table = { rows: [], roundedCells: new Set<string>() };
  const column = { index: 0, header: '', samples: [], valueCount: 0 };
  return { tables: [], table, columns: [], column, hasHeader: true, key: 'id', database: '' };
}

async function setFile(answers: MatchAnswers, file: Uri): Promise<void> {
  answers.tables = await loadTables(file);
  answers.file = file;
}

function createSteps(services: CommandServices, session: OpenConnection, answers: MatchAnswers): readonly Step[] {
  const isGiven = answers.file !== undefined;
  return [
    ...(isGiven ? [] : [createFileStep(services, answers)]),
    createSheetStep(answers),
    createColumnStep(answers),
    createHeadStep(answers),
    async (position) => toStepResult(await pickOne(position, createKeyPick(answers)), (key) => (answers.key = key)),
    async (position) => {
      const pick = await createDatabasePick(services, session.connection.id);
      return toStepResult(await pickOne(position, pick), (name) => (answers.database = name));
    },
  ];
}

function createFileStep({ memory }: CommandServices, answers: MatchAnswers): Step {
  return async (position) => {
    const file = await askTableFile(position, memory, l10n.t('Select the table to match'));
    if (typeof file === 'string') return file;
    await setFile(answers, file.value);
    return 'next';
  };
}

function createSheetStep(answers: MatchAnswers): Step {
  return createConditionalStep(async (position) => {
    const isOnly = answers.tables.length === 1;
    const result = toStepResult(await askSheet(position, answers.tables), (table) => (answers.table = table));
    answers.columns = describeColumns(answers.table);
    return isOnly ? 'skip' : result;
  });
}

function createColumnStep(answers: MatchAnswers): Step {
  return async (position) => {
    const { columns } = answers;
    const { column: guess } = guessColumn(columns);
    const placeholder = l10n.t('Select the column that identifies the files');
    return toStepResult(await askColumn(position, columns, { placeholder, guess }), (column) => {
      answers.column = column;
      answers.key = guessKey(column) ?? 'id';
    });
  };
}

function createHeadStep(answers: MatchAnswers): Step {
  return createConditionalStep(async (position) => {
    const { columns, column } = answers;
    const result = toStepResult(await askHasHeader(position, columns, column), (value) => (answers.hasHeader = value));
    return detectHeader(columns, column) === undefined ? result : 'skip';
  });
}

function createKeyPick({ column, hasHeader, key }: MatchAnswers): PickOptions<MatchKey> {
  const keys: readonly MatchKey[] = ['id', 'name', 'hash'];
  return {
    placeholder: l10n.t('Select what this column contains ({0})', describeColumn(column, hasHeader)),
    choices: keys.map((value) => ({ label: describeMatchKey(value), value })),
    active: key,
  };
}

/** Finds the database's files that match the column's values. Returns undefined if the user cancels. */
async function findMatches(
  { tableMatchFlow }: CommandServices,
  session: OpenConnection,
  { table, column, hasHeader, key, database, file }: MatchAnswers,
): Promise<MatchedTable | undefined> {
  const values = getValueRows({ table, hasHeader }).map(({ cells }) => cells[column.index] ?? '');
  if (!values.some((value) => value.trim())) throw createEmptyHint(column, hasHeader);
  const title = l10n.t('Matching {0}', file ? getFileName(file) : '');
  return await withProgress(title, async (signal, report) => {
    const onProgress = (progress: MatchProgress): void => report(describeMatchProgress(progress));
    try {
      const index = await tableMatchFlow.match(session, { database, key, values }, { signal, onProgress });
      return { table, column: column.index, hasHeader, index };
    } catch (error) {
      if (signal.aborted) return undefined;
      throw error;
    }
  });
}

function createEmptyHint(column: TableColumn, hasHeader: boolean): CommandHint {
  return new CommandHint(l10n.t('The selected column ({0}) contains no values.', describeColumn(column, hasHeader)));
}
