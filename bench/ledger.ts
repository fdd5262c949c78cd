/** The ledger of 20,000 transfers beside an empty one, and beside reading and parsing its files. */
import assert from 'node:assert/strict';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { activationMs, explorerOver, makeLedger, readAndParse } from './support/ledgers.ts';
import { cleanTimeOf, medianOf, ratioOf, report, type Measure } from './support/rounds.ts';
import { scratchFolder } from './support/tree.ts';

const { values } = parseArgs({ options: { json: { type: 'boolean', default: false } } });
const scratch = scratchFolder();
const [long, empty] = [join(scratch, 'long'), join(scratch, 'empty')];
const endedCount = 20_000;
const activations = 41;

function tell(measure: Measure): void {
  if (!report(measure, values.json)) process.exitCode = 1;
}

/** Milliseconds until all that ended are there to be shown, in order. */
async function listingMs(): Promise<number> {
  const explorer = explorerOver(long);
  const { transferFlow, transferStore } = explorer;
  await transferFlow.resume();
  const ms = await cleanTimeOf(async () => {
    await transferFlow.loadFinished();
    assert.equal(transferStore.finished().length, endedCount);
  });
  explorer.dispose();
  return ms;
}

/** Processes take turns, and who begins changes; the middle one of each side counts, for a start is short and uneven. */
async function activationRatio(): Promise<number> {
  const [ofLong, ofEmpty]: [number[], number[]] = [[], []];
  for (let turn = 0; turn < activations; turn++) {
    if (turn % 2 === 0) ofLong.push(await activationMs(long));
    ofEmpty.push(await activationMs(empty));
    if (turn % 2 === 1) ofLong.push(await activationMs(long));
  }
  return medianOf(ofLong) / medianOf(ofEmpty);
}

console.error(`· making a ledger of ${endedCount.toLocaleString('en')} ended transfers`);
makeLedger(long, endedCount);
makeLedger(empty, 0);

tell({ name: 'activation, 20,000 ended / none', ratio: await activationRatio(), limit: 1.2 });
tell({
  name: 'listing 20,000 ended / reading and parsing',
  ratio: await ratioOf({
    ours: listingMs,
    reference: async () => await cleanTimeOf(async () => await readAndParse(join(long, 'ended'), 32)),
    turns: 2,
  }),
  limit: 3,
});
