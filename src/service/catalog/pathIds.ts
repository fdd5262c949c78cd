import type { SqliteFile } from '../sqlite.ts';
import { toCatalogFile, type CatalogRows, type FileRow } from './catalogRows.ts';
import type { ScannedFile } from './catalogFile.ts';

/** A range of free IDs between two rows, before the first row, or after the last row. */
interface IdRange {
  readonly after: number;
  readonly before: number;
}

/** Maximum distance between consecutive new IDs. The gaps leave room for later files. */
export const idStride = 2 ** 13;
const maxId = 2 ** 52;
/** Minimum distance between IDs after rows have been renumbered to make room. */
const minRoom = 32;

/** Assigns IDs in path order. If there is no room between two IDs, gives other rows new IDs. */
export class PathIds {
  private readonly database: SqliteFile;
  private readonly rows: CatalogRows;

  constructor(database: SqliteFile, rows: CatalogRows) {
    this.database = database;
    this.rows = rows;
  }

  /**
   * Inserts new files, which must be in path order with no known file between them. Returns true if other rows were
   * given new IDs.
   */
  insert(files: readonly ScannedFile[]): boolean {
    const [first] = files;
    if (first === undefined) return false;
    const range = this.findRange(first.path);
    const hasRoom = range.before - range.after > files.length;
    const { after, before } = hasRoom ? range : this.makeRoom(range, files.length);
    const step = Math.min(idStride, Math.floor((before - after) / (files.length + 1)));
    this.rows.insertAll(files, after + step, step);
    return !hasRoom;
  }

  private findRange(path: string): IdRange {
    const before = this.database.prepare('SELECT id FROM files WHERE path < ? ORDER BY path DESC LIMIT 1').get(path);
    const after = Number(before?.['id'] ?? 0);
    const next = this.database.prepare('SELECT id FROM files WHERE id > ? ORDER BY id LIMIT 1').get(after);
    return { after, before: Number(next?.['id'] ?? maxId) };
  }

  /** Spreads out the IDs of the rows around a range, and returns the enlarged range. */
  private makeRoom({ after, before }: IdRange, count: number): IdRange {
    for (let reach = 64; ; reach *= 4) {
      const left = this.select('id <= ? ORDER BY id DESC', after, reach).reverse();
      const right = this.select('id >= ? ORDER BY id', before, reach);
      const from = left.length < reach ? 0 : (left.shift()?.id ?? 0);
      const to = right.length < reach ? maxId : (right.pop()?.id ?? maxId);
      const step = Math.min(idStride, Math.floor((to - from) / (left.length + right.length + count + 1)));
      const isEverything = from === 0 && to === maxId;
      if (step < minRoom && !isEverything) continue;
      return this.spreadRows({ left, right, from, step, count });
    }
  }

  private spreadRows(layout: {
    readonly left: readonly FileRow[];
    readonly right: readonly FileRow[];
    readonly from: number;
    readonly step: number;
    readonly count: number;
  }): IdRange {
    const { left, right, from, step, count } = layout;
    for (const row of [...left, ...right]) this.rows.delete(row);
    const after = from + step * left.length;
    const before = after + step * (count + 1);
    for (const [index, row] of left.entries()) this.rewrite(from + step * (index + 1), row);
    for (const [index, row] of right.entries()) this.rewrite(before + step * index, row);
    return { after, before };
  }

  private rewrite(id: number, row: FileRow): void {
    this.rows.insert(id, toCatalogFile(row), row.sha256);
  }

  private select(where: string, id: number, count: number): FileRow[] {
    return this.database.prepare(`SELECT * FROM files WHERE ${where} LIMIT ?`).all(id, count) as unknown as FileRow[];
  }
}
