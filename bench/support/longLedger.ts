import assert from 'node:assert/strict';
import { join } from 'node:path';
import { activationMs, createExplorer, makeLedger, readAndParse } from './ledgers.ts';
import { measureCleanTime, getMedian, measureRatio, type Measure } from './rounds.ts';
import { scratchFolder } from './tree.ts';

const endedCount = 20_000;
const activations = 41;

/** Compares a ledger of 20,000 transfers with an empty one, and with reading and parsing its files. */
export async function measureLedger(reportMeasure: (measure: Measure) => void): Promise<void> {
  const scratch = scratchFolder();
  const [long, empty] = [join(scratch, 'long'), join(scratch, 'empty')];
  makeLedger(long, endedCount);
  makeLedger(empty, 0);
  reportMeasure({
    name: 'activation, 20,000 ended / none',
    ratio: await measureActivationRatio(long, empty),
    limit: 1.2,
  });
  reportMeasure({
    name: 'listing 20,000 ended / reading and parsing',
    ratio: await measureRatio({
      ours: async () => await measureListing(long),
      reference: async () => await measureCleanTime(async () => await readAndParse(join(long, 'ended'), 32)),
      turns: 2,
    }),
    limit: 3,
  });
}

/** Returns the time until all ended transfers are loaded and sorted, in milliseconds. */
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

/** Returns the ratio of the medians of several starts, which run in turns because a start is short and varies. */
async function measureActivationRatio(long: string, empty: string): Promise<number> {
  const [ofLong, ofEmpty]: [number[], number[]] = [[], []];
  for (let turn = 0; turn < activations; turn++) {
    if (turn % 2 === 0) ofLong.push(await activationMs(long));
    ofEmpty.push(await activationMs(empty));
    if (turn % 2 === 1) ofLong.push(await activationMs(long));
  }
  return getMedian(ofLong) / getMedian(ofEmpty);
}
