import assert from 'node:assert/strict';
import { join } from 'node:path';
import { createExplorer, makeLedger, measureStart, readAndParse, type StartMs } from './ledgers.ts';
import { getMedian, measureCleanTime, measureRatio, type Report } from './rounds.ts';
import { scratchFolder } from './tree.ts';

const endedCount = 20_000;
const fewCount = 20;
const starts = 41;

/**
 * Compares a ledger of 20,000 transfers with an empty one, with one of 20 transfers, and with plain reading and
 * parsing.
 */
export async function measureLedger(report: Report<'monitor'>): Promise<void> {
  const scratch = scratchFolder();
  const [long, few, empty] = [join(scratch, 'long'), join(scratch, 'few'), join(scratch, 'empty')];
  makeLedger(long, endedCount);
  makeLedger(few, fewCount);
  makeLedger(empty, 0);
  const [ofLong, ofFew, ofEmpty] = await measureStarts([long, few, empty]);
  report('activation with 20,000 ended transfers / none', ratio('activation', ofLong, ofEmpty));
  report('list of the last 20 of 20,000 ended transfers / of 20', ratio('listing', ofLong, ofFew));
  const listing = await measureRatio({
    ours: async () => await measureListing(long),
    reference: async () => await measureCleanTime(async () => await readAndParse(join(long, 'ended'), 32)),
    turns: 2,
  });
  report('list of 20,000 ended transfers / reading and parsing', listing);
}

/** Resolves to the time until all ended transfers are loaded and sorted, in milliseconds. */
async function measureListing(long: string): Promise<number> {
  const explorer = createExplorer(long);
  const { transferFlow, transferStore } = explorer;
  await transferFlow.resume();
  const ms = await measureCleanTime(async () => {
    await transferFlow.loadFinished();
    assert.equal(transferStore.getFinished().length, endedCount);
  });
  explorer.dispose();
  return ms;
}

/**
 * Starts processes over the ledgers alternately and in changing order, because startup is short and its duration
 * varies. Doesn't count the first turn, in which the ledger is indexed.
 */
async function measureStarts(folders: readonly string[]): Promise<readonly StartMs[][]> {
  const measured = folders.map((): StartMs[] => []);
  for (let turn = 0; turn <= starts; turn++) {
    const order = [...folders.entries()];
    if (turn % 2 === 1) order.reverse();
    for (const [index, folder] of order) {
      const took = await measureStart(folder);
      if (turn > 0) measured[index]?.push(took);
    }
  }
  return measured;
}

/** Returns the ratio of the medians of two series. */
function ratio(name: keyof StartMs, ours: readonly StartMs[] = [], reference: readonly StartMs[] = []): number {
  const median = (side: readonly StartMs[]): number => getMedian(side.map((took) => took[name]));
  return median(ours) / median(reference);
}
