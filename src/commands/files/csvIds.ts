import { l10n, workspace, type Uri } from 'vscode';
import { distinct } from '../../core/model/idList.ts';
import { parseCsv } from '../../core/util/csv.ts';
import { CommandFailure } from '../../host/commandBoundary.ts';
import { pickFile } from '../../host/openDialogs.ts';
import { pickOne, type Answer, type Choice, type Step, type StepPosition } from '../../host/quickInput.ts';
import { plainLine, plainPart, plural } from '../../host/words.ts';

/** A column of a table: what its head says, and all that stands below. */
interface Column {
  readonly head: string;
  readonly values: readonly string[];
}

const endings = ['csv', 'tsv', 'txt'];
const largestFile = 32 * 1024 * 1024;

/** Asks for a CSV file and for the column of it that holds the ids. */
export async function askCsvIds(position: StepPosition, keep: (ids: readonly string[]) => void): ReturnType<Step> {
  const file = await askFile(position);
  if (typeof file === 'string') return file;
  const columns = columnsOf(parseCsv(await readText(file.value)));
  if (columns.length === 0) throw new CommandFailure(l10n.t('{0} holds no table.', nameOf(file.value)));
  const answer = await pickOne(position, columnQuestion(columns));
  if (typeof answer === 'string') return answer;
  const { head, values } = answer.value;
  // Below a head that names no ids there is more doubt: a list of ids alone has no head at all.
  const hasHead = isIdName(head) || columns.length > 1 || (await askHead(position, head));
  if (typeof hasHead === 'string') return hasHead;
  const ids = distinct(hasHead ? values : [head, ...values]);
  if (ids.length === 0) throw new CommandFailure(l10n.t('The column {0} holds no ids.', plainLine(head)));
  keep(ids);
  return 'next';
}

async function askFile(position: StepPosition): Promise<Answer<Uri>> {
  const files = await workspace.findFiles('**/*.{csv,tsv}', '**/{node_modules,.git}/**', 200);
  const choices: Choice<Uri | undefined>[] = files.map((value) => ({
    label: plainLine(workspace.asRelativePath(value)),
    value,
  }));
  const other = { label: l10n.t('Another file…'), value: undefined };
  const placeholder = l10n.t('Select the file that holds the ids');
  const answer = await pickOne(position, { placeholder, choices: [...choices, other] });
  if (typeof answer === 'string') return answer;
  const file = answer.value ?? (await pickFile(l10n.t('Find Files by Id'), l10n.t('Tables'), endings));
  return file ? { value: file } : 'cancel';
}

async function readText(file: Uri): Promise<string> {
  const { size } = await workspace.fs.stat(file);
  if (size > largestFile) throw new CommandFailure(l10n.t('{0} is too large to look for ids in.', nameOf(file)));
  return new TextDecoder().decode(await workspace.fs.readFile(file));
}

function nameOf(file: Uri): string {
  return plainLine(workspace.asRelativePath(file));
}

function columnsOf([heads = [], ...records]: readonly (readonly string[])[]): readonly Column[] {
  return heads.map((head, index) => ({ head, values: records.map((record) => record[index] ?? '') }));
}

function columnQuestion(columns: readonly Column[]): Parameters<typeof pickOne<Column>>[1] {
  const guess = columns.find(({ head }) => /^\W*id\W*$/i.test(head)) ?? columns.find(({ head }) => isIdName(head));
  return {
    placeholder: l10n.t('Select the column that holds the ids'),
    choices: columns.map((value) => ({
      label: plainLine(value.head) || l10n.t('(no name)'),
      description: plainPart(value.values.slice(0, 3).join(', '), 80),
      detail: plural(value.values.filter((one) => one.trim() !== '').length, '{0} value', '{0} values'),
      value,
    })),
    ...(guess && { active: guess }),
  };
}

/** `id`, `file_id`, `File ID`, `identifier`. */
function isIdName(head: string): boolean {
  return /^\W*(?:.*[_\s-])?(?:ids?|identifiers?)\W*$|^file_?ids?$/i.test(head);
}

async function askHead(position: StepPosition, head: string): Promise<boolean | 'back' | 'cancel'> {
  const answer = await pickOne(position, {
    placeholder: l10n.t('Is the first line the name of the column?'),
    choices: [
      { label: l10n.t('{0} is an id too', plainLine(head)), value: false },
      { label: l10n.t('{0} is the name of the column', plainLine(head)), value: true },
    ],
  });
  return typeof answer === 'string' ? answer : answer.value;
}
