import { realpath } from 'node:fs/promises';
import { join, sep } from 'node:path';
import type { Reason } from '../model/reason.ts';
import { maxTableBytes, readTables, type DataTable } from '../tables/dataTable.ts';
import type { MatchGap } from '../tables/matchGap.ts';
import type { MatchIndex } from '../tables/matchIndex.ts';
import { describeColumns, guessKey, type MatchKey } from '../tables/tableColumns.ts';
import { TableError } from '../tables/tableError.ts';
import { getErrorCode, isMissing } from '../util/errorFacts.ts';
import { readRegularBytes } from '../util/regularFile.ts';
import { createFileTest } from './fileFilters.ts';
import { createRecipeFileReader } from './recipeFile.ts';
import type { Recipe } from './recipeSchema.ts';
import type { RecipeSource } from './recipeSource.ts';
import { createFailure, type ResolvedFiles, type TableProblem } from './resolvedFiles.ts';

type RecipeTable = NonNullable<Recipe['from']['table']>;

interface ColumnValues {
  readonly key: MatchKey;
  readonly values: readonly string[];
}

/** Finds the files for the rows of a table. The table must be in the recipe's folder or a subfolder. */
export async function resolveTable(
  source: RecipeSource,
  { database, filters }: Recipe['from'],
  table: RecipeTable,
  folder: string,
): Promise<ResolvedFiles> {
  const column = await readColumn(table, folder);
  if (typeof column === 'string') return createFailure({ kind: 'table', problem: column });
  const index = await source.matchTable(database, column.key, column.values);
  const reason = findReason(index);
  if (reason) return createFailure({ kind: 'service', reason });
  const files = index.uniqueFiles.filter(createFileTest(filters)).map(createRecipeFileReader(source));
  return { files, missing: index.values.filter((value) => index.get(value)?.count !== 1), isCut: false };
}

/**
 * Returns the first reason why the comparison with the database's files is incomplete; undefined if it is complete.
 * Ignores values that are too long, because no file has them.
 */
function findReason(index: MatchIndex): Reason | undefined {
  for (const value of index.values) {
    const matches = index.get(value);
    const reason = matches && !index.isComplete(matches) ? getReason(matches.gap) : undefined;
    if (reason) return reason;
  }
  return index.skippedFiles[0]?.reason;
}

function getReason(gap: MatchGap | undefined): Reason | undefined {
  if (gap?.kind === 'failed') return gap.reason;
  return gap?.kind === 'truncated' ? { kind: 'tooLarge' } : undefined;
}

async function readColumn(table: RecipeTable, folder: string): Promise<ColumnValues | TableProblem> {
  const tables = await readFileTables(table.file, folder);
  if (typeof tables === 'string') return tables;
  const data = tables.find(({ sheet }) => table.sheet === undefined || sheet === table.sheet);
  if (!data) return 'noSheet';
  const column = describeColumns(data).find(({ header }) => header.trim() === table.column.trim());
  if (!column) return 'noColumn';
  const values = data.rows.slice(1).map(({ cells }) => cells[column.index] ?? '');
  return { key: table.key ?? guessKey(column) ?? 'id', values };
}

async function readFileTables(file: string, folder: string): Promise<readonly DataTable[] | TableProblem> {
  try {
    const path = await realpath(join(folder, file));
    // A symbolic link could point outside the folder.
    if (!path.startsWith((await realpath(folder)).replace(/[\\/]?$/, sep))) return 'unreadable';
    return await readTables(path, await readRegularBytes(path, maxTableBytes));
  } catch (error) {
    const isTooLarge = error instanceof TableError ? error.kind !== 'notWorkbook' : getErrorCode(error) === 'EFBIG';
    if (isTooLarge) return 'tooLarge';
    return isMissing(error) ? 'missing' : 'unreadable';
  }
}
