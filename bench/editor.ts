/** Compares the extension in the editor with minimal extensions: activation, 50,000 results, a page, first paint. */
import { parseArgs } from 'node:util';
import { measureFirstPaint } from './support/firstPaint.ts';
import { measureResults } from './support/longResults.ts';
import { installedExtension } from './support/packedExtension.ts';
import { createReport, say } from './support/rounds.ts';
import { measureStarts } from './support/starts.ts';
import { scratchFolder } from './support/tree.ts';

const { values } = parseArgs({ options: { json: { type: 'boolean', default: false }, row: { type: 'string' } } });
const starts = 10;
const report = createReport('editor', values);

/** The measurements, by the names that `--row` accepts. */
const rows: Readonly<Record<string, (extension: string) => Promise<void>>> = {
  start: async (extension) => {
    const { ours, empty, emptyAlone } = await measureStarts(extension, starts);
    say(`activation in ms, medians of ${starts} starts: ${JSON.stringify({ ours, empty, emptyAlone })}`);
    report('activation / an empty extension in the same window', ours.took / empty.took);
    report('activation / an empty extension alone', ours.took / emptyAlone.took);
  },
  results: async (extension) => {
    const { walk, memory, page } = await measureResults(extension, scratchFolder());
    report('50,000 results: expand, go to the end, check / bare rows', walk);
    report('50,000 results, heap growth / bare rows', memory);
    report('metadata page / an empty page', page);
  },
  paint: async (extension) => {
    const { transfers, results } = await measureFirstPaint(extension, scratchFolder());
    report('first paint of 3,000 ended transfers / ten', transfers);
    report('first paint of 50,000 results / ten', results);
  },
};

const names = values.row === undefined ? Object.keys(rows) : [values.row];
const extension = installedExtension();
for (const name of names) {
  if (!(name in rows)) throw new Error(`Unknown row: ${name}. Available: ${Object.keys(rows).join(', ')}.`);
  await rows[name]?.(extension);
}
