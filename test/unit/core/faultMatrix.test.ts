import assert from 'node:assert/strict';
import { FaultCell } from './faultCell.ts';
import { events, type FaultEvent } from './faultEvents.ts';
import { moments, reach, type Moment } from './faultMoments.ts';
import { fillDisk } from '../../support/fullDisk.ts';
import { verify, type Outcome } from './faultOutcomes.ts';

/** The required outcomes of each event, in the order of the moments. */
const outcomes: Readonly<Record<FaultEvent, readonly Outcome[]>> = {
  'reload of the window': ['not confirmed', 'not confirmed', 'monitored', 'monitored', 'monitored', 'ended'],
  'kill of the host': ['not confirmed', 'not confirmed', 'not confirmed', 'monitored', 'monitored', 'ended'],
  'kill of the server': ['refused', 'not confirmed', 'monitored', 'monitored', 'monitored', 'ended'],
  'network away and back': ['not confirmed', 'not confirmed', 'monitored', 'monitored', 'monitored', 'ended'],
  'key refused and set again': ['refused', 'monitored', 'monitored', 'monitored', 'monitored', 'ended'],
  'machine asleep for 8 h': ['monitored', 'not confirmed', 'monitored', 'monitored', 'monitored', 'ended'],
  'disk of the ledger full': ['not recorded', 'monitored', 'monitored', 'monitored', 'monitored', 'ended'],
  'second window opened': ['monitored', 'monitored', 'monitored', 'monitored', 'monitored', 'ended'],
};

describe('A transfer during faults is shown correctly, polled on schedule and submitted once (D11, D12, D28, D33)', () => {
  for (const [place, moment] of moments.entries()) {
    for (const event of Object.keys(events) as FaultEvent[]) {
      const outcome = outcomes[event][place];
      assert.ok(outcome);
      it(`${moment} × ${event}: outcome ${outcome}`, async () => await runCell(moment, event, outcome));
    }
  }
});

async function runCell(moment: Moment, event: FaultEvent, outcome: Outcome): Promise<void> {
  const isProcess = event === 'kill of the host';
  const cell = await FaultCell.start({ isProcess, isHeld: moment === 'before sending' });
  try {
    if (outcome === 'not recorded') await submitOnFullDisk(cell);
    else await reach(cell, moment);
    await events[event](cell);
    await verify(cell, outcome, event);
  } finally {
    await cell.end();
  }
}

/** Submits on a full disk. Nothing may be sent, because the intent can't be recorded. */
async function submitOnFullDisk(cell: FaultCell): Promise<void> {
  cell.addCleanup(fillDisk(cell.ledgerFolder));
  await cell.first.submit();
}
