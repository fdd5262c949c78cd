import type { SqliteFile } from '../sqlite.ts';
import { fileOfRow, type CatalogRows, type FileRow } from './catalogRows.ts';
import type { FoundFile } from './catalogFile.ts';

/** The id of a row, or the beginning or end of all rows. */
interface Place {
  readonly after: number;
  readonly before: number;
}

/** Between two files that are found one after the other: room for those that come between them later. */
const stride = 2 ** 13;
const end = 2 ** 52;
/** Where rows are moved to make room, each gets at least this. */
const leastRoom = 32;

/** Gives out ids that go in the order of the paths, and moves rows where there is no room for another. */
export class PathIds {
  private readonly database: SqliteFile;
  private readonly rows: CatalogRows;

  constructor(database: SqliteFile, rows: CatalogRows) {
    this.database = database;
    this.rows = rows;
  }

  /**
   * Inserts files that follow each other, none of them known, and no known file between them.
   * Returns whether rows were moved for them.
   */
  insert(files: readonly FoundFile[]): boolean {
    const [first] = files;
    if (first === undefined) return false;
    const found = this.placeOf(first.path);
    const hasRoom = found.before - found.after > files.length;
    const { after, before } = hasRoom ? found : this.makeRoom(found, files.length);
    const step = Math.min(stride, Math.floor((before - after) / (files.length + 1)));
    for (const [index, file] of files.entries()) this.rows.insert(after + step * (index + 1), file);
    return !hasRoom;
  }

  private placeOf(path: string): Place {
    const before = this.database.prepare('SELECT id FROM files WHERE path < ? ORDER BY path DESC LIMIT 1').get(path);
    const after = Number(before?.['id'] ?? 0);
    const next = this.database.prepare('SELECT id FROM files WHERE id > ? ORDER BY id LIMIT 1').get(after);
    return { after, before: Number(next?.['id'] ?? end) };
  }

  /** Spreads the rows around a place over as many ids as it takes, and returns the place between them. */
  private makeRoom({ after, before }: Place, count: number): Place {
    for (let reach = 64; ; reach *= 4) {
      const left = this.select('id <= ? ORDER BY id DESC', after, reach).reverse();
      const right = this.select('id >= ? ORDER BY id', before, reach);
      const from = left.length < reach ? 0 : (left.shift()?.id ?? 0);
      const to = right.length < reach ? end : (right.pop()?.id ?? end);
      const step = Math.min(stride, Math.floor((to - from) / (left.length + right.length + count + 1)));
      const isEverything = from === 0 && to === end;
      if (step < leastRoom && !isEverything) continue;
      return this.spread({ left, right, from, step, count });
    }
  }

  private spread(plan: {
    readonly left: readonly FileRow[];
    readonly right: readonly FileRow[];
    readonly from: number;
    readonly step: number;
    readonly count: number;
  }): Place {
    const { left, right, from, step, count } = plan;
    for (const row of [...left, ...right]) this.rows.delete(row);
    const after = from + step * left.length;
    const before = after + step * (count + 1);
    for (const [index, row] of left.entries()) this.writeAgain(from + step * (index + 1), row);
    for (const [index, row] of right.entries()) this.writeAgain(before + step * index, row);
    return { after, before };
  }

  private writeAgain(id: number, row: FileRow): void {
    this.rows.insert(id, fileOfRow(row), row.sha256);
  }

  private select(where: string, id: number, count: number): FileRow[] {
    return this.database.prepare(`SELECT * FROM files WHERE ${where} LIMIT ?`).all(id, count) as unknown as FileRow[];
  }
}
