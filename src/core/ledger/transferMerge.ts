import { hasEnded, type StateChange, type Transfer, type TransferState } from '../model/transferModel.ts';
import { omit } from '../util/json.ts';

/** Fields that are taken from one version and never completed from the other. */
const statusFields = ['cancelUnheeded', 'problem', 'status', 'askedAt'] as const;

/**
 * Merges two windows' versions of a transfer. Discards a version whose ID belongs to another transfer (D35: misrouted
 * responses). Otherwise, never undoes the end of a transfer, never loses its ID, and keeps the final status from the
 * server or, if there is none, the more recent status. In a tie, `later` wins.
 */
export function mergeTransfers(earlier: Transfer, later: Transfer): Transfer {
  if (disowns(later, earlier)) return later;
  if (disowns(earlier, later)) return earlier;
  const [less, more] = outranks(earlier, later) ? [later, earlier] : [earlier, later];
  const reported = isReportedEnd(more) || getPolledAt(more) >= getPolledAt(less) ? more : less;
  const cancelTimes = [earlier, later].flatMap(({ cancelAcceptedAt }) => cancelAcceptedAt ?? []);
  const sendingTimes = [earlier, later].flatMap(({ sendingAt }) => sendingAt ?? []);
  return {
    ...omit(less, ...statusFields),
    ...omit(more, ...statusFields),
    state: more.state,
    changes: mergeChanges(more, less),
    ...pick(more, 'cancelUnheeded', 'problem'),
    ...pick(reported, 'status', 'askedAt'),
    ...(sendingTimes.length > 0 && { sendingAt: Math.max(...sendingTimes) }),
    ...(cancelTimes.length > 0 && { cancelAcceptedAt: Math.min(...cancelTimes) }),
  };
}

/**
 * Returns true if `one` states that the ID of `other` belongs to a different transfer (D35: misrouted responses). All
 * statuses received for that ID then belong to the different transfer, too. Returns false if `other.foreignIds` also
 * contains the ID, because a user has confirmed the ID in that case.
 */
function disowns(one: Transfer, other: Transfer): boolean {
  const { id } = other;
  return id !== undefined && id !== one.id && isForeign(one, id) && !isForeign(other, id);
}

function isForeign({ foreignIds = [] }: Transfer, id: string): boolean {
  return foreignIds.includes(id);
}

/** Returns true if two records differ at most in the time of the last poll. Ignores `order`, which never changes. */
export function isSameExceptPolledAt(one: Transfer, other: Transfer): boolean {
  return getComparableFacts(one) === getComparableFacts(other);
}

function getComparableFacts(transfer: Transfer): string {
  const facts = Object.entries(transfer).filter(([field]) => field !== 'askedAt' && field !== 'order');
  return JSON.stringify(facts.sort(([one], [other]) => (one < other ? -1 : 1)));
}

const ranks = [getEndRank, rankByEarlierEnd, getCertainty, getPolledAt, getChangedAt];

/** Returns true if `one` takes precedence over `other`; false if it does not, or if all ranks are equal. */
function outranks(one: Transfer, other: Transfer): boolean {
  for (const rank of ranks) {
    const difference = rank(one) - rank(other);
    if (difference !== 0) return difference > 0;
  }
  return false;
}

/**
 * Ranks a transfer by how it ended. From highest to lowest: reported by the server, no longer known to the server,
 * refused, not ended.
 */
function getEndRank(transfer: Transfer): number {
  if (!hasEnded(transfer.state)) return 0;
  if (isReportedEnd(transfer)) return 3;
  return transfer.state === 'expired' ? 2 : 1;
}

function isReportedEnd({ state }: Transfer): boolean {
  return hasEnded(state) && state !== 'expired' && state !== 'refused';
}

/** Prefers the earlier of two final states, because a transfer doesn't change once it has ended. */
function rankByEarlierEnd(transfer: Transfer): number {
  return hasEnded(transfer.state) ? -getChangedAt(transfer) : 0;
}

/** Prefers a known outcome of a submission to an unknown one (D12: never resubmit). */
function getCertainty({ state }: Transfer): number {
  return state === 'submitting' || state === 'notConfirmed' ? 0 : 1;
}

function getPolledAt({ askedAt }: Transfer): number {
  return askedAt ?? 0;
}

function getChangedAt({ changes, createdAt }: Transfer): number {
  return Math.max(createdAt, ...changes.map(({ at }) => at));
}

/** The sort order of state changes with the same timestamp. */
const stateOrder: readonly TransferState[] = [
  ...(['submitting', 'notConfirmed', 'refused', 'accepted', 'staging', 'active', 'finalizing', 'inactive'] as const),
  ...(['unknown', 'running', 'expired', 'cancelled', 'failed', 'succeeded'] as const),
];

/**
 * Merges the changes from both versions by time, up to the end of the transfer. The last change leads to the merged
 * state.
 */
function mergeChanges(more: Transfer, less: Transfer): readonly StateChange[] {
  const known = new Map(
    [...less.changes, ...more.changes].map((change) => [`${String(change.at)} ${change.state}`, change]),
  );
  const place = ({ state }: StateChange): number =>
    state === more.state ? stateOrder.length : stateOrder.indexOf(state);
  const inOrder = [...known.values()].sort((a, b) => a.at - b.at || place(a) - place(b));
  if (hasEnded(more.state)) return inOrder.filter(({ at }) => at <= getChangedAt(more));
  const last = inOrder.at(-1);
  const at = Math.max(more.askedAt ?? 0, last?.at ?? 0);
  return last?.state === more.state ? inOrder : [...inOrder, { state: more.state, at }];
}

function pick<K extends keyof Transfer>(transfer: Transfer, ...fields: readonly K[]): Partial<Pick<Transfer, K>> {
  return Object.fromEntries(
    fields.flatMap((field) => (field in transfer ? [[field, transfer[field]]] : [])),
  ) as Partial<Pick<Transfer, K>>;
}
