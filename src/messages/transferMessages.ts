import type { MovementPoint } from '../core/model/movement.ts';
import type {
  StateChange,
  Transfer,
  TransferFile,
  TransferOrder,
  TransferState,
  TransferStatus,
} from '../core/model/transfer.ts';
import type { TransferOutcome, TransferProgress } from '../core/model/transferOutcome.ts';
import { amount, exactly, flag, list, optional, record, shape, text, texts, variant, word } from './guards.ts';
import {
  bare,
  commonIntents,
  isPageRemedy,
  isPageWords,
  type CommonIntent,
  type PageRemedy,
  type PageWords,
} from './pageMessages.ts';

/** How long a transfer will still take, in words. */
export interface PageEstimate {
  readonly text: string;
  /** What that is drawn from. */
  readonly basis?: string;
}

/** The transfer as its page shows it: the files beyond the first ones are sent only when asked for. */
export interface PageTransfer extends Omit<Transfer, 'order' | 'problem' | 'foreignIds'> {
  readonly order: Omit<TransferOrder, 'files'>;
  /** The first files asked for, in the order asked. */
  readonly firstFiles: readonly TransferFile[];
  /** How many files were asked for. */
  readonly askedFileCount: number;
  /** Of all files asked for; absent unless every size is known. */
  readonly sizeBytes?: number;
  /** The status in words, as the row of the transfer has it. */
  readonly statusText: string;
  /** Number of files moved. */
  readonly progress: TransferProgress;
  /** The outcome; absent while it has not ended. */
  readonly outcome?: TransferOutcome;
  readonly ended: boolean;
  /** True while it waits because the local service is stopped. */
  readonly paused: boolean;
  readonly canCancel: boolean;
  readonly canSubmitAgain: boolean;
  /** Why it was refused or not confirmed, or why it could not be asked about: the second half of a sentence. */
  readonly problem?: string;
  /** The remedy for the problem. */
  readonly remedy?: PageRemedy;
  readonly estimate?: PageEstimate;
}

/** Everything that the transfer page shows at one moment. */
export interface TransferSnapshot {
  readonly key: string;
  /** The host's time, in milliseconds since 1970. */
  readonly now: number;
  /** Absent while this transfer is not known, or no longer known. */
  readonly transfer?: PageTransfer;
}

/** What the host says to the transfer page. */
export type TransferNews =
  | {
      readonly type: 'start';
      readonly words: PageWords;
      /** The words for the states. */
      readonly states: Readonly<Record<string, string>>;
      readonly snapshot: TransferSnapshot;
    }
  | { readonly type: 'snapshot'; readonly snapshot: TransferSnapshot }
  /** All files asked for; they never change. */
  | { readonly type: 'files'; readonly files: readonly TransferFile[] };

/** What the transfer page says to the host. */
export type TransferIntent =
  | CommonIntent
  | { readonly type: 'cancel' }
  | { readonly type: 'submitAgain' }
  /** One that was not confirmed did start after all (D12). */
  | { readonly type: 'didStart' }
  /** Starts the local service, which carries this transfer and is stopped (D29). */
  | { readonly type: 'startService' }
  | { readonly type: 'reveal' }
  | { readonly type: 'listFiles' };

/** What the page keeps over a reload of the window. */
interface TransferPageState {
  readonly key: string;
}

/** Every state of a transfer; the words for them are made by the host. */
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

const state = word<TransferState>(transferStates);
const outcome = word<TransferOutcome>({
  complete: true,
  partial: true,
  failed: true,
  cancelled: true,
  refused: true,
  expired: true,
});
const file = shape<TransferFile>({ id: text, name: text, sizeBytes: optional(amount) });

const status = shape<TransferStatus>({
  id: optional(text),
  status: optional(text),
  message: optional(text),
  fileCount: optional(amount),
  movedFileCount: optional(amount),
  doubtful: optional(flag),
});

const pageTransfer = shape<PageTransfer>({
  key: text,
  order: shape<PageTransfer['order']>({
    connectionId: text,
    orcid: text,
    source: text,
    destination: text,
    description: optional(text),
    instructions: optional(record),
  }),
  firstFiles: list(file),
  askedFileCount: amount,
  sizeBytes: optional(amount),
  statusText: text,
  progress: shape<TransferProgress>({ moved: optional(amount), total: optional(amount) }),
  outcome: optional(outcome),
  ended: flag,
  paused: flag,
  canCancel: flag,
  canSubmitAgain: flag,
  createdAt: amount,
  state,
  changes: list(shape<StateChange>({ state, at: amount })),
  id: optional(text),
  status: optional(status),
  askedAt: optional(amount),
  movement: optional(list(shape<MovementPoint>({ at: amount, moved: amount }))),
  cancelAcceptedAt: optional(amount),
  cancelUnheeded: optional(flag),
  startedElsewhere: optional(flag),
  replacedBy: optional(text),
  problem: optional(text),
  remedy: optional(isPageRemedy),
  estimate: optional(shape<PageEstimate>({ text, basis: optional(text) })),
});

const snapshot = shape<TransferSnapshot>({ key: text, now: amount, transfer: optional(pageTransfer) });

/** Guard for what arrives at the transfer page. */
export const isTransferNews = variant<TransferNews>({
  start: shape<Extract<TransferNews, { type: 'start' }>>({
    type: exactly('start'),
    words: isPageWords,
    states: texts,
    snapshot,
  }),
  snapshot: shape<Extract<TransferNews, { type: 'snapshot' }>>({
    type: exactly('snapshot'),
    snapshot,
  }),
  files: shape<Extract<TransferNews, { type: 'files' }>>({
    type: exactly('files'),
    files: list(file),
  }),
});

/** Guard for what arrives at the host. */
export const isTransferIntent = variant<TransferIntent>({
  ...commonIntents,
  cancel: bare('cancel'),
  submitAgain: bare('submitAgain'),
  didStart: bare('didStart'),
  startService: bare('startService'),
  reveal: bare('reveal'),
  listFiles: bare('listFiles'),
});

/** Guard for what the editor brings back after a reload. */
export const isTransferPageState = shape<TransferPageState>({ key: text });
