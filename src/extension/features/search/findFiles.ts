import { env, l10n, window } from 'vscode';
import { dedupeIds, parseIds, parsePastedIds } from '../../../core/model/idList.ts';
import type { SearchQuery } from '../../../core/model/searchModel.ts';
import { isMissing, type DataTable } from '../../../core/tables/dataTable.ts';
import { getValueRows, listCellDoubts, type TableSelection } from '../../../core/tables/rowMatch.ts';
import { describeColumns, guessColumn, listIndexes, type TableColumn } from '../../../core/tables/tableColumns.ts';
import { toShortLine } from '../../../core/util/visibleText.ts';
import { CommandFailure, CommandHint } from '../../editor/commandBoundary.ts';
import type { DatabaseNode } from '../../editor/contributions.ts';
import { runSteps } from '../../editor/inputSteps.ts';
import type { Notifications } from '../../editor/notifications.ts';
import {
  askText,
  pickOne,
  toStepResult,
  type Choice,
  type InputResult,
  type PickOptions,
  type Step,
  type StepPosition,
} from '../../editor/quickInput.ts';
import { formatFileCount, plural } from '../../words/localeFormats.ts';
import { describeColumn, describeRowsInDoubt } from '../../words/matchWords.ts';
import { describeSearchTerms, getDatabaseLabel } from '../../words/searchWords.ts';
import { createDatabasePick, requireSession } from '../connections/connectionPicker.ts';
import { requireOrcid } from '../connections/credentials.ts';
import type { CommandServices } from '../services.ts';
import { askColumn, askHasHeader, askSheet, askTableFile, loadTables } from './tableFile.ts';
import { getDialogTitle } from '../../words/commandTitles.ts';

/** Number of IDs above which the user is asked for confirmation. */
const confirmationThreshold = 5000;

/**
 * Finds files by ID (D8: metadata by ids). Asks for the database, unless `node` specifies it, then for the source of
 * the IDs, and then for the IDs.
 */
export async function findFilesById(services: CommandServices, node: DatabaseNode | undefined): Promise<void> {
  const { searchFlow, settings, notifications, views } = services;
  const session = await requireSession(services);
  if (!session || (await requireOrcid(services, session.connection.id)) === undefined) return;
  let database = node?.name;
  let ids: readonly string[] = [];
  const isDone = await runSteps(getDialogTitle('dataTransfer.findFilesById'), [
    async (position) => {
      if (node) return 'skip';
      const pick = await createDatabasePick(services, session.connection.id);
      return toStepResult(await pickOne(position, pick), (value) => (database = value));
    },
    ...createIdSteps(services, (given) => (ids = given)),
  ]);
  if (!isDone || database === undefined || !(await confirmManyIds(notifications, database, ids))) return;
  const running = searchFlow.run(session, { database, query: '', pageSize: settings.pageSize, ids });
  void views.focusStartedSearch();
  await running;
}

/** Lets the user edit a search's IDs, and returns the new query. Returns undefined if the user cancels. */
export async function editIds(services: CommandServices, query: SearchQuery): Promise<SearchQuery | undefined> {
  let ids: readonly string[] = [];
  const steps = createIdSteps(services, (given) => (ids = given), query.ids);
  const isDone = await runSteps(getDialogTitle('dataTransfer.refineSearch'), steps);
  return isDone && (await confirmManyIds(services.notifications, query.database, ids)) ? { ...query, ids } : undefined;
}

/** Creates the steps that ask for the source of the IDs, and then for the IDs. */
function createIdSteps(
  services: CommandServices,
  setIds: (ids: readonly string[]) => void,
  initialIds?: readonly string[],
): readonly Step[] {
  let source: IdSource = 'typed';
  return [
    async (position) => toStepResult(await pickOne(position, createIdSourcePick()), (value) => (source = value)),
    async (position) => await askIds(position, source, services, setIds, initialIds),
  ];
}

async function confirmManyIds(
  notifications: Notifications,
  database: string,
  ids: readonly string[],
): Promise<boolean> {
  if (ids.length <= confirmationThreshold) return ids.length > 0;
  const question = l10n.t('Look up {0} in {1}?', formatFileCount(ids.length), getDatabaseLabel(database));
  const detail = plural(
    ids.length,
    'Looking up {0} ID can take a while. You can stop at any time.',
    'Looking up {0} IDs can take a while. You can stop at any time.',
  );
  return await notifications.confirm(question, detail, l10n.t('Look Up'));
}

/** The source of file IDs. */
type IdSource = 'typed' | 'selection' | 'clipboard' | 'table';

