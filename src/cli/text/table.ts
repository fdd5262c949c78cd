import { toPlainCell } from './plainCell.ts';

/** A column of a table. `getText` returns the text of the column's cell in a row; numbers are right-aligned. */
export interface Column<T> {
  readonly title: string;
  readonly isNumber?: boolean;
  readonly getText: (row: T) => string | undefined;
}

/** Formats rows as a table with aligned columns. Converts each cell to plain text on a single line. */
export function formatTable<T>(columns: readonly Column<T>[], rows: readonly T[]): string {
  const cells = rows.map((row) => columns.map(({ getText }) => toPlainCell(getText(row) ?? '')));
  const lines = [columns.map(({ title }) => title), ...cells];
  const widths = columns.map((_, index) =>
    lines.reduce((widest, line) => Math.max(widest, line[index]?.length ?? 0), 0),
  );
  return lines.map((line) => formatLine(columns, line, widths)).join('');
}

function formatLine<T>(columns: readonly Column<T>[], line: readonly string[], widths: readonly number[]): string {
  const padded = columns.map(({ isNumber }, index) => {
    const [cell = '', width = 0] = [line[index], widths[index]];
    return isNumber ? cell.padStart(width) : cell.padEnd(width);
  });
  return `${padded.join('  ').trimEnd()}\n`;
}
