import { readdirSync } from 'node:fs';
import { basename, join } from 'node:path';
import { findBags, findClosureBags, findFunctionMembers, findPicks } from './bags.ts';
import { findDocComments, findPrivateDocComments } from './comments.ts';
import { findSharedTypeNames, findUnimported, readEntryPoints, readExports } from './exports.ts';
import { countLines, countWords, findSmallFiles, measureLongLines } from './files.ts';
import { measureFunctions, percentile } from './functions.ts';
import { findLargestCycle, readImports, type Import } from './imports.ts';
import { checkSentences, repetitionReasons } from './sentences.ts';
import { findRepeated, readSources, type Source } from './sources.ts';
import { findQuestionComments, findUnusualWords } from './words.ts';

/** A measured value with an optional upper bound. */
export interface Metric {
  readonly title: string;
  readonly value: number;
  readonly bound?: number;
  readonly items?: readonly string[];
}

/** Measures the structure of the code. Bounds are the values reached so far, which may only fall. */
export function measureStructure(root: string): Metric[] {
  const sources = readSources(root, 'src');
  const imports = readImports(sources);
  return [
    ...['src', 'scripts', 'test'].flatMap((folder) => measureSize(folder, readSources(root, folder))),
    ...measureNames(root, sources, imports),
    ...measureFiles(sources, imports),
    ...measureTypes(sources),
    ...measureTexts(root, sources),
  ];
}

function measureSize(folder: string, sources: readonly Source[]): Metric[] {
  const lines = sources.reduce((sum, { text }) => sum + countLines(text), 0);
  return [
    { title: `${folder}: files`, value: sources.length },
    { title: `${folder}: lines`, value: lines },
  ];
}

function counted(title: string, items: readonly string[], bound: number): Metric {
  return { title, value: items.length, bound, items };
}

function measureNames(root: string, sources: readonly Source[], imports: readonly Import[]): Metric[] {
  const exports = readExports(sources);
  const bags = exports.filter(({ name }) => name.endsWith('Parts')).map(({ path, name }) => `${path} ${name}`);
  const entryPoints = readEntryPoints(join(root, 'esbuild.mjs'));
  const forImport = exports.filter(({ path }) => !entryPoints.has(path));
  const users = ['scripts', 'test', 'bench'].flatMap((folder) => readSources(root, folder));
  const list = (all: readonly Import[]): string[] =>
    findUnimported(forImport, all).map(({ path, name }) => `${path} ${name}`);
  return [
    counted('doc comments that begin with a question word', findQuestionComments(sources), 0),
    counted('unusual words in names and comments', findUnusualWords(sources), 0),
    counted('type names exported by several files', findSharedTypeNames(exports), 0),
    counted('duplicate file names', listRepeatedFileNames(sources), 2),
    counted('exports named *Parts', bags, 5),
    counted('entries directly in src', readdirSync(join(root, 'src')), 7),
    counted('exports that no file imports', list([...imports, ...readImports([...sources, ...users])]), 0),
    counted('exports that only tests import', list(imports), 38),
  ];
}

function listRepeatedFileNames(sources: readonly Source[]): string[] {
  const own = sources.filter(({ path }) => !/(^|\/)(index|main)\.ts$/.test(path));
  return findRepeated(own, ({ path }) => basename(path));
}

function measureFiles(sources: readonly Source[], imports: readonly Import[]): Metric[] {
  const functions = measureFunctions(sources);
  const cycle = findLargestCycle(sources, imports);
  return [
    { title: 'largest import cycle', value: cycle.length, bound: 2, items: cycle },
    counted('files under 40 lines that one file beside them imports', findSmallFiles(sources, imports), 0),
    { title: 'function length, 90th percentile', value: percentile(functions, 0.9), bound: 12 },
    { title: 'function length, 99th percentile', value: percentile(functions, 0.99), bound: 24 },
    { title: 'lines over 100 characters, in percent', value: measureLongLines(sources), bound: 8.7 },
  ];
}

function measureTypes(sources: readonly Source[]): Metric[] {
  return [
    counted('uses of Pick and Omit', findPicks(sources), 112),
    counted('types named *Dependencies or *Options', findBags(sources), 95),
    counted('functions in types named *Dependencies', findFunctionMembers(sources), 60),
    counted('literals with several functions that call one object', findClosureBags(sources), 4),
  ];
}

function measureTexts(root: string, sources: readonly Source[]): Metric[] {
  const { explained, unexplained } = checkSentences(sources, repetitionReasons);
  const docComments = findDocComments(sources);
  return [
    { title: 'doc comments', value: docComments.length, items: docComments },
    counted('doc comments on functions that are not exported', findPrivateDocComments(sources), 800),
    counted('sentences that the code has more than once', unexplained, 0),
    counted('sentences that the code has more than once for a reason', explained, 5),
    { title: 'words in documents', value: countWords(root), bound: 26_540 },
  ];
}
