import { l10n, TabInputCustom, TabInputNotebook, TabInputText, Uri, window, workspace } from 'vscode';
import { dedupeIds } from '../../../core/model/idList.ts';
import { parseCsv } from '../../../core/util/csv.ts';
import { CommandFailure } from '../../editor/commandBoundary.ts';
import { pickFile } from '../../editor/openDialogs.ts';
import { pickOne, type InputResult, type Choice, type Step, type StepPosition } from '../../editor/quickInput.ts';
import { plural } from '../../words/localeFormats.ts';
import { toPlainLine, toPlainText } from '../../words/plainText.ts';

/** A column of a table. */
interface Column {
  /** Value in the first row. */
  readonly head: string;
  readonly values: readonly string[];
}

const extensions = ['csv', 'tsv', 'txt'];
const maxFileBytes = 32 * 1024 * 1024;

/** Stores the last CSV file. */
export interface CsvMemory {
  getLastIdFile(): Promise<string | undefined>;
  rememberIdFile(address: string): Promise<void>;
}

/** Asks for a CSV file and the column that contains the IDs. */
export async function askCsvIds(
  position: StepPosition,
  memory: CsvMemory,
  setIds: (ids: readonly string[]) => void,
): ReturnType<Step> {
  const file = await askFile(position, memory);
  if (typeof file === 'string') return file;
  const columns = toColumns(parseCsv(await readText(file.value)));
  if (columns.length === 0) throw new CommandFailure(l10n.t("{0} doesn't contain a table.", getFileName(file.value)));
  const answer = await pickOne(position, createColumnPick(columns));
  if (typeof answer === 'string') return answer;
  const { head, values } = answer.value;
  // A plain list of ids has no header row.
  const hasHead = isIdName(head) || columns.length > 1 || (await askIsHeader(position, head));
  if (typeof hasHead === 'string') return hasHead;
  const ids = dedupeIds(hasHead ? values : [head, ...values]);
  if (ids.length === 0) throw new CommandFailure(l10n.t('The column {0} contains no IDs.', toPlainLine(head)));
  setIds(ids);
  await memory.rememberIdFile(file.value.toString());
  return 'next';
}

function createFileChoice(value: Uri, description?: string): Choice<Uri | undefined> {
  return { label: toPlainLine(workspace.asRelativePath(value)), value, ...(description && { description }) };
}

async function askFile(position: StepPosition, memory: CsvMemory): Promise<InputResult<Uri>> {
  const choices = await createFileChoices(memory);
  const other = { label: l10n.t('Another file…'), value: undefined };
  const placeholder = l10n.t('Select the file that contains the IDs');
  const answer = await pickOne(position, { placeholder, choices: [...choices, other] });
  if (typeof answer === 'string') return answer;
  const file = answer.value ?? (await pickFile(l10n.t('Find Files by ID'), l10n.t('Tables'), extensions));
  return file ? { value: file } : 'cancel';
}

/** Lists each table once: the active editor's, other open ones, the last used one, and those in the workspace. */
async function createFileChoices(memory: CsvMemory): Promise<readonly Choice<Uri | undefined>[]> {
  const inWorkspace = await workspace.findFiles('**/*.{csv,tsv}', '**/{node_modules,.git}/**', 200);
  const last = await findLastFile(memory);
  const choices = [
    ...findOpenFiles().map((file) => createFileChoice(file, l10n.t('open in the editor'))),
    ...(last ? [createFileChoice(last, l10n.t('used last'))] : []),
    ...inWorkspace.map((file) => createFileChoice(file)),
  ];
  return [...new Map(choices.toReversed().map((choice) => [String(choice.value), choice])).values()].toReversed();
}

/** Returns the open tables, the active one first. */
function findOpenFiles(): readonly Uri[] {
  const { activeTabGroup, all } = window.tabGroups;
  const tabs = [activeTabGroup.activeTab, ...all.flatMap((group) => group.tabs)];
  const files = tabs.flatMap((tab) => (hasUri(tab?.input) ? [tab.input.uri] : []));
  return files.filter(({ path }) => extensions.some((extension) => path.toLowerCase().endsWith(`.${extension}`)));
}

/** Returns true for the input of a tab that shows a file, regardless of the editor type. */
function hasUri(input: unknown): input is { readonly uri: Uri } {
  return input instanceof TabInputText || input instanceof TabInputCustom || input instanceof TabInputNotebook;
}

async function findLastFile(memory: CsvMemory): Promise<Uri | undefined> {
  const address = await memory.getLastIdFile();
  if (address === undefined) return undefined;
  try {
    const file = Uri.parse(address, true);
    await workspace.fs.stat(file);
    return file;
  } catch {
    // The file is gone.
    return undefined;
  }
}

/** Returns the text of a file, including unsaved changes. */
async function readText(file: Uri): Promise<string> {
  const document = workspace.textDocuments.find(({ uri }) => uri.toString() === file.toString());
  if (document) return document.getText();
  const { size } = await workspace.fs.stat(file);
  if (size > maxFileBytes) throw new CommandFailure(l10n.t('{0} is too large to search for IDs.', getFileName(file)));
  return new TextDecoder().decode(await workspace.fs.readFile(file));
}

function getFileName(file: Uri): string {
  return toPlainLine(workspace.asRelativePath(file));
}

function toColumns([heads = [], ...records]: readonly (readonly string[])[]): readonly Column[] {
  return heads.map((head, index) => ({ head, values: records.map((record) => record[index] ?? '') }));
}

function createColumnChoice(value: Column): Choice<Column> {
  return {
    label: toPlainLine(value.head) || l10n.t('(no name)'),
    description: toPlainText(value.values.slice(0, 3).join(', '), 80),
    detail: plural(value.values.filter((one) => one.trim() !== '').length, '{0} value', '{0} values'),
    value,
  };
}

function createColumnPick(columns: readonly Column[]): Parameters<typeof pickOne<Column>>[1] {
  const guess = columns.find(({ head }) => /^\W*id\W*$/i.test(head)) ?? columns.find(({ head }) => isIdName(head));
  return {
    placeholder: l10n.t('Select the column with the file IDs'),
    choices: columns.map(createColumnChoice),
    ...(guess && { active: guess }),
  };
}

/** Returns true for names such as `id`, `file_id`, `File ID` and `identifier`. */
function isIdName(head: string): boolean {
  return /^\W*(?:.*[_\s-])?(?:ids?|identifiers?)\W*$|^file_?ids?$/i.test(head);
}

async function askIsHeader(position: StepPosition, head: string): Promise<boolean | 'back' | 'cancel'> {
  const answer = await pickOne(position, {
    placeholder: l10n.t('Does the first row contain column names?'),
    choices: [
      { label: l10n.t('No, {0} is an ID', toPlainLine(head)), value: false },
      { label: l10n.t('Yes, {0} is a column name', toPlainLine(head)), value: true },
    ],
  });
  return typeof answer === 'string' ? answer : answer.value;
}
