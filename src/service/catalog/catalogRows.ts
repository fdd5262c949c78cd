import type { StatementSync } from 'node:sqlite';
import type { SqliteFile } from '../sqlite.ts';
import {
  getBaseName,
  getDeclaredId,
  getFormat,
  getParentFolder,
  parseMetadata,
  type CatalogFile,
  type ScannedFile,
} from './catalogFile.ts';
import { folderEndMarker, toIndexText } from './textMatching.ts';

/** A row of the catalog's `files` table. */
export interface FileRow {
  readonly id: number;
  readonly path: string;
  readonly format: string;
  readonly bytes: number;
  readonly modified: number;
  readonly metadata: string | null;
  readonly sha256: string | null;
  /** The ID that a Data Package declares; used only if it identifies no other file. */
  readonly declared: string | null;
}

/** Converts a row to a file; omits empty columns. */
export function toCatalogFile(row: FileRow): CatalogFile {
  return {
    path: row.path,
    format: row.format,
    bytes: row.bytes,
    modifiedMs: row.modified,
    ...(row.metadata === null ? {} : { metadata: row.metadata }),
    ...(row.sha256 === null ? {} : { sha256: row.sha256 }),
  };
}

const describedFields = /"(?:id|title|description|format|keywords)":/;

function isPlain({ path, metadata = '' }: ScannedFile): boolean {
  return toIndexText(path) === path && !describedFields.test(metadata);
}

function getFolderLength(path: string): number {
  return path.lastIndexOf('/') + 1;
}

/**
 * Returns the properties of a file whose search words can be copied from its path unchanged; undefined for other files.
 * `folderLength` is the length of the path before the file name.
 */
export function describePlainFile(
  file: ScannedFile,
): { readonly format: string; readonly folderLength: number } | undefined {
  if (!isPlain(file)) return undefined;
  return { format: getFormat(getBaseName(file.path)), folderLength: getFolderLength(file.path) };
}

/**
 * SQL that inserts the search words of plain files (see {@link describePlainFile}) into the full-text index, as
 * {@link CatalogRows} does for each file. Append a FROM clause that provides `id`, `path` and `folderLength`.
 */
export const plainWordsSql = `INSERT INTO words (rowid, name, title, folder, rest)
  SELECT id, substr(path, folderLength + 1), '',
    CASE folderLength WHEN 0 THEN '' ELSE substr(path, 1, folderLength - 1) || ' ${folderEndMarker}' END, ''`;

/** Maximum number of index segments that are handled efficiently: that of 1.6 million files. */
const maxSegments = 32;

/** Number of files that one statement inserts. Running a statement takes longer than inserting a row. */
const groupSize = 50;

/**
 * Returns SQL that inserts rows into the `files` table. With FAIL, SQLite writes no journal to undo a failed statement
 * with several rows. The caller rolls back the transaction after an error.
 */
function buildInsert(rowCount: number, row = '(?, ?, ?, ?, ?, ?, ?, ?)'): string {
  const rows = Array<string>(rowCount).fill(row).join(', ');
  return `INSERT OR FAIL INTO files (id, path, format, bytes, modified, metadata, sha256, declared) VALUES ${rows}`;
}

/** Most files have no metadata, and their rows are faster to insert with fewer values to bind. */
const bareRow = '(?, ?, ?, ?, ?, NULL, NULL, NULL)';

/** Consecutive rows of plain files whose paths have equally long folders. */
type PlainRun = [firstId: number, lastId: number, folderLength: number];

const insertRunWords = `WITH runs AS MATERIALIZED
  (SELECT value ->> 0 AS firstId, value ->> 1 AS lastId, value ->> 2 AS folderLength FROM json_each(?))
  ${plainWordsSql} FROM runs CROSS JOIN files ON id BETWEEN firstId AND lastId`;

type RowValues = readonly (string | number | null)[];

function getRowValues(id: number, file: ScannedFile, sha256: string | null): RowValues {
  const { path, bytes, modifiedMs, metadata = null } = file;
  return [id, path, getFileFormat(file), bytes, modifiedMs, metadata, sha256, getDeclaredId(file) ?? null];
}

type RowWords = readonly [name: string, title: string, folder: string, rest: string];

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

