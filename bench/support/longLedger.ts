import assert from 'node:assert/strict';
import { join } from 'node:path';
import { activationMs, explorerOver, makeLedger, readAndParse } from './ledgers.ts';
import { cleanTimeOf, medianOf, ratioOf, type Measure } from './rounds.ts';
import { scratchFolder } from './tree.ts';

const endedCount = 20_000;
const activations = 41;

/** Measures the ledger of 20,000 transfers beside an empty one, and beside reading and parsing its files. */
export async function measureLedger(tell: (measure: Measure) => void): Promise<void> {
  const scratch = scratchFolder();
  const [long, empty] = [join(scratch, 'long'), join(scratch, 'empty')];
  makeLedger(long, endedCount);
  makeLedger(empty, 0);
  tell({ name: 'activation, 20,000 ended / none', ratio: await activationRatio(long, empty), limit: 1.2 });
  tell({
    name: 'listing 20,000 ended / reading and parsing',
    ratio: await ratioOf({
      ours: async () => await listingMs(long),
      reference: async () => await cleanTimeOf(async () => await readAndParse(join(long, 'ended'), 32)),
      turns: 2,
    }),
    limit: 3,
  });
}

/** Milliseconds until all that ended are there to be shown, in order. */
async function listingMs(long: string): Promise<number> {
  const explorer = explorerOver(long);
  const { transferFlow, transferStore } = explorer;
  await transferFlow.resume();
  const ms = await cleanTimeOf(async () => {
    await transferFlow.loadFinished();
    assert.equal(transferStore.getFinished().length, endedCount);
  });
  explorer.dispose();
  return ms;
}

/** Processes take turns, and who begins changes; the middle one of each side counts, for a start is short and uneven. */
async function activationRatio(long: string, empty: string): Promise<number> {
  const [ofLong, ofEmpty]: [number[], number[]] = [[], []];
  for (let turn = 0; turn < activations; turn++) {
    if (turn % 2 === 0) ofLong.push(await activationMs(long));
    ofEmpty.push(await activationMs(empty));
    if (turn % 2 === 1) ofLong.push(await activationMs(long));
  }
  return medianOf(ofLong) / medianOf(ofEmpty);
}
