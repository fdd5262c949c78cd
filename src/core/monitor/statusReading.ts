import { withPoint } from '../model/movement.ts';
import type { Reason } from '../model/reason.ts';
import {
  countsMoreThan,
  hasEnded,
  inState,
  mostFilesOf,
  stateOf,
  withTrustedCounts,
  type Transfer,
  type TransferStatus,
} from '../model/transfer.ts';

/** What is remembered of the answers about one transfer, until the next one. */
export interface Answers {
  /** In a row that said "not found" (D11). */
  readonly notFound: number;
  /** Since a cancel was accepted, that told nothing new (D13). */
  readonly unheeded: number;
  /** In a row that were no answer, for a reason of this transfer alone. */
  readonly failed: number;
  /** In a row that counted this many files, more than were requested (D35). */
  readonly larger?: { readonly count: number; readonly times: number };
}

/** Before anything was answered. */
export const noAnswers: Answers = { notFound: 0, unheeded: 0, failed: 0 };

const believedNotFound = 3;
const unheededAnswers = 5;
const believedLarger = 3;

/** What came of asking for a transfer: its status, or why there is none. */
export interface StatusReply {
  readonly value?: TransferStatus | undefined;
  readonly reason?: Reason;
}

/** What a reply that came at `at` makes of a transfer. */
export function withReply(
  transfer: Transfer,
  answers: Answers,
  { value, reason = { kind: 'unreadable' } }: StatusReply,
  at: number,
): [Transfer, Answers] {
  if (value) return withStatus(transfer, answers, value, at);
  if (reason.kind === 'notFound') return withNotFound(transfer, answers, at);
  // It concerns this transfer alone: it is said, and the next question comes later.
  return [
    { ...transfer, problem: reason },
    { ...answers, failed: answers.failed + 1 },
  ];
}

/** Why nobody can be asked about now: the network or the whole service failed, not the one transfer asked for (D33). */
export function troubleOf({ value, reason = { kind: 'unreadable' } }: StatusReply): Reason | undefined {
  return value === undefined && concernsAll(reason) ? reason : undefined;
}

/** What a status that was told at `at` makes of a transfer (D10, D11, D13). */
function withStatus(transfer: Transfer, answers: Answers, reported: TransferStatus, at: number): [Transfer, Answers] {
  if (isForeignId(transfer, reported)) return [withoutId(transfer, at), noAnswers];
  const larger = countLarger(transfer, answers, reported);
  const status = larger && larger.times >= believedLarger ? without(reported, 'doubtful') : reported;
  const told = movedOn(transfer, status, at);
  const isNews = told.state !== transfer.state || told.movement !== transfer.movement;
  const waitsForCancel = transfer.cancelAcceptedAt !== undefined && !hasEnded(told.state) && !isNews;
  const unheeded = waitsForCancel ? answers.unheeded + 1 : 0;
  const isUnheeded = waitsForCancel && (transfer.cancelUnheeded === true || unheeded >= unheededAnswers);
  const rest = without(told, 'problem', 'cancelUnheeded');
  return [
    {
      ...rest,
      status: withTrustedCounts(status, transfer.status),
      askedAt: at,
      ...(isUnheeded && { cancelUnheeded: true }),
    },
    { ...noAnswers, unheeded, ...(larger && { larger }) },
  ];
}

/** Counts the answers in a row with the same larger count: a transfer may grow, and must not be doubted for ever (D35). */
function countLarger(transfer: Transfer, { larger }: Answers, status: TransferStatus): Answers['larger'] {
  const count = status.fileCount ?? 0;
  const isOwnId = status.id === undefined || status.id === transfer.id;
  if (!status.doubtful || !isOwnId || !countsMoreThan({ fileCount: count }, mostFilesOf(transfer))) return undefined;
  return { count, times: larger?.count === count ? larger.times + 1 : 1 };
}

/** Returns true if a transfer never had a status of its own, and this one counts more files than were requested (D35). */
function isForeignId(transfer: Transfer, status: TransferStatus): boolean {
  const { doubtful, fileCount, movedFileCount } = transfer.status ?? { doubtful: true };
  // The counts of a doubtful status are those of a trusted one before it.
  const hadOwn = !doubtful || fileCount !== undefined || movedFileCount !== undefined;
  return !hadOwn && status.doubtful === true && countsMoreThan(status, mostFilesOf(transfer));
}

/** Returns the transfer without an id that is another transfer's; it may have an id that nobody was told (D12, D35). */
function withoutId(transfer: Transfer, at: number): Transfer {
  const { id = '', foreignIds = [] } = transfer;
  const problem: Reason = { kind: 'foreignAnswer', code: 'TOO_MANY_FILES', detail: id, maybeDone: true };
  const rest = without(transfer, 'id', 'status', 'askedAt', 'cancelUnheeded', 'cancelAcceptedAt');
  return { ...inState(rest, 'notConfirmed', at), foreignIds: [...new Set([...foreignIds, id])], problem };
}

/** What seems to be another transfer's status ends nothing, and its counts are not this one's (D11). */
function movedOn(transfer: Transfer, status: TransferStatus, at: number): Transfer {
  const state = stateOf(status);
  if (status.doubtful) return hasEnded(state) ? transfer : inState(transfer, state, at);
  const { movement = [] } = transfer;
  const moved = status.movedFileCount;
  const series = moved === undefined ? movement : withPoint(movement, { at, moved });
  const now = inState(transfer, state, at);
  return series === movement ? now : { ...now, movement: series };
}

/** What a "not found" makes of it: one is not believed, three in a row mean that the server forgot it (D11). */
function withNotFound(transfer: Transfer, answers: Answers, at: number): [Transfer, Answers] {
  const notFound = answers.notFound + 1;
  const believed = notFound >= believedNotFound ? inState(transfer, 'expired', at) : transfer;
  return [believed, { ...answers, notFound, failed: 0 }];
}

/** The transfer as it is when the trouble of its whole line is over. */
export function withoutTrouble(transfer: Transfer): Transfer {
  return transfer.problem && concernsAll(transfer.problem) ? without(transfer, 'problem') : transfer;
}

/** The transfer while its whole line is in trouble. */
export function withTrouble(transfer: Transfer, trouble: Reason): Transfer {
  const { kind, signIn } = transfer.problem ?? {};
  return kind === trouble.kind && signIn === trouble.signIn ? transfer : { ...transfer, problem: trouble };
}

/** Whether a failure tells of the network or of the whole service. */
function concernsAll({ kind, status, signIn }: Reason): boolean {
  if (signIn !== undefined) return signIn !== 'orcid';
  if (kind === 'serverError') return status !== 500;
  if (kind === 'refused') return status === 408 || status === 429;
  return !ownKinds.has(kind);
}

const ownKinds: ReadonlySet<Reason['kind']> = new Set(['badArgument', 'forbidden', 'notFound', 'tooLarge']);

function without<T extends object, K extends keyof T>(whole: T, ...keys: readonly K[]): Omit<T, K> {
  const rest = { ...whole };
  for (const key of keys) Reflect.deleteProperty(rest, key);
  return rest;
}
