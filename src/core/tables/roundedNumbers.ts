import type { DataTable } from './dataTable.ts';
import { getCellKey } from './sheetNumber.ts';

/** Matches an integer as a spreadsheet shortens it, without its last digits: `1.23457E+15`. */
const shortenedInteger = /^\s*[+-]?\d+(?:[.,]\d+)?E\+\d+\s*$/i;

/** Returns the lines with a number in a column whose last digits a spreadsheet has lost. */
export function findRoundedRows({ rows, roundedCells }: DataTable, column: number): readonly number[] {
  return rows
    .filter(
      ({ line, cells }) => shortenedInteger.test(cells[column] ?? '') || roundedCells.has(getCellKey(line, column)),
    )
    .map(({ line }) => line);
}
