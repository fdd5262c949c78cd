/** Imports the records of one ledger into another in a separate process that can be killed. */
import { importRecords } from '../../src/core/transfers/ledgerImport.ts';
import { systemClock } from '../../src/core/util/clock.ts';
import { MemoryLog } from './memoryLog.ts';

/** The path of this program. Its arguments are the source folder and the target folder. */
export const importProgram = import.meta.filename;

if (import.meta.main) {
  const [source, target] = process.argv.slice(2);
  if (source !== undefined && target !== undefined)
    await importRecords({ source, target, clock: systemClock, log: new MemoryLog() });
}
