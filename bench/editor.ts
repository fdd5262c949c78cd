/** The extension in the editor: its start beside an empty one, 50,000 results and a page beside bare ones, the first paint. */
import { parseArgs } from 'node:util';
import { measureFirstPaint } from './support/firstPaint.ts';
import { measureResults } from './support/longResults.ts';
import { bytesAtActivation, installedExtension } from './support/packedExtension.ts';
import { report } from './support/rounds.ts';
import { measureStarts } from './support/starts.ts';
import { scratchFolder } from './support/tree.ts';

const { values } = parseArgs({ options: { json: { type: 'boolean', default: false }, row: { type: 'string' } } });
const starts = 10;
const mostBytes = 120_000;

function tell(name: string, ratio: number, limit: number): void {
  if (!report({ name, ratio, limit }, values.json)) process.exitCode = 1;
}

/** What is measured, each by itself with `--row`. */
const rows: Readonly<Record<string, (extension: string) => Promise<void> | void>> = {
  size: (extension) => tell('read at activation, of 120 kB', bytesAtActivation(extension) / mostBytes, 1),
  start: async (extension) => {
    const { ours, empty, emptyAlone } = await measureStarts(extension, starts);
    console.error(`· activation, in ms, medians of ${starts} starts: ${JSON.stringify({ ours, empty, emptyAlone })}`);
    tell('activation beside an empty extension', ours.took / empty.took, 2);
    tell('activation beside an empty extension in starts without ours', ours.took / emptyAlone.took, 2);
  },
  results: async (extension) => {
    const { walk, memory, page } = await measureResults(extension, scratchFolder());
    tell('50,000 results: opened, checked, to the end', walk, 3);
    tell('50,000 results: growth of the heap', memory, 2);
    tell('metadata page beside an empty page', page, 3);
  },
  paint: async (extension) => {
    const { transfers, results } = await measureFirstPaint(extension, scratchFolder());
    tell('first paint of transfers, 3,000 ended / ten', transfers, 1.2);
    tell('first paint of results, 50,000 / ten', results, 1.2);
  },
};

const names = values.row === undefined ? Object.keys(rows) : [values.row];
const extension = installedExtension();
for (const name of names) {
  if (!(name in rows)) throw new Error(`There is no row ${name}; there are ${Object.keys(rows).join(', ')}.`);
  await rows[name]?.(extension);
}
