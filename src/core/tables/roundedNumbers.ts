import type { DataTable } from './dataTable.ts';
import { getCellKey } from './sheetNumber.ts';

/**
 * Matches an integer that a spreadsheet has shortened to scientific notation, dropping its last digits: `1.23457E+15`.
 */
const shortenedInteger = /^\s*[+-]?\d+(?:[.,]\d+)?E\+\d+\s*$/i;

/** Returns the line numbers of the rows in which a spreadsheet may have rounded the number in the given column. */
export function findRoundedRows({ rows, roundedCells }: DataTable, column: number): readonly number[] {
  return rows
    .filter(
      ({ line, cells }) => shortenedInteger.test(cells[column] ?? '') || roundedCells.has(getCellKey(line, column)),
    )
    .map(({ line }) => line);
}
