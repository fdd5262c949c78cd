import type {
  ProgressSample,
  StatedLicense,
  TransferBytes,
  TransferFile,
  TransferOrder,
} from '../../core/model/transferModel.ts';
import {
  array,
  either,
  isBoolean,
  isFiniteNumber,
  isRecord,
  isString,
  isStringRecord,
  isTrue,
  object,
  oneOf,
  optional,
  typeOnly,
  type FieldGuards,
  type Guarded,
} from './guards.ts';
import { isCommonIntent, isPageRemedy, isPageWords } from './pageMessages.ts';

/** All states of a transfer. The host sends their display names. */
export const transferStates = [
  ...(['submitting', 'notConfirmed', 'refused', 'accepted', 'staging', 'active', 'finalizing'] as const),
  ...(['inactive', 'unknown', 'running', 'succeeded', 'failed', 'cancelled', 'expired'] as const),
];

const isState = oneOf(...transferStates);
const isOutcome = oneOf('complete', 'partial', 'failed', 'cancelled', 'refused', 'expired');
const isLicense = object({ name: isString, url: optional(isString) } satisfies FieldGuards<StatedLicense>);

const isFile = object({
  id: isString,
  name: isString,
  path: optional(isString),
  sizeBytes: optional(isFiniteNumber),
  hash: optional(isString),
  licenses: optional(array(isLicense)),
} satisfies FieldGuards<TransferFile>);

const isOrder = object({
  connectionId: isString,
  orcid: isString,
  source: isString,
  destination: isString,
  description: optional(isString),
  instructions: optional(isRecord),
  folder: optional(isString),
} satisfies FieldGuards<Omit<TransferOrder, 'files'>>);

const isBytes = object({
  total: isFiniteNumber,
  staged: optional(isFiniteNumber),
  copied: isFiniteNumber,
  verified: optional(isFiniteNumber),
} satisfies FieldGuards<TransferBytes>);

const isSample = object({
  at: isFiniteNumber,
  moved: isFiniteNumber,
  copiedBytes: optional(isFiniteNumber),
  checkedBytes: optional(isFiniteNumber),
} satisfies FieldGuards<ProgressSample>);

const isFact = either(
  /** `isCode` marks an identifier, which may be long. */
  object({ label: isString, text: isString, isCode: optional(isBoolean) }),
  /** A time in milliseconds since 1970, which the page formats. */
  object({ label: isString, at: isFiniteNumber }),
);

/** A fact about a transfer, with a label. */
export type PageFact = Guarded<typeof isFact>;

const isEstimate = object({
  /** The estimated time left, in words, or the time of the last progress. */
  text: isString,
  /** True if the text is the time of the last progress. */
  isStalled: optional(isTrue),
  /** The basis of the estimate, in words. */
  basis: optional(isString),
});

/** The estimated time left, or the time of the last progress. */
export type PageEstimate = Guarded<typeof isEstimate>;

const isPlace = object({
  /** Path of the folder if it was found on this machine; otherwise, its name at the destination. */
  folder: isString,
  /** Label of the button that shows the folder; absent if the folder wasn't found on this machine. */
  revealLabel: optional(isString),
  /** The last verification, in words; absent if there was none. */
  verified: optional(isString),
  /** True if there is a report on the last verification. */
  hasReport: optional(isBoolean),
  /** True if the last verification found missing or changed files. */
  canResend: optional(isBoolean),
  /** The requested files that were not transferred, in words; absent if there are none or they are unknown. */
  missing: optional(isString),
});

/** The location of the transferred files. */
export type PagePlace = Guarded<typeof isPlace>;

const isLicenseRow = object({
  name: isString,
  url: optional(isString),
  /** The number of files under the license, or that state none, in words. */
  files: isString,
  /** A warning that the license forbids redistribution; absent if it doesn't. */
  warning: optional(isString),
});

/** A row in the table of licenses. */
export type PageLicense = Guarded<typeof isLicenseRow>;

const isFileStates = object({
  /** The number of files in each state, in words. */
  summary: isString,
  /** The first files that weren't transferred: those that failed, those being transferred, then the others. */
  rows: array(
    object({
      path: isString,
      look: oneOf('failed', 'running', 'waiting', 'stopped', 'transferred'),
      /** The state, in words. */
      state: isString,
      size: optional(isString),
      /** Why the last attempt failed. */
      problem: optional(isString),
    }),
  ),
  /** The number of further files that weren't transferred, in words; absent if there are none. */
  more: optional(isString),
});

/** The files of a transfer that weren't transferred, with their states. */
export type PageFileStates = Guarded<typeof isFileStates>;

