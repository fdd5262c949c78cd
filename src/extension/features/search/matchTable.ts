import { l10n, type Uri } from 'vscode';
import type { OpenConnection } from '../../../core/connections/openConnections.ts';
import type { FileEntry } from '../../../core/model/fileEntry.ts';
import type { MatchProgress } from '../../../core/search/tableMatchFlow.ts';
import type { DataTable } from '../../../core/tables/dataTable.ts';
import {
  listCellDoubts,
  listLookups,
  listRowFiles,
  matchRows,
  type MatchedTable,
  type TableSelection,
} from '../../../core/tables/rowMatch.ts';
import { countStatuses } from '../../../core/tables/tableMatch.ts';
import {
  describeColumns,
  detectHeader,
  guessColumn,
  guessKey,
  listIndexes,
  type MatchKey,
  type TableColumn,
} from '../../../core/tables/tableColumns.ts';
import { CommandHint, runCommand } from '../../editor/commandBoundary.ts';
import { createConditionalStep, runSteps } from '../../editor/inputSteps.ts';
import { withProgress } from '../../editor/notifications.ts';
import { pickOne, toStepResult, type PickOptions, type Step } from '../../editor/quickInput.ts';
import {
  describeColumn,
  describeMatches,
  describeMatchLimits,
  describeMatchKey,
  describeMatchProgress,
  describeRowsInDoubt,
} from '../../words/matchWords.ts';
import { createDatabasePick, requireSession } from '../connections/connectionPicker.ts';
import { requireOrcid } from '../connections/credentials.ts';
import type { CommandServices } from '../services.ts';
import { saveMatch } from './matchPanel.ts';
import { askColumn, askHasHeader, askSheet, askTableFile, getFileName, loadTables } from './tableFile.ts';
import { getCommandTitle, getDialogTitle } from '../../words/commandTitles.ts';

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
  const title = getDialogTitle('dataTransfer.matchTable');
  if (!(await runSteps(title, createSteps(services, session, answers))) || !answers.file) return;
  await services.memory.rememberIdFile(answers.file.toString());
  const matched = await findMatches(services, session, answers);
  if (matched) await showMatches(services, { ...matched, session, file: answers.file, database: answers.database });
}

function createAnswers(): MatchAnswers {
  const table: DataTable = { rows: [], doubts: new Map(), longRows: [] };
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
  const selection = { table, columns: listIndexes(column), hasHeader };
  const values = [...listLookups(selection)];
  if (values.length === 0) throw createEmptyHint(selection, column);
  const title = l10n.t('Matching {0}', file ? getFileName(file) : '');
  return await withProgress(title, async (signal, report) => {
    const onProgress = (progress: MatchProgress): void => report(describeMatchProgress(progress));
    try {
      const index = await tableMatchFlow.match(session, { database, key, values }, { signal, onProgress });
      return matchRows(selection, index);
    } catch (error) {
      if (signal.aborted) return undefined;
      throw error;
    }
  });
}

function createEmptyHint(selection: TableSelection, column: TableColumn): CommandHint {
  const text = l10n.t('The selected column ({0}) contains no values.', describeColumn(column, selection.hasHeader));
  return new CommandHint([text, describeRowsInDoubt(listCellDoubts(selection))].filter(Boolean).join(' '));
}

/** A matched table with its file, and the database that was searched. */
interface MatchAnswer extends MatchedTable {
  readonly session: OpenConnection;
  readonly file: Uri;
  readonly database: string;
}

/**
 * Shows the result as a table. Lists the matching files in the search results and checks the unique matches. Offers to
 * save the table and to transfer the checked files.
 */
async function showMatches(services: CommandServices, answer: MatchAnswer): Promise<void> {
  const { session, file, index, rows, table, columns, hasHeader } = answer;
  const uniqueFiles = listRowFiles(rows.filter(({ status }) => status === 'matched'));
  const searchKey = listFiles(services, answer, uniqueFiles);
  const matched = { index, rows, table, columns, hasHeader };
  const counts = countStatuses(matched);
  const remarks = describeMatchLimits(matched);
  const isComplete = uniqueFiles.length > 0 && remarks.length === 0;
  const [summary, kind] = [describeMatches(counts), isComplete ? ('info' as const) : ('warning' as const)];
  const report = { file, matched, searchKey, connectionId: session.connection.id, summary, kind, remarks };
  services.matchPanels.show(report);
  const [saveLabel, transferLabel] = [l10n.t('Save Table…'), getCommandTitle('dataTransfer.transferCheckedFiles')];
  const transferLabels = uniqueFiles.length > 0 ? [transferLabel] : [];
  const choice = await services.notifications.offer(
    kind,
    [summary, ...remarks].join(' '),
    saveLabel,
    ...transferLabels,
  );
  if (choice === saveLabel) await saveMatch(services.notifications, report);
  else if (choice === transferLabel) runCommand('dataTransfer.transferCheckedFiles');
}

/** Lists the files in the search results. Returns the key of their search, if there are any. */
function listFiles(
  { searchFlow, settings }: CommandServices,
  { session, database, rows }: MatchAnswer,
  uniqueFiles: readonly FileEntry[],
): string | undefined {
  const files = listRowFiles(rows);
  if (files.length === 0) return undefined;
  const ids = files.map(({ id }) => id);
  return searchFlow.openFound(session, { database, query: '', pageSize: settings.pageSize, ids }, files, uniqueFiles);
}

/** Saves the matched table in the active tab or, without one, the last one of this window. */
export async function saveMatchedTable({ matchPanels, notifications }: CommandServices): Promise<void> {
  const { current } = matchPanels;
  if (current) {
    await saveMatch(notifications, current);
    return;
  }
  const match = { label: getCommandTitle('dataTransfer.matchTable'), run: () => runCommand('dataTransfer.matchTable') };
  throw new CommandHint(l10n.t('No table has been matched in this window.'), match);
}
