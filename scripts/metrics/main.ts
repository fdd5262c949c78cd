/**
 * Measures the structure of the code and exits with code 1 if a bound is exceeded. `--list TEXT` also prints the items
 * behind each metric whose title contains TEXT.
 */
import { readdirSync } from 'node:fs';
import { basename, join } from 'node:path';
import { parseArgs } from 'node:util';
import { findSharedTypeNames, findUnimported, readEntryPoints, readExports } from './exports.ts';
import { measureFunctions, percentile } from './functions.ts';
import { findLargestCycle, readImports } from './imports.ts';
import { findRepeated, readSources, type Source } from './sources.ts';
import { findQuestionComments, findUnusualWords } from './words.ts';

const root = join(import.meta.dirname, '..', '..');

/** A measured value with an optional upper bound. */
interface Metric {
  readonly title: string;
  readonly value: number;
  readonly bound?: number;
  readonly items?: readonly string[];
}

function sizes(folder: string): Metric[] {
  const sources = readSources(root, folder);
  const lines = sources.reduce((sum, { text }) => sum + text.split('\n').length - 1, 0);
  return [
    { title: `${folder}: files`, value: sources.length },
    { title: `${folder}: lines`, value: lines },
  ];
}

function counted(title: string, items: readonly string[], bound: number): Metric {
  return { title, value: items.length, bound, items };
}

function repeatedFileNames(sources: readonly Source[]): string[] {
  const own = sources.filter(({ path }) => !/(^|\/)(index|main)\.ts$/.test(path));
  return findRepeated(own, ({ path }) => basename(path));
}

function structure(): Metric[] {
  const sources = readSources(root, 'src');
  const imports = readImports(sources);
  const exports = readExports(sources);
  const functions = measureFunctions(sources);
  const bags = exports.filter(({ name }) => name.endsWith('Parts')).map(({ path, name }) => `${path} ${name}`);
  const entryPoints = readEntryPoints(join(root, 'esbuild.mjs'));
  const forImport = exports.filter(({ path }) => !entryPoints.has(path));
  const unimported = findUnimported(forImport, imports).map(({ path, name }) => `${path} ${name}`);
  const cycle = findLargestCycle(sources, imports);
  return [
    counted('doc comments that begin with a question word', findQuestionComments(sources), 20),
    counted('unusual words in names and comments', findUnusualWords(sources), 0),
    counted('type names exported by several files', findSharedTypeNames(exports), 0),
    counted('duplicate file names', repeatedFileNames(sources), 3),
    counted('exports named *Parts', bags, 5),
    counted('entries directly in src', readdirSync(join(root, 'src')), 7),
    counted('exports that no file imports', unimported, 0),
    { title: 'largest import cycle', value: cycle.length, bound: 2, items: cycle },
    { title: 'function length, 90th percentile', value: percentile(functions, 0.9), bound: 12 },
    { title: 'function length, 99th percentile', value: percentile(functions, 0.99), bound: 24 },
  ];
}

const { values } = parseArgs({ options: { list: { type: 'string' } } });
const metrics = [...['src', 'scripts', 'test'].flatMap(sizes), ...structure()];
for (const { title, value, bound, items = [] } of metrics) {
  const isExceeded = bound !== undefined && value > bound;
  if (isExceeded) process.exitCode = 1;
  const limit = bound === undefined ? '' : ` (at most ${String(bound)})`;
  console.log(`${isExceeded ? '✘' : ' '} ${title}: ${String(value)}${limit}`);
  if (values.list !== undefined && title.includes(values.list)) for (const item of items) console.log(`    ${item}`);
}
