import assert from 'node:assert/strict';
import { FaultCell } from './faultCell.ts';
import { events, type Happening } from './faultEvents.ts';
import { moments, reach, type Moment } from './faultMoments.ts';
import { fillDisk } from '../../support/fullDisk.ts';
import { verify, type Outcome } from './faultOutcomes.ts';

/** What has to come of each event, at each moment; in the order of the moments. */
const outcomes: Readonly<Record<Happening, readonly Outcome[]>> = {
  'reload of the window': ['not confirmed', 'not confirmed', 'followed', 'followed', 'followed', 'over'],
  'kill of the host': ['not confirmed', 'not confirmed', 'not confirmed', 'followed', 'followed', 'over'],
  'kill of the server': ['refused', 'not confirmed', 'followed', 'followed', 'followed', 'over'],
  'network away and back': ['not confirmed', 'not confirmed', 'followed', 'followed', 'followed', 'over'],
  'key refused and set again': ['refused', 'followed', 'followed', 'followed', 'followed', 'over'],
  'machine asleep for 8 h': ['followed', 'not confirmed', 'followed', 'followed', 'followed', 'over'],
  'disk of the ledger full': ['given up', 'followed', 'followed', 'followed', 'followed', 'over'],
  'second window opened': ['followed', 'followed', 'followed', 'followed', 'followed', 'over'],
};

describe('A transfer during faults is shown correctly, polled on schedule and submitted once (D11, D12, D28, D33)', function () {
  this.timeout(120_000);
  for (const [place, moment] of moments.entries()) {
    for (const happening of Object.keys(events) as Happening[]) {
      const outcome = outcomes[happening][place];
      assert.ok(outcome);
      it(`${moment} × ${happening}: the transfer is ${outcome}`, async () => await prove(moment, happening, outcome));
    }
  }
});

async function prove(moment: Moment, happening: Happening, outcome: Outcome): Promise<void> {
  const isProcess = happening === 'kill of the host';
  const cell = await FaultCell.start({ isProcess, isHeld: moment === 'before sending' });
  try {
    if (outcome === 'given up') await submitOnFullDisk(cell);
    else await reach(cell, moment);
    await events[happening](cell);
    await verify(cell, outcome, happening);
  } finally {
    await cell.end();
  }
}

/** The intent has to be on disk before anything is sent. */
async function submitOnFullDisk(cell: FaultCell): Promise<void> {
  cell.atEnd(fillDisk(cell.ledgerFolder));
  await cell.first.submit();
}
