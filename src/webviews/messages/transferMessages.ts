import type {
  ProgressSample,
  StateChange,
  StatedLicense,
  Transfer,
  TransferBytes,
  TransferFile,
  TransferOrder,
  TransferRequester,
  TransferState,
  TransferStatus,
} from '../../core/model/transferModel.ts';
import type { TransferOutcome, TransferProgress } from '../../core/model/transferOutcome.ts';
import {
  isFiniteNumber,
  isBoolean,
  array,
  optional,
  isRecord,
  object,
  isString,
  isStringRecord,
  taggedUnion,
  oneOf,
} from './guards.ts';
import {
  commonIntents,
  isPageRemedy,
  isPageWords,
  type CommonIntent,
  type PageRemedy,
  type PageWords,
} from './pageMessages.ts';

/** The estimated time left, in words, or the time of the last progress. */
export interface PageEstimate {
  readonly text: string;
  /** True if the text is the time of the last progress. */
  readonly isStalled?: true;
  /** The basis of the estimate, in words. */
  readonly basis?: string;
}

/** A kind of problem that doesn't come from the server. */
type PageProblemKind = 'unsent' | 'queued';

/** The location of the transferred files. */
export interface PagePlace {
  /** Path of the folder if it was found on this machine; otherwise, its name at the destination. */
  readonly folder: string;
  /** Label of the button that shows the folder; absent if the folder wasn't found on this machine. */
  readonly revealLabel?: string;
  /** The last verification, in words; absent if there was none. */
  readonly verified?: string;
  /** True if there is a report on the last verification. */
  readonly hasReport?: boolean;
  /** True if the last verification found missing or changed files. */
  readonly canResend?: boolean;
  /** The requested files that were not transferred, in words; absent if there are none or they are unknown. */
  readonly missing?: string;
}

/** A row in the table of licenses: a license and its number of files, or the number of files that state no license. */
export interface PageLicense {
  readonly name: string;
  readonly url?: string;
  readonly files: string;
  /** A warning that the license forbids redistribution; absent if it doesn't. */
  readonly warning?: string;
}

/** A transfer, as sent to its page. Includes only the first files; the page requests the others when needed. */
export interface PageTransfer extends Omit<Transfer, 'order' | 'service' | 'problem' | 'foreignIds' | 'sendingAt'> {
  readonly order: Omit<TransferOrder, 'files'>;
  /** The first requested files, in the order in which they were requested. */
  readonly firstFiles: readonly TransferFile[];
  /** Number of requested files. */
  readonly requestedFileCount: number;
  /** Samples at which the number of files changed. */
  readonly movement?: readonly ProgressSample[];
  /** Total size of the requested files, in bytes; absent unless all sizes are known. */
  readonly sizeBytes?: number;
  /** The status in a few words: the state, or something more specific. */
  readonly statusText: string;
  /** The number of files transferred so far, and the total; of bytes as well, if they are known. */
  readonly progress: TransferProgress;
  /** The outcome; absent until the transfer ends. */
  readonly outcome?: TransferOutcome;
  readonly ended: boolean;
  /** False if the request is known not to have reached the server. */
  readonly wasSent: boolean;
  /** True while the transfer is paused because the local service was stopped. */
  readonly paused: boolean;
  readonly canCancel: boolean;
  readonly canSubmitAgain: boolean;
  /**
   * The reason why the transfer was refused, not sent or not confirmed, or why its status couldn't be updated. Worded
   * to follow a colon.
   */
  readonly problem?: string;
  /** `unsent` if nothing was sent; `queued` while the status request awaits its turn, which is not a failure. */
  readonly problemKind?: PageProblemKind;
  readonly remedy?: PageRemedy;
  readonly estimate?: PageEstimate;
  /** The license rows for the requested files; absent if no file is known to state a license. */
  readonly licenses?: readonly PageLicense[];
  /** The location of the files; absent until it is determined, or if the transfer didn't succeed or wrote no files. */
  readonly place?: PagePlace;
}

/** Everything that the transfer page currently shows. */
export interface TransferSnapshot {
  readonly key: string;
  /** The host's time, in milliseconds since 1970. */
  readonly now: number;
  /** Absent if the transfer is not in the history or has not been loaded yet. */
  readonly transfer?: PageTransfer;
}

/** Messages from the host to the transfer page. */
export type TransferHostMessage =
  | {
      readonly type: 'start';
      readonly words: PageWords;
      /** The display names of the states. */
      readonly states: Readonly<Record<string, string>>;
      readonly snapshot: TransferSnapshot;
    }
  | { readonly type: 'snapshot'; readonly snapshot: TransferSnapshot }
  /** All requested files. This list never changes. */
  | { readonly type: 'files'; readonly files: readonly TransferFile[] };

