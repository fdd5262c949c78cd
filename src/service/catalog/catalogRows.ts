import type { StatementSync } from 'node:sqlite';
import type { SqliteFile } from '../sqlite.ts';
import { declaredIdOf, metadataOf, type CatalogFile, type FoundFile } from './catalogFile.ts';
import type { TextMode } from './catalogTables.ts';
import { formatOf } from './mediaTypes.ts';
import { folderOfPath, nameOfPath } from './pathOrder.ts';
import { folderEnd, indexedWords, wordsOf } from './words.ts';

/** A row of the table `files`. */
export interface FileRow {
  readonly id: number;
  readonly path: string;
  readonly format: string;
  readonly bytes: number;
  readonly modified: number;
  readonly metadata: string | null;
  readonly sha256: string | null;
  /** The id that a Data Package declares; it counts only where no other file has it. */
  readonly declared: string | null;
}

/** The file that a row stands for. */
export function fileOfRow(row: FileRow): CatalogFile {
  return {
    path: row.path,
    format: row.format,
    bytes: row.bytes,
    modifiedMs: row.modified,
    ...(row.metadata === null ? {} : { metadata: row.metadata }),
    ...(row.sha256 === null ? {} : { sha256: row.sha256 }),
  };
}

/** The columns of the table `words`, as they are written. */
type RowWords = readonly [name: string, title: string, folder: string, rest: string];

/** Writes rows: what is known of a file, and the words that it is found by. Never begins a transaction. */
export class CatalogRows {
  private readonly mode: TextMode;
  private readonly insertFile: StatementSync;
  private readonly updateFile: StatementSync;
  private readonly deleteFile: StatementSync;
  private readonly insertWords: StatementSync;
  private readonly deleteWords: StatementSync;
  private lastFolder = { path: '', words: '' };

  constructor(database: SqliteFile, mode: TextMode) {
    this.mode = mode;
    this.insertFile = database.prepare(
      'INSERT INTO files (id, path, format, bytes, modified, metadata, sha256, declared) VALUES (?, ?, ?, ?, ?, ?, ?, ?)',
    );
    this.updateFile = database.prepare(
      'UPDATE files SET format = ?, bytes = ?, modified = ?, metadata = ?, declared = ?, sha256 = NULL WHERE id = ?',
    );
    this.deleteFile = database.prepare('DELETE FROM files WHERE id = ?');
    this.insertWords = database.prepare('INSERT INTO words (rowid, name, title, folder, rest) VALUES (?, ?, ?, ?, ?)');
    this.deleteWords = database.prepare(deleteWordsSql[mode]);
  }

  /** `sha256` only where a row is written again. */
  insert(id: number, file: FoundFile, sha256: string | null = null): void {
    const { path, bytes, modifiedMs, metadata } = file;
    const declared = declaredIdOf(file) ?? null;
    this.insertFile.run(id, path, formatFor(file), bytes, modifiedMs, metadata ?? null, sha256, declared);
    this.insertWords.run(id, ...this.wordsFor(file));
  }

  /** Takes what a file is now; it loses its hash. Returns whether anything is new. */
  update(known: FileRow, file: FoundFile): boolean {
    const { bytes, modifiedMs, metadata = null } = file;
    const isDescribedSame = known.metadata === metadata;
    if (isDescribedSame && known.bytes === bytes && known.modified === modifiedMs) return false;
    this.updateFile.run(formatFor(file), bytes, modifiedMs, metadata, declaredIdOf(file) ?? null, known.id);
    if (isDescribedSame) return true;
    this.forgetWords(known);
    this.insertWords.run(known.id, ...this.wordsFor(file));
    return true;
  }

  delete(row: FileRow): void {
    this.deleteFile.run(row.id);
    this.forgetWords(row);
  }

  /** The index keeps no text of its own; to forget a row it has to be told what it was given. */
  private forgetWords(row: FileRow): void {
    if (this.mode === 'scan') this.deleteWords.run(row.id);
    else this.deleteWords.run(row.id, ...this.wordsFor(fileOfRow(row)));
  }

  private wordsFor(file: FoundFile): RowWords {
    const { title, rest } = file.metadata === undefined ? noText : describedText(file);
    const name = nameOfPath(file.path);
    const folder = this.folderWords(folderOfPath(file.path));
    if (this.mode === 'index') return [indexedWords(name), indexedWords(title), folder, indexedWords(rest)];
    return [framed(wordsOf(name)), framed(wordsOf(title)), framed(folder), framed(wordsOf(rest))];
  }

  private folderWords(path: string): string {
    if (path === '') return '';
    if (this.lastFolder.path !== path) {
      const words = this.mode === 'index' ? indexedWords(path) : wordsOf(path);
      this.lastFolder = { path, words: `${words} ${folderEnd}` };
    }
    return this.lastFolder.words;
  }
}

const deleteWordsSql: Readonly<Record<TextMode, string>> = {
  index: "INSERT INTO words (words, rowid, name, title, folder, rest) VALUES ('delete', ?, ?, ?, ?, ?)",
  scan: 'DELETE FROM words WHERE rowid = ?',
};

/** Looked at row by row, a word is what stands between two spaces. */
function framed(words: string): string {
  return words === '' ? '' : ` ${words} `;
}

const noText = { title: '', rest: '' };

function describedText(file: FoundFile): { readonly title: string; readonly rest: string } {
  const { id, title, description, format, keywords } = metadataOf(file);
  const rest: unknown[] = [id, description, format, ...(Array.isArray(keywords) ? (keywords as unknown[]) : [])];
  return {
    title: typeof title === 'string' ? title : '',
    rest: rest.filter((text) => typeof text === 'string').join(' \n '),
  };
}

function formatFor(file: FoundFile): string {
  const declared = file.metadata === undefined ? undefined : metadataOf(file)['format'];
  return typeof declared === 'string' ? declared.toLowerCase() : formatOf(nameOfPath(file.path));
}
