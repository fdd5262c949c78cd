import type { TransferLedger } from '../../../src/core/transfers/transferLedger.ts';
import { withState, type Transfer } from '../../../src/core/model/transferModel.ts';
import { running } from '../core/specimens.ts';

/** Returns a transfer with the given key and state. */
export function withKey(key: string, state: Transfer['state'] = 'active'): Transfer {
  return { ...withState(running, state, 1), key };
}

/** Loads all transfers of a ledger, including removed ones. */
export async function load(ledger: TransferLedger): Promise<readonly Transfer[]> {
  return [await ledger.loadRunning(), await ledger.loadEnded(), await ledger.loadRemoved()].flat();
}

/** Returns `key state` of each transfer, sorted. */
export function summarize(transfers: readonly Transfer[]): readonly string[] {
  return transfers.map(({ key, state }) => `${key} ${state}`).sort();
}
