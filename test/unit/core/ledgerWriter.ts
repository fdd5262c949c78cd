/** Writes every other change of two transfers to a ledger in a separate process, as one of two windows would. */
import { TransferLedger } from '../../../src/core/transfers/transferLedger.ts';
import type { StateChange, Transfer } from '../../../src/core/model/transferModel.ts';
import { MemoryLog } from '../../support/memoryLog.ts';
import { order } from './specimens.ts';

const changesEach = 40;

/** The changes that each transfer has after both programs have ended. */
export const writtenChanges: readonly StateChange[] = Array.from({ length: 2 * changesEach }, (_, place) => ({
  state: place === 2 * changesEach - 1 ? 'failed' : place % 4 < 2 ? 'active' : 'inactive',
  at: place + 1,
}));

async function write(folder: string, side: string): Promise<void> {
  const ledger = new TransferLedger(folder, new MemoryLog());
  for (const [place, change] of writtenChanges.entries()) {
    if ((place % 2 === 0) !== (side === 'left')) continue;
    const changes = [{ state: 'submitting', at: 0 } as const, change];
    const seen: Omit<Transfer, 'key'> = { order, createdAt: 0, state: change.state, changes };
    const id = place === 7 ? { id: 'the-id' } : {};
    await Promise.all([ledger.write({ key: 'one', ...seen, ...id }), ledger.write({ key: 'two', ...seen, ...id })]);
  }
}

if (import.meta.main) {
  const [folder, side] = process.argv.slice(2);
  if (folder !== undefined && side !== undefined) await write(folder, side);
}
