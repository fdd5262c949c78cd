import fc from 'fast-check';
import type { ScannedFile } from '../../../src/service/catalog/catalogFile.ts';

/** Characters that sort, fold, combine or decompose in an unusual way. Excludes `/` and NUL. */
const oddCharacters = [
  ...[
    'é',
    'e\u0301',
    'Å',
    'ß',
    'İ',
    '\u212A',
    'Σ',
    'ς',
    'σ',
    '½',
    'ﬁ',
    '각',
    '数',
    'か',
    'カ',
    'ー',
    '\u{20000}',
    '\u{10400}',
  ],
  ...['\u{1F9C0}', '\u{1D4D0}', '\u{10FFFF}', '\u{10000}', '\uFFFD', '\uFFFF', '\uE000', '\uD7FF', '\u0660'],
  ...['\n', '\u0001', '\u007F', '\\', '"', "'", '%', ',', '*', '?', '|', ':', '(', ')'],
];

const character = fc.oneof(
  { weight: 6, arbitrary: fc.constantFrom(...Array.from('abcAB 01.-_~')) },
  { weight: 3, arbitrary: fc.constantFrom(...oddCharacters) },
  { weight: 1, arbitrary: fc.string({ unit: 'binary', minLength: 1, maxLength: 1 }) },
);

/** Generates file names, including odd ones. */
export const oddName: fc.Arbitrary<string> = fc
  .string({ unit: character, minLength: 1, maxLength: 6 })
  .filter((name) => !/[/\0]/.test(name) && name !== '.' && name !== '..');

/** Generates paths that consist of up to four such names. */
export const oddPath: fc.Arbitrary<string> = fc
  .array(oddName, { minLength: 1, maxLength: 4 })
  .map((names) => names.join('/'));

const words = fc.constantFrom('soil', 'Clay sand', 'clay', 'ΟΔΟΣ', 'Größe', '数据', 'a-b', 'soils', '');

const metadata = fc.record(
  {
    title: words,
    description: fc.oneof(words, oddName),
    format: fc.constantFrom('CSV', 'fastq', 'clay'),
    keywords: fc.array(words, { maxLength: 2 }),
  },
  { requiredKeys: [] },
);

interface Content {
  readonly bytes: number;
  readonly modifiedMs: number;
  readonly metadata?: string;
}

const content: fc.Arbitrary<Content> = fc
  .tuple(fc.nat(3), fc.nat(3), fc.option(metadata, { freq: 2 }))
  .map(([bytes, modified, described]) => ({
    bytes: bytes * 999,
    modifiedMs: modified + 0.25,
    ...(described === null ? {} : { metadata: JSON.stringify(described) }),
  }));

/** Files in path order, as a walk through a folder returns them. */
export type Tree = readonly ScannedFile[];

/**
 * Generates trees that share names, so that from one tree to the next, files are added, changed or removed, or replace
 * folders.
 */
export function trees(count: fc.ArrayConstraints): fc.Arbitrary<Tree[]> {
  return fc.uniqueArray(oddName, { minLength: 1, maxLength: 5 }).chain((names) => {
    const path = fc.array(fc.constantFrom(...names), { minLength: 1, maxLength: 3 }).map((parts) => parts.join('/'));
    return fc.array(fc.array(fc.tuple(path, content), { maxLength: 10 }).map(createTree), count);
  });
}

function createTree(entries: readonly (readonly [string, Content])[]): Tree {
  const files = new Map<string, ScannedFile>();
  for (const [path, what] of entries) {
    for (const other of files.keys()) {
      if (other.startsWith(`${path}/`) || path.startsWith(`${other}/`)) files.delete(other);
    }
    files.set(path, { path, ...what });
  }
  return inPathOrder([...files.values()]);
}

/** Sorts files by the bytes of their paths. */
export function inPathOrder<T extends { readonly path: string }>(files: readonly T[]): T[] {
  return [...files].sort((one, other) => Buffer.compare(Buffer.from(one.path), Buffer.from(other.path)));
}
