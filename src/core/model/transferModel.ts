import { folderField, isFolderName } from '../util/folderName.ts';
import { findFollowUp, thenField, toThenValue, type FollowUp, type FollowUpStatus } from '../util/followUp.ts';
import { omit, type JsonObject } from '../util/json.ts';
import type { ClusterPlace } from './databaseModel.ts';
import { getTransferFolderName } from '../util/transferFolderNames.ts';
import type { Reason } from './reason.ts';

/** The bytes of a transfer's files, which only the local service reports (§2.4). */
export interface TransferBytes {
  readonly total: number;
  /** Read and hashed at the source. */
  readonly staged?: number;
  /** Copied, verified or not. */
  readonly copied: number;
  /** Verified, or read back so far. */
  readonly verified?: number;
}

/** The counts in a status, with their names in the response (§2.4). */
export const statusCounts = { fileCount: 'num_files', movedFileCount: 'num_files_transferred' } as const;

/** The status of a transfer as a server reported it (§2.4). Unknown properties are absent. */
export interface TransferStatus extends StatusCounts {
  /** The ID in the response, checked by the client (D11: check status identity). */
  readonly id?: string;
  /** The state exactly as received; servers may add values (D10: open status set). */
  readonly status?: string;
  readonly message?: string;
  /** True while paused by the user; absent if that is impossible (D70: paused transfers). */
  readonly isPaused?: boolean;
  readonly bytes?: TransferBytes;
  /** The cluster on which the transfer runs; absent for others, and after the end. */
  readonly cluster?: ClusterPlace;
  /** The chosen name of the transfer's folder, which only the local service reports. */
  readonly folder?: string;
  /** The follow-up, which only the local service reports (D72: follow-ups). */
  readonly followUp?: FollowUpStatus;
  /** True if three responses in a row appeared to belong to another transfer (D11: check status identity). */
  readonly doubtful?: boolean;
}

type StatusCounts = { readonly [K in keyof typeof statusCounts]?: number };

/**
 * Returns the trusted parts of a status. A doubtful status may belong to another transfer, and only marks the trusted
 * one (D11: check status identity, D35: misrouted responses).
 */
export function toTrustedStatus(status: TransferStatus, trusted: TransferStatus = {}): TransferStatus {
  return status.doubtful ? { ...trusted, doubtful: true } : status;
}

/**
 * The state of a transfer as shown to the user (D10: open status set, D12: never resubmit, D13: ignored cancel).
 * `accepted` precedes the first status. `running` represents any status that the client does not know; the server's own
 * value is in `status`.
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

const statesByWord: Readonly<Record<string, TransferState>> = {
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

/** Returns the state for a server's status and message (D10: open status set). A missing status is `unknown`. */
export function getState(status: TransferStatus): TransferState {
  if (status.status === undefined) return 'unknown';
  const word = status.status.trim().toLowerCase();
  const state = Object.hasOwn(statesByWord, word) ? statesByWord[word] : undefined;
  if (state === 'failed' && cancelledMessage.test(status.message ?? '')) return 'cancelled';
  return state ?? 'running';
}

const finalStates: ReadonlySet<TransferState> = new Set(['refused', 'succeeded', 'failed', 'cancelled', 'expired']);

/** Returns true if a state is final. */
export function hasEnded(state: TransferState): boolean {
  return finalStates.has(state);
}

/** Returns true if a submission is waiting for its turn, and nothing was sent yet (D34: serialized requests). */
export function isWaitingToBeSent({ state, sendingAt }: Transfer): boolean {
  return state === 'submitting' && sendingAt === 0;
}

/** Returns true while a transfer is paused because the local service was stopped (D29: shared service). */
export function isPaused({ state, problem }: Transfer): boolean {
  return !hasEnded(state) && problem?.kind === 'serviceStopped';
}

/** Returns true while a transfer waits until the user resumes it (D70: paused transfers). */
export function isPausedByUser({ state, status }: Transfer): boolean {
  return !hasEnded(state) && status?.isPaused === true;
}

/**
 * Returns the change that the user can request from the transfer's service; undefined if the
 * service can't pause transfers, is stopped, or is canceling this one (D70: paused transfers).
 */
