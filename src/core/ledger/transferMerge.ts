import { hasEnded, type StateChange, type Transfer, type TransferState } from '../model/transfer.ts';

/**
 * What two windows know of the same transfer, put together. An end is never taken back, an id never lost, and the later
 * answer of the server counts; what cannot be told apart by time is taken from `later`, which was said last.
 */
export function mergeTransfers(earlier: Transfer, later: Transfer): Transfer {
  if (disowns(later, earlier)) return later;
  if (disowns(earlier, later)) return earlier;
  const [less, more] = outranks(earlier, later) ? [later, earlier] : [earlier, later];
  const told = isTold(more) || askedAtOf(more) >= askedAtOf(less) ? more : less;
  const cancelled = [earlier, later].flatMap(({ cancelAcceptedAt }) => cancelAcceptedAt ?? []);
  return {
    ...withoutStanding(less),
    ...withoutStanding(more),
    state: more.state,
    changes: changesOf(more, less),
    ...pick(more, 'cancelUnheeded', 'problem'),
    ...pick(told, 'status', 'askedAt'),
    ...(cancelled.length > 0 && { cancelAcceptedAt: Math.min(...cancelled) }),
  };
}

/**
 * Returns true if `one` knows that the id of `other` is another transfer's, with all that was told under it (D35). A person
 * may confirm that id later all the same: then `other` knows of the doubt, too.
 */
function disowns(one: Transfer, other: Transfer): boolean {
  const { id } = other;
  return id !== undefined && id !== one.id && isForeign(one, id) && !isForeign(other, id);
}

function isForeign({ foreignIds = [] }: Transfer, id: string): boolean {
  return foreignIds.includes(id);
}

/** Whether two say the same of a transfer, but for when it was last asked for. What was ordered never changes. */
export function sameButAsked(one: Transfer, other: Transfer): boolean {
  return factsOf(one) === factsOf(other);
}

function factsOf(transfer: Transfer): string {
  const facts = Object.entries(transfer).filter(([field]) => field !== 'askedAt' && field !== 'order');
  return JSON.stringify(facts.sort(([one], [other]) => (one < other ? -1 : 1)));
}

/** Whether `one` is to be believed rather than `other`, which counts when there is nothing between them. */
function outranks(one: Transfer, other: Transfer): boolean {
  const ranks: readonly ((transfer: Transfer) => number)[] = [endRank, endedFirst, certainty, askedAtOf, changedAt];
  for (const rank of ranks) {
    const difference = rank(one) - rank(other);
    if (difference !== 0) return difference > 0;
  }
  return false;
}

/** What the server told of an end counts more than that it forgot the transfer, and that more than a refusal. */
function endRank(transfer: Transfer): number {
  if (!hasEnded(transfer.state)) return 0;
  if (isTold(transfer)) return 3;
  return transfer.state === 'expired' ? 2 : 1;
}

function isTold({ state }: Transfer): boolean {
  return hasEnded(state) && state !== 'expired' && state !== 'refused';
}

/** Of two ends the first is the one: nothing happens to a transfer after it. */
function endedFirst(transfer: Transfer): number {
  return hasEnded(transfer.state) ? -changedAt(transfer) : 0;
}

/** Whatever is known of a submission counts more than that a window does not know what became of it (D12). */
function certainty({ state }: Transfer): number {
  return state === 'submitting' || state === 'notConfirmed' ? 0 : 1;
}

function askedAtOf({ askedAt }: Transfer): number {
  return askedAt ?? 0;
}

function changedAt({ changes, createdAt }: Transfer): number {
  return Math.max(createdAt, ...changes.map(({ at }) => at));
}

/** Which of two changes at the same moment came first. */
const usualOrder: readonly TransferState[] = [
  ...(['submitting', 'notConfirmed', 'refused', 'accepted', 'staging', 'active', 'finalizing', 'inactive'] as const),
  ...(['unknown', 'running', 'expired', 'cancelled', 'failed', 'succeeded'] as const),
];

/** Both sides' changes in the order of time; none after an end, and the last of them to the state that counts. */
function changesOf(more: Transfer, less: Transfer): readonly StateChange[] {
  const known = new Map(
    [...less.changes, ...more.changes].map((change) => [`${String(change.at)} ${change.state}`, change]),
  );
  const place = ({ state }: StateChange): number =>
    state === more.state ? usualOrder.length : usualOrder.indexOf(state);
  const inOrder = [...known.values()].sort((a, b) => a.at - b.at || place(a) - place(b));
  if (hasEnded(more.state)) return inOrder.filter(({ at }) => at <= changedAt(more));
  const last = inOrder.at(-1);
  const at = Math.max(more.askedAt ?? 0, last?.at ?? 0);
  return last?.state === more.state ? inOrder : [...inOrder, { state: more.state, at }];
}

/** All but how it stands, which has to come from one side as a whole. */
function withoutStanding(transfer: Transfer): Transfer {
  const rest = { ...transfer };
  for (const field of ['cancelUnheeded', 'problem', 'status', 'askedAt'] as const) Reflect.deleteProperty(rest, field);
  return rest;
}

function pick<K extends keyof Transfer>(transfer: Transfer, ...fields: readonly K[]): Partial<Pick<Transfer, K>> {
  return Object.fromEntries(
    fields.flatMap((field) => (field in transfer ? [[field, transfer[field]]] : [])),
  ) as Partial<Pick<Transfer, K>>;
}
