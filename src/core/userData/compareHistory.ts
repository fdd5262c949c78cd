import { isSameExceptPolledAt, mergeTransfers } from '../ledger/transferMerge.ts';
import { hasEnded, type Transfer } from '../model/transferModel.ts';
import { omit } from '../util/omit.ts';
import type { Steps } from '../util/steps.ts';

/** The transfers in a user data file, compared with the records on this machine. */
export interface HistoryComparison {
  /** Ended transfers that this machine doesn't have. */
  readonly finished: readonly Transfer[];
  /** Running and unconfirmed transfers that this machine doesn't have. */
  readonly unfinished: readonly Transfer[];
  /** Records on this machine, updated with information that only the file has, such as a later status. */
  readonly updates: readonly Transfer[];
  /** The number of transfers for which the file has no new information. */
  readonly knownCount: number;
}

/**
 * Compares transfers with the stored ones, and yields after each transfer. Two records belong to the same transfer if
 * they have the same key, or the same connection and ID. `ids` maps the IDs of connections in the file to those on this
 * machine.
 */
export function* compareHistory(
  transfers: readonly Transfer[],
  stored: readonly Transfer[],
  ids: ReadonlyMap<string, string>,
): Steps<HistoryComparison> {
  const index = new Map(stored.flatMap((record) => getIdentities(record).map((one) => [one, record] as const)));
  const created: Transfer[] = [];
  const updates: Transfer[] = [];
  for (const transfer of transfers.map((one) => withLocalConnection(one, ids))) {
    const known = getIdentities(transfer)
      .map((one) => index.get(one))
      .find((record) => record !== undefined);
    if (known) updates.push(...findUpdate(known, transfer));
    else created.push(transfer);
    yield;
  }
  const finished = created.filter(({ state }) => hasEnded(state));
  const unfinished = created.filter(({ state }) => !hasEnded(state));
  return { finished, unfinished, updates, knownCount: transfers.length - created.length - updates.length };
}

function getIdentities({ key, id, order }: Transfer): readonly string[] {
  return id === undefined ? [key] : [key, `${order.connectionId}\n${id}`];
}

function findUpdate(known: Transfer, transfer: Transfer): readonly Transfer[] {
  const { key, order, createdAt } = known;
  const merged = mergeTransfers(known, { ...omit(transfer, 'service'), key, order, createdAt });
  return isSameExceptPolledAt(merged, known) ? [] : [merged];
}

function withLocalConnection(transfer: Transfer, ids: ReadonlyMap<string, string>): Transfer {
  const connectionId = ids.get(transfer.order.connectionId);
  return connectionId === undefined ? transfer : { ...transfer, order: { ...transfer.order, connectionId } };
}
