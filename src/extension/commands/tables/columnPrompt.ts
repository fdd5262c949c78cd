import { l10n } from 'vscode';
import { detectHeader, type TableColumn } from '../../../core/tables/tableColumns.ts';
import { pickOne, type Choice, type InputResult, type StepPosition } from '../../editor/quickInput.ts';
import { plural } from '../../words/localeFormats.ts';
import { describeColumn } from '../../words/matchWords.ts';
import { toPlainText } from '../../words/plainText.ts';

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
  const shown = [...(hasHeader ? [] : [value.header]), ...value.samples].slice(0, 3);
  return {
    label: describeColumn(value, hasHeader),
    description: toPlainText(shown.join(', '), shownLength),
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
  const row = toPlainText(columns.map(({ header }) => header).join(', '), shownLength);
  return await pickOne(position, {
    placeholder: l10n.t('Is the first row a header?'),
    choices: [
      { label: l10n.t('First row is a header'), description: l10n.t('column names: {0}', row), value: true },
      { label: l10n.t('First row is data'), description: l10n.t('values: {0}', row), value: false },
    ],
  });
}
