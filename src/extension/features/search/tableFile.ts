import {
  FileSystemError,
  FileType,
  l10n,
  TabInputCustom,
  TabInputNotebook,
  TabInputText,
  Uri,
  window,
  workspace,
} from 'vscode';
import { maxTableBytes, parseTextTable, readTables, type DataTable } from '../../../core/tables/dataTable.ts';
import { detectHeader, type TableColumn } from '../../../core/tables/tableColumns.ts';
import { TableError } from '../../../core/tables/tableError.ts';
import { readRegularBytes } from '../../../core/util/durableFiles.ts';
import { describeNoTable } from '../../../core/words/sharedSentences.ts';
import { toShortLine } from '../../../core/util/visibleText.ts';
import { CommandFailure } from '../../editor/commandBoundary.ts';
import { pickFile } from '../../editor/fileDialogs.ts';
import {
  pickOne,
  type Choice,
  type InputResult,
  type PickOptions,
  type StepPosition,
} from '../../editor/quickInput.ts';
import { formatSize, plural } from '../../words/localeFormats.ts';
import { describeColumn, describeTableError } from '../../words/matchWords.ts';
import { describeError, toPlainLine } from '../../words/plainText.ts';

/** Stores the URI of the table that was used last. */
interface TableMemory {
  getLastIdFile(): Promise<string | undefined>;
  rememberIdFile(address: string): Promise<void>;
}

const extensions = ['csv', 'tsv', 'txt', 'xlsx', 'xlsm', 'ods'];

/**
 * Asks for a table file. Lists the open tables, the most recently used one and those in the workspace, and lets the
 * user select any other file.
 */
export async function askTableFile(
  position: StepPosition,
  memory: TableMemory,
  placeholder: string,
): Promise<InputResult<Uri>> {
  const choices = await createFileChoices(memory);
  const other = { label: l10n.t('Another file…'), value: undefined };
  const answer = await pickOne<Uri | undefined>(position, { placeholder, choices: [...choices, other] });
  if (typeof answer === 'string') return answer;
  const file = answer.value ?? (await pickFile(position.title, l10n.t('Tables'), extensions));
  return file ? { value: file } : 'cancel';
}

/**
 * Reads the tables in a file, including unsaved changes in an editor. Throws a {@link CommandFailure} if the file can't
 * be read or contains no table.
 */
export async function loadTables(file: Uri): Promise<readonly DataTable[]> {
  const tables = await readTableFile(file);
  const filled = tables.filter(({ rows }) => rows.length > 0);
  if (filled.length === 0) throw new CommandFailure(describeNoTable(l10n, getFileName(file)));
  return filled;
}

async function readTableFile(file: Uri): Promise<readonly DataTable[]> {
  const document = workspace.textDocuments.find(({ uri }) => uri.toString() === file.toString());
  try {
    if (document) return [parseTextTable(document.getText())];
    await checkFile(file);
    return await readTables(file.path, await readBytes(file));
  } catch (error) {
    throw toFailure(file, error);
  }
}

/** Reads a file. Rejects a device or pipe on this machine instead of waiting for its data. */
async function readBytes(file: Uri): Promise<Uint8Array> {
  return file.scheme === 'file'
    ? await readRegularBytes(file.fsPath, maxTableBytes)
    : await workspace.fs.readFile(file);
}

async function checkFile(file: Uri): Promise<void> {
  const { size, type } = await workspace.fs.stat(file);
  const name = getFileName(file);
  if ((type & FileType.Directory) !== 0) throw new CommandFailure(l10n.t('{0} is a folder. Select a file.', name));
  if (size <= maxTableBytes) return;
  throw new CommandFailure(l10n.t('{0} is larger than {1}.', name, formatSize(maxTableBytes)));
}

function toFailure(file: Uri, error: unknown): CommandFailure {
  if (error instanceof CommandFailure) return error;
  const name = getFileName(file);
  if (error instanceof TableError) return new CommandFailure(describeTableError(error, name));
  const isGone = error instanceof FileSystemError && error.code === 'FileNotFound';
  if (isGone) return new CommandFailure(l10n.t('{0} no longer exists.', name));
  return new CommandFailure(l10n.t('Could not read {0}: {1}', name, describeError(error)));
}

/** Asks for a sheet. If there is only one sheet, returns that sheet without asking. */
export async function askSheet(position: StepPosition, tables: readonly DataTable[]): Promise<InputResult<DataTable>> {
  const [first, second] = tables;
  return first && !second ? { value: first } : await pickOne(position, createSheetPick(tables));
}

