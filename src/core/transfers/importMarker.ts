import { createHash } from 'node:crypto';
import { readFile, stat } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { createFolder } from '../util/createFolder.ts';
import { isMissing } from '../util/errorFacts.ts';
import { isJsonObject, parseJsonObject, type JsonObject } from '../util/json.ts';
import { writeFileAtomically } from '../util/durableFiles.ts';
import { recordFolders, type RecordFolder } from './recordFolders.ts';

/** The modification times of a ledger's record folders, in milliseconds since 1970; 0 for a missing folder. */
type FolderTimes = Readonly<Record<RecordFolder, number>>;

/** The result of an import, as recorded in its marker. */
export interface ImportMarker {
  /** The modification times of the folders when the import started. */
  readonly times: FolderTimes;
  /**
   * The modification times, keyed by {@link toRecordId}, of records modified shortly before, at or after their folder's
   * modification time. The folder's time can't show whether these records were imported.
   */
  readonly recent: Readonly<JsonObject>;
  /** The keys of removed transfers that may still be restored. */
  readonly removed: readonly string[];
  /** The keys of transfers that could not be imported yet. */
  readonly open: readonly string[];
}

const markerFolder = 'imported';

/** Returns a string that identifies a record within a ledger. */
export function toRecordId(folder: RecordFolder, key: string): string {
  return `${folder}/${key}`;
}

/** Returns true if `source` may have changes that were not imported into `target`. Does not read any records. */
export async function needsImport(source: string, target: string): Promise<boolean> {
  const now = await readFolderTimes(source);
  if (recordFolders.every((name) => now[name] === 0)) return false;
  const marker = await readImportMarker(source, target);
  return !marker || marker.open.length > 0 || recordFolders.some((name) => now[name] !== marker.times[name]);
}

/** Reads the modification times of the record folders. Rejects with the file system's error if that fails. */
export async function readFolderTimes(ledgerFolder: string): Promise<FolderTimes> {
  const [running = 0, ended = 0, removed = 0] = await Promise.all(
    recordFolders.map((name) => readTime(join(ledgerFolder, name))),
  );
  return { running, ended, removed };
}

/** Resolves to the marker of the last import from `source` into `target`; undefined if there is no valid marker. */
export async function readImportMarker(source: string, target: string): Promise<ImportMarker | undefined> {
  const text = await readFile(getMarkerFile(source, target), 'utf8').catch(() => '');
  const { source: marked, times, recent, removed, open } = parseJsonObject(text) ?? {};
  if (marked !== source || !isFolderTimes(times)) return undefined;
  return { times, recent: isJsonObject(recent) ? recent : {}, removed: toKeys(removed), open: toKeys(open) };
}

/**
 * Marks the records of `source` as imported into `target`. Stores the marker in `target`, so that deleting the imported
 * records also deletes the marker. Does not change `source`.
 */
export async function writeImportMarker(source: string, target: string, marker: ImportMarker): Promise<void> {
  const file = getMarkerFile(source, target);
  await createFolder(dirname(file), 0o700);
  await writeFileAtomically(file, JSON.stringify({ version: 1, source, ...marker }), true);
}

function getMarkerFile(source: string, target: string): string {
  return join(target, markerFolder, `${createHash('sha256').update(source).digest('hex').slice(0, 16)}.json`);
}

async function readTime(folder: string): Promise<number> {
  try {
    return (await stat(folder)).mtimeMs;
  } catch (error) {
    if (isMissing(error)) return 0;
    throw error;
  }
}

function isFolderTimes(value: unknown): value is FolderTimes {
  return isJsonObject(value) && recordFolders.every((name) => typeof value[name] === 'number');
}

function toKeys(value: unknown): readonly string[] {
  return Array.isArray(value) ? value.filter((key) => typeof key === 'string') : [];
}
