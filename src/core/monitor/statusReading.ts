import { hasEnded, inState, stateOf, type Transfer, type TransferStatus } from '../model/transfer.ts';

/** What the monitor remembers of a transfer between two answers. */
export interface Watch {
  /** When to ask next; milliseconds since 1970. */
  readonly dueAt: number;
  /** When files were last seen to move, or the state to change. */
  readonly movedAt: number;
  /** Answers in a row that said "not found" (D11). */
  readonly notFound: number;
  /** Answers since a cancel was accepted that told nothing new (D13). */
  readonly unheeded: number;
}

const believedNotFound = 3;
const unheededAnswers = 5;

/** What a status that was told at `at` makes of a transfer and its watch (D10, D13). */
export function withStatus(transfer: Transfer, watch: Watch, status: TransferStatus, at: number): [Transfer, Watch] {
  const state = stateOf(status);
  const moved = state !== transfer.state || status.movedFileCount !== transfer.status?.movedFileCount;
  const waitsForCancel = transfer.cancelAcceptedAt !== undefined && !hasEnded(state);
  const unheeded = waitsForCancel && !moved ? watch.unheeded + 1 : 0;
  const now = inState(transfer, state, at);
  const rest = without(now, 'problem', 'cancelUnheeded');
  return [
    { ...rest, status, askedAt: at, ...(unheeded >= unheededAnswers && { cancelUnheeded: true }) },
    { ...watch, movedAt: moved ? at : watch.movedAt, notFound: 0, unheeded },
  ];
}

/** What a "not found" makes of them: one is not believed, three in a row mean that the server forgot it (D11). */
export function withNotFound(transfer: Transfer, watch: Watch, at: number): [Transfer, Watch] {
  const notFound = watch.notFound + 1;
  const believed = notFound >= believedNotFound ? inState(transfer, 'expired', at) : transfer;
  return [believed, { ...watch, notFound }];
}

function without<T extends object, K extends keyof T>(whole: T, ...keys: readonly K[]): Omit<T, K> {
  const rest = { ...whole };
  for (const key of keys) Reflect.deleteProperty(rest, key);
  return rest;
}
