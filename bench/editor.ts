/** Compares the extension in the editor with minimal extensions: activation, 50,000 results, a page, first paint. */
import { parseArgs } from 'node:util';
import { measureFirstPaint } from './support/firstPaint.ts';
import { measureResults } from './support/longResults.ts';
import { installedExtension } from './support/packedExtension.ts';
import { report } from './support/rounds.ts';
import { measureStarts } from './support/starts.ts';
import { scratchFolder } from './support/tree.ts';

const { values } = parseArgs({ options: { json: { type: 'boolean', default: false }, row: { type: 'string' } } });
const starts = 10;

function reportRatio(name: string, ratio: number, limit: number): void {
  if (!report({ name, ratio, limit }, values.json)) process.exitCode = 1;
}

/** The measurements, by the names that `--row` accepts. */
const rows: Readonly<Record<string, (extension: string) => Promise<void>>> = {
  start: async (extension) => {
    const { ours, empty, emptyAlone } = await measureStarts(extension, starts);
    console.error(`· activation in ms, medians of ${starts} starts: ${JSON.stringify({ ours, empty, emptyAlone })}`);
    reportRatio('activation: time relative to an empty extension', ours.took / empty.took, 2);
    reportRatio('activation: time relative to an empty extension alone', ours.took / emptyAlone.took, 2);
  },
  results: async (extension) => {
    const { walk, memory, page } = await measureResults(extension, scratchFolder());
    reportRatio('50,000 results: time to expand, go to the end and check', walk, 3);
    reportRatio('50,000 results: heap growth', memory, 1.7);
    reportRatio('metadata page: time relative to an empty page', page, 3);
  },
  paint: async (extension) => {
    const { transfers, results } = await measureFirstPaint(extension, scratchFolder());
    reportRatio('first paint of transfers, 3,000 ended / ten', transfers, 1.2);
    reportRatio('first paint of results, 50,000 / ten', results, 1.2);
  },
};

const names = values.row === undefined ? Object.keys(rows) : [values.row];
const extension = installedExtension();
for (const name of names) {
  if (!(name in rows)) throw new Error(`Unknown row: ${name}. Available: ${Object.keys(rows).join(', ')}.`);
  await rows[name]?.(extension);
}
