import { RecordFiles } from '../ledger/recordFiles.ts';
import type { RecordFolder } from '../ledger/recordNames.ts';
import type { Transfer } from '../model/transferModel.ts';
import type { Logger } from '../util/logger.ts';
import { mapConcurrently } from '../util/mapConcurrently.ts';

const maxParallelFiles = 32;
/** Number of records after which progress is reported. */
const reportInterval = 500;

/** Receives the number of completed records, and the total number. */
type RecordProgress = (done: number, total: number) => void;

/** Options for reading and writing many records. */
export interface RecordWork {
  readonly ledgerFolder: string;
  readonly log: Logger;
  readonly signal: AbortSignal;
  readonly onProgress: RecordProgress;
}

/**
 * The readable transfers in some of the ledger's folders, and the number of records that only a later version can read.
 */
interface StoredHistory {
  readonly transfers: readonly Transfer[];
  readonly laterCount: number;
}

/**
 * Reads all records in the given folders. Does not convert the ledger's connection IDs to those of a window (D63:
 * shared ledger folder). Skips records that can't be read. Rejects with the signal's reason if the signal is aborted.
 */
export async function readHistory(folders: readonly RecordFolder[], work: RecordWork): Promise<StoredHistory> {
  const files = new RecordFiles(work.ledgerFolder, work.log);
  const keys = await Promise.all(folders.map((folder) => files.listKeys(folder)));
  const all = keys.flatMap((list, index) => list.map((key) => ({ key, folder: folders[index] ?? 'ended' }) as const));
  const found = await mapWithProgress(all, work, ({ folder, key }) => files.read(folder, key).catch(() => undefined));
  const records = found.filter((record) => record !== undefined);
  const readable = records.filter((record) => record !== 'later');
  const transfers = new Map(readable.map(({ transfer }) => [transfer.key, transfer]));
  return { transfers: [...transfers.values()], laterCount: records.length - readable.length };
}

/**
 * Maps items concurrently and reports progress. The results are in no particular order. After a failure or an abort,
 * starts no further calls, waits for the calls in progress, and rejects with the error or the signal's reason.
 */
export async function mapWithProgress<T, R>(
  items: readonly T[],
  { signal, onProgress }: Pick<RecordWork, 'signal' | 'onProgress'>,
  map: (item: T) => Promise<R>,
): Promise<readonly R[]> {
  const results: R[] = [];
  const failures: unknown[] = [];
  await mapConcurrently(items, maxParallelFiles, async (item) => {
    if (signal.aborted || failures.length > 0) return;
    await map(item).then(
      (result) => results.push(result),
      (error: unknown) => failures.push(error),
    );
    if (results.length % reportInterval === 0) onProgress(results.length, items.length);
  });
  signal.throwIfAborted();
  if (failures.length > 0) throw failures[0];
  return results;
}
