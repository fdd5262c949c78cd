/** The extension in the editor: its start beside an empty one, 50,000 results and a page beside bare ones. */
import { parseArgs } from 'node:util';
import { measureResults } from './support/longResults.ts';
import { bytesAtActivation, packExtension } from './support/packedExtension.ts';
import { report } from './support/rounds.ts';
import { measureStarts } from './support/starts.ts';
import { scratchFolder } from './support/tree.ts';

const { values } = parseArgs({ options: { json: { type: 'boolean', default: false } } });
const starts = 10;
const mostBytes = 120_000;

function tell(name: string, ratio: number, limit: number): void {
  if (!report({ name, ratio, limit }, values.json)) process.exitCode = 1;
}

const scratch = scratchFolder();
const vsix = packExtension(scratch);
tell('read at activation, of 120 kB', bytesAtActivation() / mostBytes, 1);
const { ours, empty } = await measureStarts(vsix, starts);
console.error(`· activation: ${ours} ms, of an empty extension ${empty} ms, medians of ${starts} starts`);
tell('activation beside an empty extension', ours / empty, 2);
const { walk, memory, page } = await measureResults(vsix, scratch);
tell('50,000 results: opened, checked, to the end', walk, 3);
tell('50,000 results: growth of the heap', memory, 2);
tell('metadata page beside an empty page', page, 3);
