/** A column of a table. `read` returns a row's text or number; undefined if it is unknown. */
export interface GridColumn<Row> {
  readonly id: string;
  readonly label: string;
  /** A `size` is a number of bytes. */
  readonly kind: 'text' | 'size';
  /** When the column is shown: always, if any row has a value, or if the rows have different ones. */
  readonly presence: 'always' | 'known' | 'varied';
  read(row: Row): string | number | undefined;
}

/** The order of a table's rows. */
interface TableSort {
  /** ID of the column. */
  readonly column: string;
  readonly isDescending: boolean;
}

/** Which rows of a table are shown, and in which order; without `sort`, in the order in which they were added. */
interface TableArrangement<Row> {
  readonly sort?: TableSort | undefined;
  /** Words that a row's text must contain, in any case. */
  readonly filter: string;
  /** Accepts the rows to show; absent to show all that match the filter. */
  readonly accepts?: ((row: Row) => boolean) | undefined;
}

/** The number of rows in which {@link TableRows.findColumns} looks for values. */
const rowsAtOnce = 1_000;

interface KeyedRow<Row> {
  readonly row: Row;
  readonly key: string | number;
}

/** The rows of a table: filters and sorts them, and returns parts of them by position. */
export class TableRows<Row> {
  private readonly columns: readonly GridColumn<Row>[];
  private readonly getText: (row: Row) => string;
  private readonly names: Intl.Collator;
  private found = new Set<string>();
  private earlier: ReadonlySet<string> = new Set();
  private all: Row[] = [];
  private searchedCount = 0;
  /** The shown rows that have a value in the column of the order, in order, and the others. */
  private keyed: readonly KeyedRow<Row>[] = [];
  private others: readonly Row[] = [];
  private arranged: readonly Row[] = [];
  private arrangement: TableArrangement<Row> = { filter: '' };

  /** `getText` returns the text that the filter searches. Names are compared as `language` does. */
  constructor(columns: readonly GridColumn<Row>[], getText: (row: Row) => string, language: string) {
    this.columns = columns;
    this.getText = getText;
    this.names = new Intl.Collator(language, { numeric: true, sensitivity: 'base' });
    this.clear();
  }

  /** The number of all rows, shown or not. */
  get count(): number {
    return this.all.length;
  }

  /** The rows that are shown, in order. */
  get shown(): readonly Row[] {
    return this.arranged;
  }

  /** The columns that are shown. */
  get shownColumns(): readonly GridColumn<Row>[] {
    return this.columns.filter(({ id }) => this.found.has(id) || this.earlier.has(id));
  }

  /** Removes all rows. Their columns remain until {@link findColumns} has looked at all of the next ones. */
  clear(): void {
    this.all = [];
    this.searchedCount = 0;
    this.place([]);
    this.earlier = new Set(this.shownColumns.map(({ id }) => id));
    this.found = new Set(this.columns.flatMap(({ id, presence }) => (presence === 'always' ? [id] : [])));
  }

  /** Adds rows, at their places in the current order. */
  add(rows: readonly Row[]): void {
    if (rows.length === 0) return;
    this.append(rows);
    this.place(this.filter(rows), this.keyed, this.others);
  }

  /** Shows the rows in another way, after adding some. */
  arrange(arrangement: TableArrangement<Row>, added: readonly Row[] = []): void {
    this.append(added);
    this.arrangement = arrangement;
    this.place(this.filter(this.all));
  }

  /** Returns at most `count` of the shown rows, from position `first` on. */
  getWindow(first: number, count: number): readonly Row[] {
    return this.arranged.slice(first, first + count);
  }

  /**
   * Looks for columns with values in the next thousand rows, as if they had just been added. Returns false if all rows
   * have been looked at. Reading all values of 50,000 rows at once would delay the first of them.
   */
  findColumns(): boolean {
    const rows = this.all.slice(this.searchedCount, this.searchedCount + rowsAtOnce);
    for (const column of this.columns) this.findValues(column, rows);
    this.searchedCount += rows.length;
    const hasMore = this.searchedCount < this.all.length;
    if (!hasMore) this.earlier = this.found;
    return hasMore;
  }

  private append(rows: readonly Row[]): void {
    for (const row of rows) this.all.push(row);
    this.findColumns();
  }

  private findValues({ id, presence, read }: GridColumn<Row>, rows: readonly Row[]): void {
    if (this.found.has(id)) return;
    const [first] = this.all;
    const expected = presence === 'varied' && first !== undefined ? read(first) : undefined;
    if (rows.some((row) => read(row) !== expected)) this.found.add(id);
  }

  private filter(rows: readonly Row[]): readonly Row[] {
    const { filter, accepts } = this.arrangement;
    const words = fold(filter).split(/\s+/).filter(Boolean);
    const matches = (row: Row): boolean => {
      const text = fold(this.getText(row));
      return words.every((word) => text.includes(word));
    };
    const found = words.length === 0 ? rows : rows.filter(matches);
    return accepts ? found.filter(accepts) : found;
  }

  private place(
    rows: readonly Row[],
    earlier: readonly KeyedRow<Row>[] = [],
    earlierOthers: readonly Row[] = [],
  ): void {
    const { sort } = this.arrangement;
    const column = this.columns.find(({ id }) => id === sort?.column);
    const keyed = [...earlier];
    const others = [...earlierOthers];
    for (const row of rows) {
      const key = column?.read(row);
      if (key === undefined) others.push(row);
      else keyed.push({ row, key });
    }
    // The sort finds that the first part is sorted already, and only merges the rest.
    this.keyed = keyed.sort((one, other) => (sort?.isDescending ? this.compare(other, one) : this.compare(one, other)));
    this.others = others;
    this.arranged = [...keyed.map(({ row }) => row), ...others];
  }

  private compare({ key: one }: KeyedRow<Row>, { key: other }: KeyedRow<Row>): number {
    if (typeof one === 'number' && typeof other === 'number') return one - other;
    return this.names.compare(String(one), String(other));
  }
}

function fold(text: string): string {
  return text.toLowerCase();
}
