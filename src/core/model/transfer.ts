import type { JsonObject } from '../util/json.ts';
import type { MovementPoint } from './movement.ts';
import type { Reason } from './reason.ts';

/** A transfer's status as a server told it (§2.4). What it did not tell is absent. */
export interface TransferStatus {
  /** The id in the body; the client has checked whose answer it is (D11). */
  readonly id?: string;
  /** The word as it came; an open set (D10). */
  readonly status?: string;
  readonly message?: string;
  readonly fileCount?: number;
  readonly movedFileCount?: number;
  /** Three answers in a row seemed to be another transfer's; this is the last of them (D11). */
  readonly doubtful?: boolean;
}

/** Returns true if a status counts more files than `mostFiles`, where that is given (D35). */
export function countsMoreThan({ fileCount = 0, movedFileCount = 0 }: TransferStatus, mostFiles?: number): boolean {
  return mostFiles !== undefined && Math.max(fileCount, movedFileCount) > mostFiles;
}

/** Returns a status with the counts of `trusted` if its own may be another transfer's (D35). */
export function withTrustedCounts(status: TransferStatus, trusted: TransferStatus = {}): TransferStatus {
  if (!status.doubtful) return status;
  const { fileCount, movedFileCount } = trusted;
  const rest = { ...status };
  for (const field of ['fileCount', 'movedFileCount'] as const) Reflect.deleteProperty(rest, field);
  return {
    ...rest,
    ...(fileCount !== undefined && { fileCount }),
    ...(movedFileCount !== undefined && { movedFileCount }),
  };
}

/**
 * How a transfer stands, from the person's side (D10, D12, D13).
 * `accepted` is before the first status; `running` is any word of the server that is not known: the word itself is in
 * the status.
 */
export type TransferState =
  | 'submitting'
  | 'notConfirmed'
  | 'refused'
  | 'accepted'
  | 'staging'
  | 'active'
  | 'finalizing'
  | 'inactive'
  | 'unknown'
  | 'running'
  | 'succeeded'
  | 'failed'
  | 'cancelled'
  | 'expired';

const words: Readonly<Record<string, TransferState>> = {
  staging: 'staging',
  active: 'active',
  finalizing: 'finalizing',
  inactive: 'inactive',
  unknown: 'unknown',
  succeeded: 'succeeded',
  completed: 'succeeded',
  complete: 'succeeded',
  done: 'succeeded',
  failed: 'failed',
  canceled: 'cancelled',
  cancelled: 'cancelled',
};

const cancelledMessage = /\bcancell?ed\W*$/i;

/** The state that a server's word and message mean (D10). An absent word is `unknown`. */
export function stateOf(status: TransferStatus): TransferState {
  if (status.status === undefined) return 'unknown';
  const word = status.status.trim().toLowerCase();
  const state = Object.hasOwn(words, word) ? words[word] : undefined;
  if (state === 'failed' && cancelledMessage.test(status.message ?? '')) return 'cancelled';
  return state ?? 'running';
}

const ended: ReadonlySet<TransferState> = new Set(['refused', 'succeeded', 'failed', 'cancelled', 'expired']);

/** Whether nothing more will happen to a transfer in this state. */
export function hasEnded(state: TransferState): boolean {
  return ended.has(state);
}

/** Returns true while a transfer waits because the local service was stopped (D29). */
export function isPaused({ state, problem }: Transfer): boolean {
  return !hasEnded(state) && problem?.kind === 'serviceStopped';
}

/** Returns true for a transfer whose end can be expected: not for one whose cancel the server accepted and ignores (D13). */
export function isUnderWay({ state, cancelUnheeded }: Transfer): boolean {
  return !hasEnded(state) && state !== 'notConfirmed' && cancelUnheeded !== true;
}

/** A file of a transfer, as much as the person needs to recognise it. */
export interface TransferFile {
  readonly id: string;
  readonly name: string;
  readonly sizeBytes?: number;
}

/** What is asked of the service when a transfer is submitted (§4.5), by the databases' names. */
export interface TransferOrder {
  readonly connectionId: string;
  readonly orcid: string;
  readonly source: string;
  readonly destination: string;
  readonly files: readonly TransferFile[];
  /** Markdown. */
  readonly description?: string;
  readonly instructions?: JsonObject;
}

/** A state and since when (milliseconds since 1970) this machine knows of it. */
export interface StateChange {
  readonly state: TransferState;
  readonly at: number;
}

/** Everything known of a transfer that a person submitted; the ledger keeps it. Times in milliseconds since 1970. */
export interface Transfer {
  /** Our own id; there before the server's. */
  readonly key: string;
  readonly order: TransferOrder;
  readonly createdAt: number;
  readonly state: TransferState;
  readonly changes: readonly StateChange[];
  /** The server's id (§4.5); absent until a submission is accepted. */
  readonly id?: string;
  /** Ids that the server gave for it and that are other transfers' (D35). */
  readonly foreignIds?: readonly string[];
  /** The last status that was told. */
  readonly status?: TransferStatus;
  /** When that was. */
  readonly askedAt?: number;
  /** How the number of files moved went, as far as it was told; bounded. */
  readonly movement?: readonly MovementPoint[];
  /** When a cancel was accepted (D13). */
  readonly cancelAcceptedAt?: number;
  /** The cancel was accepted, but the server goes on telling the same status (D13). */
  readonly cancelUnheeded?: boolean;
  /** Why it was refused or not confirmed, or why the last request for its status failed. */
  readonly problem?: Reason;
  /**
   * The person did not submit it here: its id was entered. Only the connection is known of its order: the databases are
   * empty texts, there are no files, and `orcid` is who watches it.
   */
  readonly startedElsewhere?: boolean;
  /** Key of the transfer that the person submitted instead, having found that this one never began (D12). */
  readonly replacedBy?: string;
}

/** How many files a transfer has: those asked for, or as many as the service counts; undefined before it told. */
export function fileCountOf({ order, status, startedElsewhere }: Transfer): number | undefined {
  return startedElsewhere ? status?.fileCount : order.files.length;
}

/**
 * Returns the number of files that no status of the transfer can exceed (D35); undefined where that is not known, or where
 * the person has accepted a status that does.
 */
export function mostFilesOf({ order, status, startedElsewhere }: Transfer): number | undefined {
  const count = order.files.length;
  return startedElsewhere || count === 0 || (status && !status.doubtful && countsMoreThan(status, count))
    ? undefined
    : count;
}

/** Whether it is known what a transfer was to carry, and submitting that once more can be wanted. */
export function canSubmitAgain({ state, startedElsewhere }: Transfer): boolean {
  return !startedElsewhere && (hasEnded(state) || state === 'notConfirmed');
}

/** The transfer in a new state since `at`; the same transfer when it is in that state already. */
export function inState(transfer: Transfer, state: TransferState, at: number): Transfer {
  if (transfer.state === state) return transfer;
  return { ...transfer, state, changes: [...transfer.changes, { state, at }] };
}
