import { getCellKey, type CellDoubt } from './cellDoubt.ts';
import type { CellText } from './numberFormat.ts';
import { maxCells, maxRows, TableError } from './tableError.ts';

/** The last row and column of spreadsheet programs. */
const lastRow = 1_048_576;
const lastColumn = 16_384;

/** The number of cells that need as much memory as a doubt. */
const doubtWeight = 10;

/** The numbers of rows and cells that can still be read from a workbook. */
export class CellBudget {
  rows = maxRows;
  cells = maxCells;
}

/** Collects the rows of a sheet. Throws a {@link TableError} if they would need too much memory. */
export class SheetCollector {
  readonly name: string;
  private readonly budget: CellBudget;
  /** The rows that aren't empty. */
  readonly rows: { readonly line: number; readonly cells: readonly string[] }[] = [];
  readonly doubts = new Map<string, CellDoubt>();
  private columnCount = 0;
  private cells: string[] = [];
  private rowDoubts: [number, CellDoubt][] = [];

  constructor(name: string, budget: CellBudget) {
    this.name = name;
    this.budget = budget;
  }

  /** Adds a cell to the current row, at this column and those that follow. */
  addCell(column: number, { text, doubt }: CellText, repeat = 1): void {
    if (text === '' && !doubt) return;
    if (column + repeat > lastColumn) throw new TableError('tooManyCells');
    while (this.cells.length < column) this.cells.push('');
    for (let at = column; at < column + repeat; at += 1) {
      this.cells[at] = text;
      if (doubt) this.rowDoubts.push([at, doubt]);
    }
  }

  /** Ends the current row, which is at this line and those that follow. */
  endRow(line: number, repeat = 1): void {
    const { cells, rowDoubts } = this;
    if (!((line >= 1 && line + repeat - 1 <= lastRow) || cells.length === 0)) throw new TableError('tooManyCells');
    if (cells.length === 0) return;
    this.columnCount = Math.max(this.columnCount, cells.length);
    this.budget.rows -= repeat;
    this.budget.cells -= (cells.length + rowDoubts.length * doubtWeight) * repeat;
    if (this.budget.rows < 0) throw new TableError('tooManyRows');
    if (this.budget.cells < 0 || (this.rows.length + repeat) * this.columnCount > maxCells)
      throw new TableError('tooManyCells');
    for (let at = line; at < line + repeat; at += 1) {
      this.rows.push({ line: at, cells });
      for (const [column, doubt] of rowDoubts) this.doubts.set(getCellKey(at, column), doubt);
    }
    this.cells = [];
    this.rowDoubts = [];
  }
}