/** Messages from the transfer page to the host. */
export type TransferIntent =
  | CommonIntent
  | { readonly type: 'cancel' }
  | { readonly type: 'submitAgain' }
  /** Marks an unconfirmed transfer as started (D12: never resubmit). */
  | { readonly type: 'didStart' }
  /** Starts the stopped local service, which runs this transfer (D29: shared service). */
  | { readonly type: 'startService' }
  | { readonly type: 'reveal' }
  | { readonly type: 'showFiles' }
  | { readonly type: 'verifyFiles' }
  | { readonly type: 'showReport' }
  | { readonly type: 'resendFiles' }
  | { readonly type: 'cite' }
  | { readonly type: 'revealFolder' }
  | { readonly type: 'copyFolder' }
  | { readonly type: 'listFiles' };

/** All states of a transfer. The host sends their display names. */
export const transferStates: Readonly<Record<TransferState, true>> = {
  submitting: true,
  notConfirmed: true,
  refused: true,
  accepted: true,
  staging: true,
  active: true,
  finalizing: true,
  inactive: true,
  unknown: true,
  running: true,
  succeeded: true,
  failed: true,
  cancelled: true,
  expired: true,
};

const state = oneOf<TransferState>(transferStates);
const outcome = oneOf<TransferOutcome>({
  complete: true,
  partial: true,
  failed: true,
  cancelled: true,
  refused: true,
  expired: true,
});
const file = object<TransferFile>({
  id: isString,
  name: isString,
  sizeBytes: optional(isFiniteNumber),
  hash: optional(isString),
  licenses: optional(array(object<StatedLicense>({ name: isString, url: optional(isString) }))),
});

const bytes = object<TransferBytes>({
  total: isFiniteNumber,
  staged: optional(isFiniteNumber),
  copied: isFiniteNumber,
  verified: optional(isFiniteNumber),
});

const status = object<TransferStatus>({
  id: optional(isString),
  status: optional(isString),
  message: optional(isString),
  fileCount: optional(isFiniteNumber),
  movedFileCount: optional(isFiniteNumber),
  bytes: optional(bytes),
  doubtful: optional(isBoolean),
});

const pageTransfer = object<PageTransfer>({
  key: isString,
  order: object<PageTransfer['order']>({
    connectionId: isString,
    orcid: isString,
    source: isString,
    destination: isString,
    description: optional(isString),
    instructions: optional(isRecord),
  }),
  firstFiles: array(file),
  requestedFileCount: isFiniteNumber,
  sizeBytes: optional(isFiniteNumber),
  statusText: isString,
  progress: object<TransferProgress>({
    moved: optional(isFiniteNumber),
    total: optional(isFiniteNumber),
    bytes: optional(bytes),
  }),
  outcome: optional(outcome),
  ended: isBoolean,
  paused: isBoolean,
  canCancel: isBoolean,
  wasSent: isBoolean,
  canSubmitAgain: isBoolean,
  createdAt: isFiniteNumber,
  state,
  changes: array(object<StateChange>({ state, at: isFiniteNumber })),
  id: optional(isString),
  status: optional(status),
  askedAt: optional(isFiniteNumber),
  movement: optional(
    array(
      object<ProgressSample>({
        at: isFiniteNumber,
        moved: isFiniteNumber,
        copiedBytes: optional(isFiniteNumber),
        checkedBytes: optional(isFiniteNumber),
      }),
    ),
  ),
  cancelAcceptedAt: optional(isFiniteNumber),
  cancelUnheeded: optional(isBoolean),
  startedElsewhere: optional(isBoolean),
  replacedBy: optional(isString),
  requestedBy: optional(object<TransferRequester>({ agent: isString, plan: isString })),
  problem: optional(isString),
  problemKind: optional(oneOf<PageProblemKind>({ unsent: true, queued: true })),
  remedy: optional(isPageRemedy),
  estimate: optional(
    object<PageEstimate>({ text: isString, isStalled: optional((value) => value === true), basis: optional(isString) }),
  ),
  licenses: optional(
    array(
      object<PageLicense>({ name: isString, url: optional(isString), files: isString, warning: optional(isString) }),
    ),
  ),
  place: optional(
    object<PagePlace>({
      folder: isString,
      revealLabel: optional(isString),
      verified: optional(isString),
      hasReport: optional(isBoolean),
      canResend: optional(isBoolean),
      missing: optional(isString),
    }),
  ),
});

const snapshot = object<TransferSnapshot>({ key: isString, now: isFiniteNumber, transfer: optional(pageTransfer) });

/** Checks messages that arrive at the transfer page. */
export const isTransferHostMessage = taggedUnion<TransferHostMessage>({
  start: { words: isPageWords, states: isStringRecord, snapshot },
  snapshot: { snapshot },
  files: { files: array(file) },
});

/** Checks messages that arrive at the host. */
export const isTransferIntent = taggedUnion<TransferIntent>({
  ...commonIntents,
  cancel: {},
  submitAgain: {},
  didStart: {},
  startService: {},
  reveal: {},
  showFiles: {},
  verifyFiles: {},
  showReport: {},
  resendFiles: {},
  cite: {},
  revealFolder: {},
  copyFolder: {},
  listFiles: {},
});

/** Checks the state that the editor restores after a reload. */
export const isTransferPageState = object<Pick<TransferSnapshot, 'key'>>({ key: isString });
