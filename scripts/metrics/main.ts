/**
 * Measures the code. Without options, measures its structure, and exits with code 1 if a bound is exceeded. `--list TEXT`
 * also prints the items behind each metric whose title contains TEXT. `--sentences` prints the sentences that the code
 * has more than once. `--walks` counts the functions that five common operations enter; `--functions` also prints them.
 */
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { findRepeatedSentences } from './sentences.ts';
import { readSources } from './sources.ts';
import { measureStructure, type Metric } from './structure.ts';
import { printWalks } from './walks/walks.ts';

const root = join(import.meta.dirname, '..', '..');

function printMetric({ title, value, bound, items = [] }: Metric, list: string | undefined): void {
  const isExceeded = bound !== undefined && value > bound;
  if (isExceeded) process.exitCode = 1;
  const limit = bound === undefined ? '' : ` (at most ${String(bound)})`;
  console.log(`${isExceeded ? '✘' : ' '} ${title}: ${String(value)}${limit}`);
  if (list !== undefined && title.includes(list)) for (const item of items) console.log(`    ${item}`);
}

function printSentences(): void {
  for (const { texts, positions } of findRepeatedSentences(readSources(root, 'src'))) {
    for (const text of texts) console.log(text);
    for (const position of positions) console.log(`    ${position}`);
  }
}

const { values } = parseArgs({
  options: {
    list: { type: 'string' },
    sentences: { type: 'boolean' },
    walks: { type: 'boolean' },
    functions: { type: 'boolean' },
  },
});
if (values.walks) await printWalks(root, values.functions ?? false);
else if (values.sentences) printSentences();
else for (const metric of measureStructure(root)) printMetric(metric, values.list);