/** Writes the properties and search words of files, with IDs in path order. Uses the caller's transaction. */
export class CatalogRows {
  private readonly database: SqliteFile;
  private readonly insertFile: StatementSync;
  private readonly insertGroup: StatementSync;
  private readonly insertBareGroup: StatementSync;
  private readonly updateFile: StatementSync;
  private readonly deleteFile: StatementSync;
  private readonly insertWords: StatementSync;
  private readonly deleteWords: StatementSync;
  private lastFolder = { path: '', words: '' };
  /** Appended rows that the full-text index lacks. */
  private runs: PlainRun[] = [];

  constructor(database: SqliteFile) {
    this.database = database;
    this.insertFile = database.prepare(buildInsert(1));
    this.insertGroup = database.prepare(buildInsert(groupSize));
    this.insertBareGroup = database.prepare(buildInsert(groupSize, bareRow));
    this.updateFile = database.prepare(
      'UPDATE files SET format = ?, bytes = ?, modified = ?, metadata = ?, declared = ?, sha256 = NULL WHERE id = ?',
    );
    this.deleteFile = database.prepare('DELETE FROM files WHERE id = ?');
    this.insertWords = database.prepare('INSERT INTO words (rowid, name, title, folder, rest) VALUES (?, ?, ?, ?, ?)');
    this.deleteWords = database.prepare(
      "INSERT INTO words (words, rowid, name, title, folder, rest) VALUES ('delete', ?, ?, ?, ?, ?)",
    );
  }

  /** Inserts files in path order with no known file between them. Returns true if other rows got new IDs. */
  insertBetween(files: readonly ScannedFile[]): boolean {
    const [first] = files;
    if (first === undefined) return false;
    const range = this.findRange(first.path);
    const hasRoom = range.before - range.after > files.length;
    const { after, before } = hasRoom ? range : this.makeRoom(range, files.length);
    const step = Math.min(idStride, Math.floor((before - after) / (files.length + 1)));
    this.insertRows(files, after + step, step);
    for (const [index, file] of files.entries())
      this.insertWords.run(after + step * (index + 1), ...this.buildWords(file));
    return !hasRoom;
  }

  /** Inserts files in path order after all others. The caller completes the index with {@link indexAppended}. */
  append(files: readonly ScannedFile[]): void {
    const { last } = this.database.prepare('SELECT max(id) AS last FROM files').get() ?? {};
    let id = Number(last ?? 0);
    this.insertRows(files, id + idStride, idStride);
    for (const file of files) this.appendWords((id += idStride), file);
  }

  /** Adds appended plain files to the full-text index in one statement, which takes a third less time than one for each. */
  indexAppended(): void {
    if (this.runs.length > 0) this.database.prepare(insertRunWords).run(JSON.stringify(this.runs));
    this.runs = [];
  }

  private insertRows(files: readonly ScannedFile[], firstId: number, step: number): void {
    for (let from = 0; from < files.length; from += groupSize) {
      const group = files.slice(from, from + groupSize);
      this.insertRowGroup(group, firstId + step * from, step);
    }
  }

  private insertRowGroup(group: readonly ScannedFile[], firstId: number, step: number): void {
    const isWhole = group.length === groupSize;
    if (isWhole && group.every(({ metadata }) => metadata === undefined)) {
      const values: (string | number)[] = [];
      for (const [index, { path, bytes, modifiedMs }] of group.entries())
        values.push(firstId + step * index, path, getFormat(getBaseName(path)), bytes, modifiedMs);
      this.insertBareGroup.run(...values);
      return;
    }
    const rows = group.map((file, index) => getRowValues(firstId + step * index, file, null));
    if (isWhole) this.insertGroup.run(...rows.flat());
    else for (const row of rows) this.insertFile.run(...row);
  }

  private appendWords(id: number, file: ScannedFile): void {
    if (!isPlain(file)) {
      this.insertWords.run(id, ...this.buildWords(file));
      return;
    }
    const folderLength = getFolderLength(file.path);
    const run = this.runs.at(-1);
    if (run?.[1] === id - idStride && run[2] === folderLength) run[1] = id;
    else this.runs.push([id, id, folderLength]);
  }