function createSheetPick(tables: readonly DataTable[]): PickOptions<DataTable> {
  return {
    placeholder: l10n.t('Select the sheet'),
    choices: tables.map((value) => ({
      label: toPlainLine(value.sheet ?? ''),
      description: plural(value.rows.length, '{0} row', '{0} rows'),
      value,
    })),
  };
}

/** Returns a file's path for display. */
export function getFileName(file: Uri): string {
  return toPlainLine(workspace.asRelativePath(file));
}

function createFileChoice(value: Uri, description?: string): Choice<Uri | undefined> {
  return { label: getFileName(value), value, ...(description && { description }) };
}

/**
 * Lists tables without duplicates: first the one in the active editor, then other open tables, the most recently used
 * table, and those in the workspace.
 */
async function createFileChoices(memory: TableMemory): Promise<readonly Choice<Uri | undefined>[]> {
  const inWorkspace = await workspace.findFiles('**/*.{csv,tsv,xlsx,xlsm,ods}', '**/{node_modules,.git}/**', 200);
  const last = await findLastFile(memory);
  const choices = [
    ...findOpenFiles().map((file) => createFileChoice(file, l10n.t('open in the editor'))),
    ...(last ? [createFileChoice(last, l10n.t('last used'))] : []),
    ...inWorkspace.map((file) => createFileChoice(file)),
  ];
  const addresses = choices.map(({ value }) => String(value));
  return choices.filter(({ value }, position) => addresses.indexOf(String(value)) === position);
}

function findOpenFiles(): readonly Uri[] {
  const { activeTabGroup, all } = window.tabGroups;
  const tabs = [activeTabGroup.activeTab, ...all.flatMap((group) => group.tabs)];
  const files = tabs.flatMap((tab) => (hasUri(tab?.input) ? [tab.input.uri] : []));
  return files.filter(({ path }) => extensions.some((extension) => path.toLowerCase().endsWith(`.${extension}`)));
}

function hasUri(input: unknown): input is { readonly uri: Uri } {
  return input instanceof TabInputText || input instanceof TabInputCustom || input instanceof TabInputNotebook;
}

async function findLastFile(memory: TableMemory): Promise<Uri | undefined> {
  const address = await memory.getLastIdFile();
  if (address === undefined) return undefined;
  try {
    const file = Uri.parse(address, true);
    await workspace.fs.stat(file);
    return file;
  } catch {
    // The file can't be found, or its URI is invalid.
    return undefined;
  }
}

/** Maximum number of characters to show from a column's sample values or from the table's first row. */
const shownLength = 80;

/** Asks for a column of a table. Highlights `guess`. */
export async function askColumn(
  position: StepPosition,
  columns: readonly TableColumn[],
  { placeholder, guess }: { readonly placeholder: string; readonly guess?: TableColumn | undefined },
): Promise<InputResult<TableColumn>> {
  const [first] = columns;
  const likely = guess ?? first;
  const hasHeader = likely === undefined || detectHeader(columns, likely) !== false;
  const choices = columns.map((column) => createChoice(column, hasHeader));
  return await pickOne(position, { placeholder, choices, ...(guess && { active: guess }) });
}

function createChoice(value: TableColumn, hasHeader: boolean): Choice<TableColumn> {
  const texts = [...(hasHeader ? [] : [value.header]), ...value.samples];
  const shown = texts.filter((text) => text.trim() !== '').slice(0, 3);
  return {
    label: describeColumn(value, hasHeader),
    description: toShortLine(shown.join(', '), shownLength),
    detail: plural(value.valueCount + (hasHeader ? 0 : 1), '{0} value', '{0} values'),
    value,
  };
}

/** Determines whether the first row contains column names. Asks the user if the content is ambiguous. */
export async function askHasHeader(
  position: StepPosition,
  columns: readonly TableColumn[],
  column: TableColumn,
): Promise<InputResult<boolean>> {
  const hasHeader = detectHeader(columns, column);
  if (hasHeader !== undefined) return { value: hasHeader };
  const row = toShortLine(columns.map(({ header }) => header).join(', '), shownLength);
  return await pickOne(position, {
    placeholder: l10n.t('Is the first row a header?'),
    choices: [
      { label: l10n.t('First row is a header'), description: l10n.t('column names: {0}', row), value: true },
      { label: l10n.t('First row is data'), description: l10n.t('values: {0}', row), value: false },
    ],
  });
}
