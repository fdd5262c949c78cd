import { join } from 'node:path';
import type { Clock } from '../util/clock.ts';
import { FirstFileWatch } from './firstFileWatch.ts';
import { parseRecordKey } from './recordNames.ts';

/** Calls `onFound` once, as soon as the ledger has a running transfer. Does not read any records. */
export class FirstTransferWatch extends FirstFileWatch {
  constructor(ledgerFolder: string, clock: Clock, onFound: () => void) {
    const hasMatch = (names: readonly string[]): boolean => names.some((name) => parseRecordKey(name) !== undefined);
    super(join(ledgerFolder, 'running'), clock, { hasMatch, onFound });
  }
}
