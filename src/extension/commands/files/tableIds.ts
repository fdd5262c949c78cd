import { l10n } from 'vscode';
import { dedupeIds } from '../../../core/model/idList.ts';
import type { DataTable } from '../../../core/tables/dataTable.ts';
import { getValueRows } from '../../../core/tables/matchResult.ts';
import { describeColumns, guessColumn, type TableColumn } from '../../../core/tables/tableColumns.ts';
import { CommandFailure } from '../../editor/commandBoundary.ts';
import type { InputResult, Step, StepPosition } from '../../editor/quickInput.ts';
import { describeColumn } from '../../words/matchWords.ts';
import { askColumn, askHasHeader } from '../tables/columnPrompt.ts';
import { askSheet, askTableFile, loadTables, type TableMemory } from '../tables/tableFile.ts';

/** Asks for a table file and for the column that contains the IDs. */
export async function askTableIds(
  position: StepPosition,
  memory: TableMemory,
  setIds: (ids: readonly string[]) => void,
): ReturnType<Step> {
  const file = await askTableFile(position, memory, l10n.t('Select the file that contains the IDs'));
  if (typeof file === 'string') return file;
  const sheet = await askSheet(position, await loadTables(file.value));
  const ids = typeof sheet === 'string' ? sheet : await askIdColumn(position, sheet.value);
  if (typeof ids === 'string') return ids;
  setIds(ids.value);
  await memory.rememberIdFile(file.value.toString());
  return 'next';
}

async function askIdColumn(position: StepPosition, table: DataTable): Promise<InputResult<readonly string[]>> {
  const columns = describeColumns(table);
  const { column: guess, key } = guessColumn(columns);
  const placeholder = l10n.t('Select the column with the file IDs');
  const answer = await askColumn(position, columns, { placeholder, guess: key === 'id' ? guess : undefined });
  if (typeof answer === 'string') return answer;
  const hasHeader = await askHasHeader(position, columns, answer.value);
  if (typeof hasHeader === 'string') return hasHeader;
  return { value: readIds(table, answer.value, hasHeader.value) };
}

function readIds(table: DataTable, column: TableColumn, hasHeader: boolean): readonly string[] {
  const ids = dedupeIds(getValueRows({ table, hasHeader }).map(({ cells }) => cells[column.index] ?? ''));
  if (ids.length > 0) return ids;
  throw new CommandFailure(l10n.t('The selected column ({0}) contains no IDs.', describeColumn(column, hasHeader)));
}
