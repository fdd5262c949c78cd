import { readFile, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { isMissing } from '../util/errorCode.ts';
import { isJsonObject, parseJsonObject } from '../util/json.ts';
import { writeFileAtomically } from '../util/writeFileAtomically.ts';
import { recordFolders, type RecordFolder } from './recordNames.ts';

/** The modification times of the record folders of a ledger, in milliseconds since 1970; 0 for a missing folder. */
type FolderTimes = Readonly<Record<RecordFolder, number>>;

const markerName = 'imported.json';

/** Returns true if a ledger has changes that were not imported into another one. Reads no records. */
export async function needsImport(source: string, target: string): Promise<boolean> {
  const now = await readFolderTimes(source);
  if (recordFolders.every((name) => now[name] === 0)) return false;
  const then = await readImportMarker(source, target);
  return !then || recordFolders.some((name) => now[name] !== then[name]);
}

/** Reads the modification times of the record folders. Rejects with the system's error if that fails. */
export async function readFolderTimes(ledgerFolder: string): Promise<FolderTimes> {
  const [running = 0, ended = 0, removed = 0] = await Promise.all(
    recordFolders.map((name) => readTime(join(ledgerFolder, name))),
  );
  return { running, ended, removed };
}

/** Returns the times of the last complete import from `source` into `target`; undefined if there was none. */
export async function readImportMarker(source: string, target: string): Promise<FolderTimes | undefined> {
  const text = await readFile(join(source, markerName), 'utf8').catch(() => '');
  const { target: marked, times } = parseJsonObject(text) ?? {};
  return marked === target && isFolderTimes(times) ? times : undefined;
}

/** Marks the records of `source` as imported into `target`. Nothing is deleted from `source`. */
export async function writeImportMarker(source: string, target: string, times: FolderTimes): Promise<void> {
  await writeFileAtomically(join(source, markerName), JSON.stringify({ version: 1, target, times }), true);
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
