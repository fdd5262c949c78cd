/**
 * Writes 20 failed transfers to a ledger in a separate process, as a window would. Arguments: the ledger folder, and a
 * prefix for the keys of the transfers.
 */
import { TransferLedger } from '../../src/core/transfers/transferLedger.ts';
import { withState } from '../../src/core/model/transferModel.ts';
import { MemoryLog } from './memoryLog.ts';
import { submittingTransfer } from '../unit/core/specimens.ts';

const [folder = '', side = ''] = process.argv.slice(2);
const ledger = new TransferLedger(folder, new MemoryLog());
for (let index = 0; index < 20; index++) {
  const key = `${side}-${index}`;
  await ledger.write(withState({ ...submittingTransfer, key }, 'failed', 2));
}
