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

/**
 * Converts text from a server or a file to a single line without control or format characters. Such characters could
 * change how a terminal displays other text.
 */
export function toPlainCell(text: string): string {
  return text
    .replace(/[\p{Cc}\p{Zl}\p{Zp}]+/gu, ' ')
    .replace(/\p{Cf}/gu, '')
    .trim();
}

const units = ['B', 'kB', 'MB', 'GB', 'TB', 'PB'];

/** Formats a number of bytes with a decimal unit: `1.5 MB`. */
export function formatBytes(sizeBytes: number): string {
  const power = sizeBytes < 1000 ? 0 : Math.min(units.length - 1, Math.floor(Math.log10(sizeBytes) / 3));
  const amount = sizeBytes / 1000 ** power;
  return `${power === 0 || amount >= 100 ? Math.round(amount) : amount.toFixed(1)} ${units[power] ?? ''}`;
}

/** Formats a count with its noun: `1 file`, `2 files`. */
export function formatCount(count: number, noun: string): string {
  return `${count} ${noun}${count === 1 ? '' : 's'}`;
}
