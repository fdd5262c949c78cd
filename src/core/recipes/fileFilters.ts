import type { FileEntry } from '../model/fileEntry.ts';
import { PathPattern } from './recipePathPattern.ts';
import type { RecipeFilters } from './recipeSchema.ts';

type FileTest = (file: FileEntry) => boolean;

/** Creates a function that returns true for files that pass all filters of a recipe. */
export function createFileTest(filters: RecipeFilters | undefined): FileTest {
  const { formats, paths, bytes } = filters ?? {};
  const tests = [
    ...(formats ? [createFormatTest(formats)] : []),
    ...(paths ? [createPathTest(paths)] : []),
    ...(bytes ? [createSizeTest(bytes)] : []),
  ];
  return (file) => tests.every((test) => test(file));
}

/**
 * Creates a test for formats and file extensions. Like a search, the test accepts compressed variants: `fastq` includes
 * `fastq.gz` (D21: search syntax).
 */
function createFormatTest(formats: readonly string[]): FileTest {
  const suffixes = formats.map((format) => `.${format.toLowerCase().replace(/^\./, '')}`);
  return ({ format = '', path, name }) => {
    const endings = [`.${format.toLowerCase()}`, (path ?? name).toLowerCase()];
    return suffixes.some((suffix) => endings.some((ending) => hasSuffix(ending, suffix)));
  };
}

function hasSuffix(ending: string, suffix: string): boolean {
  return ending.endsWith(suffix) || ending.replace(/\.(?:bz2|gz|xz|zst)$/, '').endsWith(suffix);
}

function createPathTest(patterns: readonly string[]): FileTest {
  const accepted = patterns.map((pattern) => new PathPattern(pattern));
  return ({ path, name }) => accepted.some((pattern) => pattern.matches(path ?? name));
}

/** Creates a test for a range of sizes. A file of unknown size never passes. */
function createSizeTest({ least = 0, most = Infinity }: NonNullable<RecipeFilters['bytes']>): FileTest {
  return ({ sizeBytes }) => sizeBytes !== undefined && sizeBytes >= least && sizeBytes <= most;
}
