import { l10n } from 'vscode';
import type { TableColumn } from '../../../core/tables/tableColumns.ts';
import { detectHead } from '../../../core/tables/tableHead.ts';
import { pickOne, type Choice, type InputResult, type StepPosition } from '../../editor/quickInput.ts';
import { plural } from '../../words/localeFormats.ts';
import { describeColumn } from '../../words/matchWords.ts';
import { toPlainText } from '../../words/plainText.ts';

/** Maximum number of characters of the values that are shown for a column. */
const shownLength = 80;

/** Asks for a column of a table. `guess` is highlighted. */
export async function askColumn(
  position: StepPosition,
  columns: readonly TableColumn[],
  { placeholder, guess }: { readonly placeholder: string; readonly guess?: TableColumn | undefined },
): Promise<InputResult<TableColumn>> {
  const [first] = columns;
  const likely = guess ?? first;
  const hasHead = likely === undefined || detectHead(columns, likely) !== false;
  const choices = columns.map((column) => createChoice(column, hasHead));
  return await pickOne(position, { placeholder, choices, ...(guess && { active: guess }) });
}

function createChoice(value: TableColumn, hasHead: boolean): Choice<TableColumn> {
  const shown = [...(hasHead ? [] : [value.head]), ...value.samples].slice(0, 3);
  return {
    label: describeColumn(value, hasHead),
    description: toPlainText(shown.join(', '), shownLength),
    detail: plural(value.valueCount + (hasHead ? 0 : 1), '{0} value', '{0} values'),
    value,
  };
}

/** Determines whether the first row contains column names. Asks the user if the content is inconclusive. */
export async function askHasHead(
  position: StepPosition,
  columns: readonly TableColumn[],
  column: TableColumn,
): Promise<InputResult<boolean>> {
  const hasHead = detectHead(columns, column);
  if (hasHead !== undefined) return { value: hasHead };
  const row = toPlainText(columns.map(({ head }) => head).join(', '), shownLength);
  return await pickOne(position, {
    placeholder: l10n.t('Is the first row a header?'),
    choices: [
      { label: l10n.t('First row is a header'), description: l10n.t('column names: {0}', row), value: true },
      { label: l10n.t('First row is data'), description: l10n.t('values: {0}', row), value: false },
    ],
  });
}
