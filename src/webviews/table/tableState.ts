import {
  chunkLength,
  type ShownColumn,
  type ShownRow,
  type TableHostMessage,
  type TableSnapshot,
} from '../messages/tableMessages.ts';

/** The height of a row in pixels. */
export const rowHeight = 24;

/** The rows of a part of the table, as they were in a version of it. */
interface Chunk {
  readonly version: number;
  readonly rows: readonly ShownRow[];
}

/** The table without its rows, and the chunks of rows that arrived last. */
export interface TableState {
  readonly snapshot: TableSnapshot;
  readonly chunks: ReadonlyMap<number, Chunk>;
}

/** More chunks than this are kept only by the host. */
const maxChunks = 20;

/** Returns the state after a message; undefined before the first snapshot. */
export function updateTable(state: TableState | undefined, message: TableHostMessage): TableState | undefined {
  if (message.type === 'start') {
    const { snapshot, rows } = message;
    return { snapshot, chunks: new Map([[0, { version: snapshot.version, rows }]]) };
  }
  if (message.type === 'snapshot') {
    const { snapshot } = message;
    // Until the new rows arrive, the page shows the earlier ones.
    const isAlike = state && getColumnKey(state.snapshot) === getColumnKey(snapshot);
    return { snapshot, chunks: isAlike ? state.chunks : new Map() };
  }
  if (!state) return undefined;
  const { chunk, version, rows } = message;
  const others = [...state.chunks].filter(([number]) => number !== chunk).slice(1 - maxChunks);
  return { snapshot: state.snapshot, chunks: new Map([...others, [chunk, { version, rows }]]) };
}

function getColumnKey({ columns }: TableSnapshot): string {
  return columns.map(({ id }) => id).join();
}

/** Returns the row at a position; undefined until it has been received. */
export function findRow({ snapshot, chunks }: TableState, index: number): ShownRow | undefined {
  if (index >= snapshot.shown) return undefined;
  return chunks.get(Math.floor(index / chunkLength))?.rows[index % chunkLength];
}

/** The positions of the first row to draw, and of the one after the last. */
export interface RowRange {
  readonly first: number;
  readonly end: number;
}

/** The rows that are drawn above and below the visible ones. They are drawn again after half as many. */
const margin = 10;

/** Returns the rows to draw for a scroll position and height in pixels. */
export function getRange(scrollTop: number, height: number, shown: number): RowRange {
  const step = margin / 2;
  const top = Math.floor(scrollTop / rowHeight / step) * step;
  const end = top + Math.ceil(height / rowHeight) + step + margin;
  return { first: Math.max(0, Math.min(top - margin, shown - margin)), end: Math.min(shown, end) };
}

/** Returns the numbers of the chunks that contain rows of a range and that the page lacks or has in an old version. */
export function listMissingChunks({ snapshot, chunks }: TableState, { first, end }: RowRange): readonly number[] {
  const from = Math.floor(first / chunkLength);
  const count = end > first ? Math.floor((end - 1) / chunkLength) - from + 1 : 0;
  const wanted = Array.from({ length: count }, (_, index) => from + index);
  return wanted.filter((chunk) => chunks.get(chunk)?.version !== snapshot.version);
}

/**
 * Returns the missing chunks that are not on their way, and adds them to `requested`, which has the version in which
 * each chunk was last requested.
 */
export function takeMissingChunks(
  state: TableState,
  range: RowRange,
  requested: Map<number, number>,
): readonly number[] {
  const { version } = state.snapshot;
  // A chunk that arrived may be dropped later, and is then requested again.
  for (const [chunk, { version: sent }] of state.chunks)
    if ((requested.get(chunk) ?? Infinity) <= sent) requested.delete(chunk);
  const missing = listMissingChunks(state, range).filter((chunk) => requested.get(chunk) !== version);
  for (const chunk of missing) requested.set(chunk, version);
  return missing;
}

/** Returns the position that a key moves the focus to; undefined if the key doesn't move it. */
export function moveActive(key: string, active: number, shown: number, pageRows: number): number | undefined {
  const targets: Readonly<Record<string, number>> = {
    ArrowDown: active + 1,
    ArrowUp: active - 1,
    PageDown: active + pageRows,
    PageUp: active - pageRows,
    Home: 0,
    End: shown - 1,
  };
  const target = Object.hasOwn(targets, key) ? targets[key] : undefined;
  return target === undefined ? undefined : Math.max(0, Math.min(shown - 1, target));
}

/** Returns the scroll position at which a row is visible, which is the current one if it is. */
export function getScrollTop(index: number, scrollTop: number, height: number): number {
  const top = index * rowHeight;
  return Math.max(Math.min(scrollTop, top), top + rowHeight - height);
}

type Sort = TableSnapshot['sort'];

/** Returns the order after a click on a column's header: sizes from the largest on, texts from A on, and then reversed. */
export function toggleSort(sort: Sort, { id, kind }: ShownColumn): NonNullable<Sort> {
  const isDescending = sort?.column === id ? !sort.isDescending : kind === 'size';
  return { column: id, isDescending };
}

interface Width {
  readonly pixels: number;
  /** The share of the space that is left; 0 if the column doesn't grow. */
  readonly share: number;
}

const widths: Readonly<Record<string, Width>> = {
  name: { pixels: 220, share: 3 },
  folder: { pixels: 140, share: 2 },
  size: { pixels: 88, share: 0 },
  format: { pixels: 96, share: 0 },
  staged: { pixels: 80, share: 0 },
  path: { pixels: 220, share: 3 },
  details: { pixels: 120, share: 2 },
};

const checkWidth: Width = { pixels: 32, share: 0 };

/** The least width of a table's rows, and the widths of their columns, as CSS. */
interface TableWidths {
  readonly total: string;
  readonly columns: string;
}

interface WideTable {
  readonly columns: readonly ShownColumn[];
  readonly hasChecks: boolean;
}

/** Returns the widths of a table, whose rows begin with a check box if they can have one. */
export function getWidths({ columns, hasChecks }: WideTable): TableWidths {
  const all = [...(hasChecks ? [checkWidth] : []), ...columns.map(({ id }) => widths[id] ?? { pixels: 120, share: 1 })];
  const total = all.reduce((sum, { pixels }) => sum + pixels, 0);
  const toTrack = ({ pixels, share }: Width): string =>
    share === 0 ? `${pixels}px` : `minmax(${pixels}px, ${share}fr)`;
  return { total: `${total}px`, columns: all.map(toTrack).join(' ') };
}
