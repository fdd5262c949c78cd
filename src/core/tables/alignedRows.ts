import type { Cell } from '../util/delimitedRows.ts';

/** Maximum number of characters in a cell. Longer text is truncated and ends with "…". */
const maxCellLength = 64;

/**
 * Yields rows as lines of text for reading in an editor, with columns aligned by spaces and a ruler below the first
 * row. Calls `listRows` twice: once to measure the columns and once to format the rows.
 */
export function* alignRows(listRows: () => Iterable<readonly Cell[]>): Generator<string> {
  const widths = measureColumns(listRows());
  let hasRuler = false;
  for (const cells of listRows()) {
    yield joinCells(cells.map(formatCell), widths);
    if (!hasRuler)
      yield joinCells(
        widths.map((width) => '─'.repeat(width)),
        widths,
      );
    hasRuler = true;
  }
}

function measureColumns(rows: Iterable<readonly Cell[]>): readonly number[] {
  const widths: number[] = [];
  for (const cells of rows)
    for (const [column, cell] of cells.entries())
      widths[column] = Math.max(widths[column] ?? 0, countCharacters(formatCell(cell)));
  return widths;
}

function joinCells(texts: readonly string[], widths: readonly number[]): string {
  const padded = texts.map((text, column) => text + ' '.repeat((widths[column] ?? 0) - countCharacters(text)));
  return `${padded.join('  ').trimEnd()}\n`;
}

function formatCell(cell: Cell): string {
  const text = String(cell ?? '')
    .slice(0, 4 * maxCellLength)
    .replaceAll(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]+/gu, ' ');
  const characters = Array.from(text);
  return characters.length <= maxCellLength ? text : `${characters.slice(0, maxCellLength - 1).join('')}…`;
}

function countCharacters(text: string): number {
  return Array.from(text).length;
}