const isPageTransfer = object({
  key: isString,
  order: isOrder,
  /** The first requested files, in the order of the request; the page requests the others when needed. */
  firstFiles: array(isFile),
  /** Number of requested files. */
  requestedFileCount: isFiniteNumber,
  /** Total size of the requested files, in bytes; absent unless all sizes are known. */
  sizeBytes: optional(isFiniteNumber),
  /** The status in a few words: the state, or something more specific. */
  statusText: isString,
  /** The number of files transferred so far, and the total; of bytes as well, if they are known. */
  progress: object({
    moved: optional(isFiniteNumber),
    total: optional(isFiniteNumber),
    bytes: optional(isBytes),
  }),
  /** Absent until the transfer ends. */
  outcome: optional(isOutcome),
  ended: isBoolean,
  /** False if the request is known not to have reached the server. */
  wasSent: isBoolean,
  /** True while the transfer is paused because the local service was stopped. */
  paused: isBoolean,
  canCancel: isBoolean,
  /** The change that the user can request; absent if there is none. */
  pauseChange: optional(oneOf('pause', 'resume')),
  canSubmitAgain: isBoolean,
  createdAt: isFiniteNumber,
  state: isState,
  changes: array(object({ state: isState, at: isFiniteNumber, word: optional(isString) })),
  id: optional(isString),
  /** The parts of the status that the page explains; the rest is in the facts and the progress. */
  status: optional(
    object({
      status: optional(isString),
      message: optional(isString),
      fileCount: optional(isFiniteNumber),
      isPaused: optional(isBoolean),
      doubtful: optional(isBoolean),
    }),
  ),
  /** The facts that the tooltip of the transfer's row shows as well. */
  facts: array(isFact),
  /** Samples at which the number of files changed. */
  movement: optional(array(isSample)),
  cancelAcceptedAt: optional(isFiniteNumber),
  cancelUnheeded: optional(isBoolean),
  startedElsewhere: optional(isBoolean),
  replacedBy: optional(isString),
  /**
   * The reason why the transfer was refused, not sent or not confirmed, or why its status couldn't be updated. Worded
   * to follow a colon.
   */
  problem: optional(isString),
  /** `unsent` if nothing was sent; `queued` while the status request awaits its turn, which is not a failure. */
  problemKind: optional(oneOf('unsent', 'queued')),
  remedy: optional(isPageRemedy),
  estimate: optional(isEstimate),
  /** The license rows for the requested files; absent if no file is known to state a license. */
  licenses: optional(array(isLicenseRow)),
  /** Absent if all files were transferred, or if the service doesn't say which ones weren't. */
  fileStates: optional(isFileStates),
  /** Absent until the location is determined, or if the transfer didn't succeed or wrote no files. */
  place: optional(isPlace),
});

/** A transfer, as sent to its page. The properties that aren't explained here are those of a `Transfer`. */
export type PageTransfer = Guarded<typeof isPageTransfer>;

const isSnapshot = object({
  key: isString,
  /** The host's time, in milliseconds since 1970. */
  now: isFiniteNumber,
  /** True if the tab will show the next transfer instead. */
  shared: optional(isBoolean),
  /** Absent if the transfer is not in the history or has not been loaded yet. */
  transfer: optional(isPageTransfer),
});

/** Everything that the transfer page currently shows. */
export type TransferSnapshot = Guarded<typeof isSnapshot>;

/**
 * Checks messages that arrive at the transfer page. `states` contains the display names of the states, and `files` all
 * requested files, whose list never changes.
 */
export const isTransferHostMessage = either(
  object({ type: oneOf('start'), words: isPageWords, states: isStringRecord, snapshot: isSnapshot }),
  object({ type: oneOf('snapshot'), snapshot: isSnapshot }),
  object({ type: oneOf('files'), files: array(isFile) }),
);

/** Messages from the host to the transfer page. */
export type TransferHostMessage = Guarded<typeof isTransferHostMessage>;

/**
 * Checks messages that arrive at the host. `didStart` marks an unconfirmed transfer as started (D12: never resubmit).
 */
export const isTransferIntent = either(
  isCommonIntent,
  typeOnly(
    ...([
      'cancel',
      'pause',
      'resume',
      'submitAgain',
      'didStart',
      'startService',
      'reveal',
      'listFiles',
      'cite',
      'keep',
    ] as const),
    ...(['showFiles', 'verifyFiles', 'showReport', 'resendFiles', 'revealFolder', 'copyFolder'] as const),
  ),
);

/** Messages from the transfer page to the host. */
export type TransferIntent = Guarded<typeof isTransferIntent>;

/** Checks the state that the editor restores after a reload. */
export const isTransferPageState = object({ key: isString, shared: optional(isBoolean) });