export function getPauseChange(transfer: Transfer): 'pause' | 'resume' | undefined {
  const { id, state, status, cancelAcceptedAt } = transfer;
  if (id === undefined || cancelAcceptedAt !== undefined) return undefined;
  if (hasEnded(state) || isPaused(transfer)) return undefined;
  if (status?.isPaused === undefined) return undefined;
  return status.isPaused ? 'resume' : 'pause';
}

/**
 * Returns true if a transfer is running and expected to end. Returns false for an unconfirmed transfer, or if the
 * server ignores the cancellation (D13: ignored cancel).
 */
export function isUnderWay({ state, cancelUnheeded }: Transfer): boolean {
  return !hasEnded(state) && state !== 'notConfirmed' && cancelUnheeded !== true;
}

/** A license as stated in metadata; `name` is an SPDX ID, a name or an address. */
export interface StatedLicense {
  readonly name: string;
  readonly url?: string;
}

/** A file in a transfer, as described when the transfer was submitted. */
export interface TransferFile {
  readonly id: string;
  readonly name: string;
  /** The path in the source; absent if it is unknown or equal to the ID, and in records from earlier versions. */
  readonly path?: string;
  readonly sizeBytes?: number;
  /** The hash that the source declared at submission; absent if unknown, and in records of earlier versions. */
  readonly hash?: string;
  /** The licenses in the metadata when the transfer was submitted; absent if the metadata was unknown. */
  readonly licenses?: readonly StatedLicense[];
}

/** The content of a submission (§4.5), with the names of the databases. */
export interface TransferOrder {
  readonly connectionId: string;
  readonly orcid: string;
  readonly source: string;
  readonly destination: string;
  readonly files: readonly TransferFile[];
  /** Markdown. */
  readonly description?: string;
  readonly instructions?: JsonObject;
  /** The chosen name of the transfer's folder at the destination (D24: destination layout). */
  readonly folder?: string;
}

/** Returns the instructions with the chosen name of the folder, which is sent as one of them (§4.5). */
export function getSentInstructions({ instructions, folder }: TransferOrder): JsonObject | undefined {
  return folder === undefined ? instructions : { ...instructions, [folderField]: folder };
}

/** Moves a folder name from the instructions to `folder`, if the service can choose it (D24: destination layout). */
export function withFolderName(order: TransferOrder): TransferOrder {
  const name = order.instructions?.[folderField];
  return isFolderName(name) ? { ...omitFolderField(order), folder: order.folder ?? name } : order;
}

function omitFolderField(order: TransferOrder): TransferOrder {
  if (order.instructions?.[folderField] === undefined) return order;
  const instructions = omit(order.instructions, folderField);
  return Object.keys(instructions).length === 0 ? omit(order, 'instructions') : { ...order, instructions };
}

/**
 * Returns the order of a transfer to submit again, without the chosen name of its folder if that folder exists or the
 * service refused the name (D24: destination layout).
 */
export function getRepeatableOrder({ id, order, status, problem }: Transfer): TransferOrder {
  const isNameRefused = problem?.kind === 'noFolderChoice' || problem?.status === 409;
  if (id === undefined && !isNameRefused) return order;
  return omit(status?.folder === undefined ? order : omitFolderField(order), 'folder');
}

/** Returns an order after whose transfer the local service starts something (D72: follow-ups). */
export function withFollowUp(order: TransferOrder, followUp: FollowUp | undefined): TransferOrder {
  if (followUp === undefined) return order;
  return { ...order, instructions: { ...order.instructions, [thenField]: toThenValue(followUp) } };
}

/** A state and the time at which this machine detected it, in milliseconds since 1970. */
export interface StateChange {
  readonly state: TransferState;
  readonly at: number;
  /** The server's own word for `running`, up to a limit; absent in records from earlier versions (D10: open status set). */
  readonly word?: string;
}

/** The agent that proposed a transfer, which a person then confirmed (D64: a person decides). */
export interface TransferRequester {
  /** The name that the agent's program reports. */
  readonly agent: string;
  /** The ID of the plan that the person confirmed. */
  readonly plan: string;
}

