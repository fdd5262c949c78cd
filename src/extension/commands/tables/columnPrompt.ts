import { l10n } from 'vscode';
import { hasColumnNames, type TableColumn } from '../../../core/tables/tableColumns.ts';
import { pickOne, type Choice, type InputResult, type StepPosition } from '../../editor/quickInput.ts';
import { plural } from '../../words/localeFormats.ts';
import { toPlainLine, toPlainText } from '../../words/plainText.ts';

/** Asks for a column of a table. `guess` is highlighted. */
export async function askColumn(
  position: StepPosition,
  columns: readonly TableColumn[],
  { placeholder, guess }: { readonly placeholder: string; readonly guess?: TableColumn | undefined },
): Promise<InputResult<TableColumn>> {
  return await pickOne(position, { placeholder, choices: columns.map(createChoice), ...(guess && { active: guess }) });
}

function createChoice(value: TableColumn): Choice<TableColumn> {
  return {
    label: toPlainLine(value.head) || l10n.t('(no name)'),
    description: toPlainText(value.samples.join(', '), 80),
    detail: plural(value.valueCount, '{0} value', '{0} values'),
    value,
  };
}

/** Determines if the first row contains column names. Asks for it if the table is a plain list. */
export async function askHasHead(
  position: StepPosition,
  columns: readonly TableColumn[],
  { head }: TableColumn,
): Promise<InputResult<boolean>> {
  if (hasColumnNames(columns)) return { value: true };
  return await pickOne(position, {
    placeholder: l10n.t('Does the first row contain column names?'),
    choices: [
      { label: l10n.t('No, {0} is a value', toPlainLine(head)), value: false },
      { label: l10n.t('Yes, {0} is a column name', toPlainLine(head)), value: true },
    ],
  });
}