/** Creates the list of sources to choose from. The clipboard isn't read until the user has chosen it. */
function createIdSourcePick(): PickOptions<IdSource> {
  const selected = parsePastedIds(getSelectedText());
  const choices: Choice<IdSource>[] = [
    { label: l10n.t('Type or paste IDs'), value: 'typed' },
    { label: l10n.t('Clipboard'), description: l10n.t('one or more lines'), value: 'clipboard' },
    { label: l10n.t('Table column…'), value: 'table' },
  ];
  if (selected.length > 0) choices.unshift(createSelectionChoice(selected));
  return { placeholder: l10n.t('Where do the IDs come from?'), choices };
}

function createSelectionChoice(ids: readonly string[]): Choice<IdSource> {
  const sample = toShortLine(ids.slice(0, 3).join(', '), 60);
  const description = l10n.t('{0}: {1}', describeSearchTerms({ query: '', ids }), sample);
  return { label: l10n.t('Editor selection'), description, value: 'selection' };
}

/** Reads the IDs from a source. Asks for the text or file if the source requires it. */
async function askIds(
  position: StepPosition,
  source: IdSource,
  services: CommandServices,
  setIds: (ids: readonly string[]) => void,
  initialIds: readonly string[] = [],
): ReturnType<Step> {
  if (source === 'table') return await askTableIds(position, services, setIds);
  if (source === 'typed') return await askTyped(position, setIds, initialIds);
  const ids = parsePastedIds(source === 'selection' ? getSelectedText() : await env.clipboard.readText());
  if (ids.length === 0) throw new CommandHint(l10n.t('No IDs found. Copy or select some first.'));
  setIds(ids);
  return 'skip';
}

async function askTyped(
  position: StepPosition,
  setIds: (ids: readonly string[]) => void,
  initialIds: readonly string[],
): ReturnType<Step> {
  const value = initialIds.join(', ');
  const answer = await askText(position, {
    prompt: l10n.t('File IDs, separated by commas or spaces. To paste multiple lines, go back and select Clipboard.'),
    value,
    validate: (text) => (parseIds(text).length > 0 ? undefined : l10n.t('Enter at least one ID.')),
  });
  if (typeof answer === 'string') return answer;
  // IDs from a table or the clipboard can contain spaces and commas.
  setIds(answer.value === value.trim() ? initialIds : parseIds(answer.value));
  return 'next';
}

function getSelectedText(): string {
  const editor = window.activeTextEditor;
  return editor ? editor.selections.map((selection) => editor.document.getText(selection)).join('\n') : '';
}

async function askTableIds(
  position: StepPosition,
  services: CommandServices,
  setIds: (ids: readonly string[]) => void,
): ReturnType<Step> {
  const file = await askTableFile(position, services.memory, l10n.t('Select the file that contains the IDs'));
  if (typeof file === 'string') return file;
  const sheet = await askSheet(position, await loadTables(file.value));
  const ids = typeof sheet === 'string' ? sheet : await askIdColumn(position, sheet.value, services);
  if (typeof ids === 'string') return ids;
  setIds(ids.value);
  await services.memory.rememberIdFile(file.value.toString());
  return 'next';
}

async function askIdColumn(
  position: StepPosition,
  table: DataTable,
  services: CommandServices,
): Promise<InputResult<readonly string[]>> {
  const columns = describeColumns(table);
  const { column: guess, key } = guessColumn(columns);
  const placeholder = l10n.t('Select the column with the file IDs');
  const answer = await askColumn(position, columns, { placeholder, guess: key === 'id' ? guess : undefined });
  if (typeof answer === 'string') return answer;
  const hasHeader = await askHasHeader(position, columns, answer.value);
  if (typeof hasHeader === 'string') return hasHeader;
  const selection = { table, columns: listIndexes(answer.value), hasHeader: hasHeader.value };
  return { value: readIds(services, selection, answer.value) };
}

/** Returns the IDs in the column's cells. Leaves out missing values, and warns about rows in doubt. */
function readIds(services: CommandServices, selection: TableSelection, column: TableColumn): readonly string[] {
  const rows = getValueRows(selection);
  const cells = rows.flatMap((row) => selection.columns.map((index) => row.cells[index] ?? ''));
  const ids = dedupeIds(cells.filter((cell) => !isMissing(cell)));
  const doubts = describeRowsInDoubt(listCellDoubts(selection));
  if (ids.length === 0) {
    const text = l10n.t('The selected column ({0}) contains no IDs.', describeColumn(column, selection.hasHeader));
    throw new CommandFailure([text, doubts].filter(Boolean).join(' '));
  }
  if (doubts !== '') void services.notifications.warning(doubts);
  return ids;
}
