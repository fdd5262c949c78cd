import type { TransferRecordFile } from './journalRecord.ts';

/**
 * Maximum number of files in a job. Jobs are small, so that counts are updated often and other transfers get their
 * turn.
 */
const batchFiles = 256;
const batchBytes = 16 * 1024 * 1024;

/** Splits files into batches, one for each job. */
export function* splitIntoBatches(
  files: readonly TransferRecordFile[],
): Generator<readonly TransferRecordFile[], undefined> {
  let batch: TransferRecordFile[] = [];
  let bytes = 0;
  for (const file of files) {
    if (batch.length > 0 && (batch.length === batchFiles || bytes + file.bytes > batchBytes)) {
      yield batch;
      batch = [];
      bytes = 0;
    }
    batch.push(file);
    bytes += file.bytes;
  }
  if (batch.length > 0) yield batch;
  return undefined;
}