  private findRange(path: string): IdRange {
    const before = this.database.prepare('SELECT id FROM files WHERE path < ? ORDER BY path DESC LIMIT 1').get(path);
    const after = Number(before?.['id'] ?? 0);
    const next = this.database.prepare('SELECT id FROM files WHERE id > ? ORDER BY id LIMIT 1').get(after);
    return { after, before: Number(next?.['id'] ?? maxId) };
  }

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
    for (const row of [...left, ...right]) this.delete(row);
    const after = from + step * left.length;
    const before = after + step * (count + 1);
    for (const [index, row] of left.entries()) this.rewrite(from + step * (index + 1), row);
    for (const [index, row] of right.entries()) this.rewrite(before + step * index, row);
    return { after, before };
  }

  private rewrite(id: number, row: FileRow): void {
    this.insert(id, toCatalogFile(row), row.sha256);
  }

  private select(where: string, id: number, count: number): FileRow[] {
    return this.database.prepare(`SELECT * FROM files WHERE ${where} LIMIT ?`).all(id, count) as unknown as FileRow[];
  }
  /** Inserts a row. Pass `sha256` only when rewriting an existing row. */
  insert(id: number, file: ScannedFile, sha256: string | null = null): void {
    this.insertFile.run(...getRowValues(id, file, sha256));
    this.insertWords.run(id, ...this.buildWords(file));
  }

  /** Updates a row, and clears its hash, if the file or its metadata has changed; returns whether. */
  update(known: FileRow, file: ScannedFile): boolean {
    const { bytes, modifiedMs, metadata = null } = file;
    const isDescribedSame = known.metadata === metadata;
    if (isDescribedSame && known.bytes === bytes && known.modified === modifiedMs) return false;
    this.updateFile.run(getFileFormat(file), bytes, modifiedMs, metadata, getDeclaredId(file) ?? null, known.id);
    if (isDescribedSame) return true;
    this.removeWords(known);
    this.insertWords.run(known.id, ...this.buildWords(file));
    return true;
  }

  /**
   * Turns automatic merging of index segments off or on. Filling an empty catalog is faster without it, and later
   * writes merge the segments gradually. While it is off, SQLite merges segments only when there are
   * {@link maxSegments} of them. SQLite stores the setting in the file.
   */
  deferMerging(isDeferred: boolean): void {
    // A transaction that was rolled back may have left some.
    this.runs = [];
    if (isDeferred === this.isMergingDeferred()) return;
    const settings = isDeferred ? `('automerge', 0), ('crisismerge', ${maxSegments})` : "('automerge', 4)";
    this.database.exec(`INSERT INTO words (words, rank) VALUES ${settings}`);
  }

  delete(row: FileRow): void {
    this.deleteFile.run(row.id);
    this.removeWords(row);
  }

  private isMergingDeferred(): boolean {
    return this.database.prepare("SELECT 1 FROM words_config WHERE k = 'automerge' AND v = 0").get() !== undefined;
  }

  /** Deleting from a contentless index requires the original text. */
  private removeWords(row: FileRow): void {
    this.deleteWords.run(row.id, ...this.buildWords(toCatalogFile(row)));
  }

  private buildWords(file: ScannedFile): RowWords {
    const { title, rest } = file.metadata === undefined ? emptyText : getDescribedText(file);
    const name = getBaseName(file.path);
    const folder = this.getFolderWords(getParentFolder(file.path));
    return [toIndexText(name), toIndexText(title), folder, toIndexText(rest)];
  }

  private getFolderWords(path: string): string {
    if (path === '') return '';
    if (this.lastFolder.path !== path) {
      this.lastFolder = { path, words: `${toIndexText(path)} ${folderEndMarker}` };
    }
    return this.lastFolder.words;
  }
}

const emptyText = { title: '', rest: '' };

function getDescribedText(file: ScannedFile): { readonly title: string; readonly rest: string } {
  const { id, title, description, format, keywords } = parseMetadata(file);
  const rest: unknown[] = [id, description, format, ...(Array.isArray(keywords) ? (keywords as unknown[]) : [])];
  return {
    title: typeof title === 'string' ? title : '',
    rest: rest.filter((text) => typeof text === 'string').join(' \n '),
  };
}

function getFileFormat(file: ScannedFile): string {
  const declared = file.metadata === undefined ? undefined : parseMetadata(file)['format'];
  return typeof declared === 'string' ? declared.toLowerCase() : getFormat(getBaseName(file.path));
}
