import type { FileState } from '../../core/util/fileStates.ts';
import {
  failedCondition,
  hasEnded,
  type TransferJournal,
  type TransferRecord,
  type TransferRecordFile,
} from './journal.ts';

/** Selects a page of a transfer's files. */
export interface FileQuery {
  /** Absent for files in any state. */
  readonly state?: FileState | undefined;
  /** Position of the first file that may be on the page. */
  readonly from: number;
  readonly limit: number;
}

/** Some of a transfer's files, in the order of the request. */
export interface FilePage {
  readonly files: readonly { readonly file: TransferRecordFile; readonly state: FileState }[];
  /** Position to continue from; absent if no more files match. */
  readonly next?: number;
  /** The number of files in each state, without zeros. */
  readonly counts: Readonly<Partial<Record<FileState, number>>>;
}

/** Returns the state of a file that no job is moving. */
export function getFileState(file: TransferRecordFile, hasTransferEnded: boolean): FileState {
  if (file.isTransferred) return 'transferred';
  if (hasTransferEnded) return file.problem === undefined ? 'unfinished' : 'failed';
  return file.sha256 === undefined ? 'waiting' : 'staged';
}

/** Picks a page from all of a transfer's files, and counts all files. */
export function pickFiles(
  files: Iterable<TransferRecordFile>,
  getState: (file: TransferRecordFile) => FileState,
  query: FileQuery,
): FilePage {
  const counts: Partial<Record<FileState, number>> = {};
  const picked: FilePage['files'][number][] = [];
  for (const file of files) {
    const state = getState(file);
    counts[state] = (counts[state] ?? 0) + 1;
    const isWanted = file.position >= query.from && (query.state ?? state) === state;
    if (isWanted && picked.length <= query.limit) picked.push({ file, state });
  }
  return toPage(picked, counts, query);
}

type StateConditions = Readonly<Partial<Record<FileState, string>>>;

const stagedCondition = 'landed = 0 AND sha256 IS NOT NULL';
/** SQL conditions for the states of a transfer's files of which none is being moved. */
const suspendedConditions: StateConditions = {
  waiting: 'landed = 0 AND sha256 IS NULL',
  staged: stagedCondition,
  transferred: 'landed = 1',
};

const endedConditions: StateConditions = { failed: failedCondition, unfinished: 'landed = 0 AND problem IS NULL' };

/**
 * Returns a page of the files of a transfer that has ended, or whose databases aren't served. Returns undefined if the
 * transfer failed under a version that didn't keep the files.
 */
export function listJournaledFiles(
  journal: TransferJournal,
  record: TransferRecord,
  query: FileQuery,
): FilePage | undefined {
  const { id } = record;
  const isEnded = hasEnded(record.status);
  const counts = isEnded ? countEnded(journal, record) : countSuspended(journal, record);
  if (counts === undefined) return undefined;
  const conditions = isEnded ? endedConditions : suspendedConditions;
  const condition = query.state === undefined ? 'true' : (conditions[query.state] ?? 'false');
  const files = journal.listSomeFiles(id, condition, query.from, query.limit + 1);
  const picked = files.map((file) => ({ file, state: getFileState(file, isEnded) }));
  return toPage(picked, counts, query);
}

function countSuspended(journal: TransferJournal, record: TransferRecord): FilePage['counts'] {
  const { id, fileCount, movedCount: transferred } = record;
  const staged = journal.countFiles(id, stagedCondition);
  return omitZeros({ waiting: fileCount - transferred - staged, staged, transferred });
}

function countEnded(journal: TransferJournal, record: TransferRecord): FilePage['counts'] | undefined {
  const { id, fileCount, movedCount: transferred } = record;
  const missing = record.status === 'succeeded' ? 0 : fileCount - transferred;
  if (missing > 0 && journal.listSomeFiles(id, 'true', 0, 1).length === 0) return undefined;
  const failed = missing > 0 ? journal.countFiles(id, failedCondition) : 0;
  return omitZeros({ transferred, failed, unfinished: Math.max(0, missing - failed) });
}

function omitZeros(counts: FilePage['counts']): FilePage['counts'] {
  return Object.fromEntries(Object.entries(counts).filter(([, count]) => count > 0));
}

function toPage(picked: FilePage['files'], counts: FilePage['counts'], { limit }: FileQuery): FilePage {
  const next = picked[limit]?.file.position;
  return { files: picked.slice(0, limit), ...(next !== undefined && { next }), counts };
}