/** A user's transfer, as stored in the ledger. Times are in milliseconds since 1970. */
export interface Transfer {
  /** The extension's own ID for the transfer, assigned before the server returns its ID. */
  readonly key: string;
  readonly order: TransferOrder;
  /**
   * The connection's name when the transfer was submitted or first tracked, for programs that don't know the
   * connection. Absent in records from earlier versions.
   */
  readonly service?: string;
  /**
   * The ID that the service's address has as a connection, because several connections can lead to one service. Absent
   * in records from earlier versions.
   */
  readonly addressId?: string;
  readonly createdAt: number;
  readonly state: TransferState;
  readonly changes: readonly StateChange[];
  /**
   * The time at which the submission was about to be sent; 0 before that, so that nothing was sent. Absent if this is
   * unknown, as in records from earlier versions (D12: never resubmit).
   */
  readonly sendingAt?: number;
  /** The server's ID (§4.5); absent until the submission is accepted. */
  readonly id?: string;
  /** IDs that the server returned although they belong to other transfers (D35: misrouted responses). */
  readonly foreignIds?: readonly string[];
  readonly status?: TransferStatus;
  readonly askedAt?: number;
  /** Samples of the number of transferred files and bytes over time. The number of samples is limited. */
  readonly movement?: readonly ProgressSample[];
  /** The time at which the server accepted a cancellation (D13: ignored cancel). */
  readonly cancelAcceptedAt?: number;
  /** True if the server accepted a cancellation but keeps reporting the same status (D13: ignored cancel). */
  readonly cancelUnheeded?: boolean;
  /** The reason why the transfer was refused, is not confirmed or is paused, or why its status is not up to date. */
  readonly problem?: Reason;
  /**
   * True if the transfer was started elsewhere and the user entered its ID here. Only the connection in its order is
   * known: the databases are empty strings, there are no files, and `orcid` is that of the user who tracks the
   * transfer.
   */
  readonly startedElsewhere?: boolean;
  /** The key of the transfer that the user submitted instead, because this one never started (D12: never resubmit). */
  readonly replacedBy?: string;
  /** The agent that proposed the transfer; absent if a person submitted it without an agent. */
  readonly requestedBy?: TransferRequester;
}

/** Returns true if a transfer belongs to the service with these IDs, those of a connection and of its address. */
export function isOfService({ order, addressId = '' }: Transfer, serviceIds: ReadonlySet<string>): boolean {
  return serviceIds.has(order.connectionId) || serviceIds.has(addressId);
}

/**
 * Returns the name of a transfer's folder at the destination: the chosen one or, if none is known, the usual one (D24:
 * destination layout). Returns undefined without an ID. Checks what a record or service says.
 */
export function findFolderName({ id, order, status }: Transfer): string | undefined {
  const chosen = [status?.folder, order.folder].find(isFolderName);
  return id === undefined ? undefined : getTransferFolderName(id, chosen);
}

/**
 * Returns the number of requested files. For a transfer that was started elsewhere, returns the number that the service
 * reports, or undefined until the service has reported one.
 */
export function getFileCount({ order, status, startedElsewhere }: Transfer): number | undefined {
  return startedElsewhere ? status?.fileCount : order.files.length;
}

/** Returns what follows a transfer, as far as it is known; undefined if nothing does (D72: follow-ups). */
export function getFollowUp({ status, order, state }: Transfer): FollowUpStatus | undefined {
  if (status?.followUp) return status.followUp;
  const planned = hasEnded(state) ? undefined : findFollowUp(order.instructions);
  return planned && { ...planned, state: 'waiting' };
}

/** Returns true if a transfer has succeeded, but what should follow isn't known to have been started. */
export function hasMissedFollowUp({ state, status }: Transfer): boolean {
  const { state: reached } = status?.followUp ?? {};
  return state === 'succeeded' && (reached === 'notStarted' || reached === 'unclear');
}

/** Returns true if the service may still learn how the program ends that follows a transfer. */
export function isFollowUpRunning({ state, status }: Transfer): boolean {
  const { state: reached, problem } = status?.followUp ?? {};
  return state === 'succeeded' && reached === 'started' && problem === undefined;
}

/** Returns true if the program that followed a transfer failed or was interrupted, or if its end will stay unknown. */
export function hasFailedFollowUp({ status }: Transfer): boolean {
  const { state, exitCode, problem } = status?.followUp ?? {};
  return (state === 'ended' && exitCode !== 0) || (state === 'started' && problem !== undefined);
}

/**
 * Returns the name of a transfer's service. Prefers `connectionName`, the connection's current name, to the recorded
 * name, and falls back to the connection's ID.
 */
export function getServiceName({ service, order }: Transfer, connectionName: string | undefined): string {
  return connectionName || service || order.connectionId;
}

/** Returns true if the order is known and the transfer has ended or is not confirmed. */
export function canSubmitAgain({ state, startedElsewhere }: Transfer): boolean {
  return !startedElsewhere && (hasEnded(state) || state === 'notConfirmed');
}

const maxWordLength = 40;

/** Maximum number of changes to which a change of the word alone is added. A server may count in its words. */
const maxWordChanges = 20;

/**
 * Returns a copy of a transfer that entered `state` at time `at`; the same object if the state is unchanged. A different
 * `word` of the server for `running` is a change as well, up to a limit.
 */
export function withState(transfer: Transfer, state: TransferState, at: number, word?: string): Transfer {
  const shown = state === 'running' && word !== undefined ? word.slice(0, maxWordLength) : undefined;
  const { changes } = transfer;
  const last = changes.at(-1);
  const isNewWord = last?.word !== undefined && shown !== undefined && last.word !== shown;
  if (transfer.state === state && !(isNewWord && changes.length < maxWordChanges)) return transfer;
  return { ...transfer, state, changes: [...changes, { state, at, ...(shown !== undefined && { word: shown }) }] };
}

/** The number of files transferred up to a point in time; `at` is in milliseconds since 1970. */
export interface ProgressSample {
  readonly at: number;
  readonly moved: number;
  /** Number of bytes copied; absent if unknown. */
  readonly copiedBytes?: number;
  /** Number of bytes staged and verified; absent if unknown. */
  readonly checkedBytes?: number;
}

const maxSamples = 120;

/**
 * Returns a series with a sample added, or the same series if no count has changed. If the series is full, drops the
 * sample closest in time to its neighbors, but never the first or last one. Times never decrease, even if the clock is
 * set back.
 */
export function addSample(series: readonly ProgressSample[], sample: ProgressSample): readonly ProgressSample[] {
  const last = series.at(-1);
  const { moved, copiedBytes, checkedBytes } = sample;
  if (last?.moved === moved && last.copiedBytes === copiedBytes && last.checkedBytes === checkedBytes) return series;
  const longer = [...series, { ...sample, at: Math.max(sample.at, last?.at ?? sample.at) }];
  return longer.length <= maxSamples ? longer : longer.toSpliced(findLeastInformative(longer), 1);
}

/** Returns the samples at which the number of files changed, including the first one. */
export function listFileSamples(series: readonly ProgressSample[]): readonly ProgressSample[] {
  return series.filter(({ moved }, index) => moved !== series[index - 1]?.moved);
}

function findLeastInformative(series: readonly ProgressSample[]): number {
  let [least, smallest] = [1, Infinity];
  for (let index = 1; index < series.length - 1; index++) {
    const gap = (series[index + 1]?.at ?? 0) - (series[index - 1]?.at ?? 0);
    if (gap < smallest) [least, smallest] = [index, gap];
  }
  return least;
}

/** Returns the time at which this machine learned that a transfer ended, in milliseconds since 1970. */
export function getEndedAt({ changes, createdAt }: Transfer): number {
  return changes.at(-1)?.at ?? createdAt;
}

/** Returns the time at which files or bytes last moved or the state last changed, in milliseconds since 1970. */
export function getLastProgressAt({ createdAt, changes, movement }: Transfer): number {
  return Math.max(changes.at(-1)?.at ?? createdAt, movement?.at(-1)?.at ?? createdAt);
}

/** An estimate of a transfer's remaining time or, if the transfer has stalled, the time since its last progress. */
export type Estimate =
  | {
      readonly kind: 'range';
      readonly lowMs: number;
      readonly highMs: number;
      /** The transfer's own progress in files or in bytes, or earlier transfers between the same databases. */
      readonly basis: 'movement' | 'bytes' | 'earlier';
      /** The number of earlier transfers behind the estimate; present only for `earlier`. */
      readonly count?: number;
    }
  | { readonly kind: 'stalled'; readonly sinceMs: number };
