import type { FileEntry } from '../model/fileEntry.ts';
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

/**
 * One byte per position in a path: 1 if a part of a pattern can start or end there, otherwise 0. The last position is
 * the end of the path.
 */
type Places = Uint8Array;

/** Replaces the positions in `places` where a part of a pattern can start with those where it can end. */
type PatternPart = (path: string, places: Places) => void;

const wildcards: ReadonlyMap<string, PatternPart> = new Map([
  ['?', skipCharacter],
  ['*', skipInFolder],
  ['**', skipAny],
  ['**/', skipFolders],
]);

/**
 * Matches entire paths against a pattern: `*` and `?` match within a folder, `**` across folders. Takes time
 * proportional to the length of the path times the length of the pattern, unlike a regular expression, which could
 * block the program for hours.
 */
export class PathPattern {
  private readonly parts: readonly PatternPart[];

  constructor(pattern: string) {
    const texts = pattern.match(/\*{2,}\/?|[*?]|[^*?]+/g) ?? [];
    this.parts = texts.map((text) => wildcards.get(text.replace(/\*{2,}/, '**')) ?? createLiteral(text));
  }

  matches(path: string): boolean {
    // The parts modify a single array in place, because allocating arrays would take most of the time.
    const places = new Uint8Array(path.length + 1);
    places[0] = 1;
    for (const part of this.parts) {
      part(path, places);
      if (!places.includes(1)) return false;
    }
    return places[path.length] === 1;
  }
}

function createLiteral(text: string): PatternPart {
  const { length } = text;
  const code = text.charCodeAt(0);
  return (path, places) => {
    for (let end = path.length; end >= length; end--) {
      const start = end - length;
      const isStart = places[start] === 1 && path.charCodeAt(start) === code;
      places[end] = isStart && (length === 1 || path.startsWith(text, start)) ? 1 : 0;
    }
    places.fill(0, 0, length);
  };
}

const slash = '/'.charCodeAt(0);

function skipCharacter(path: string, places: Places): void {
  for (let end = path.length; end > 0; end--) {
    places[end] = places[end - 1] === 1 && path.charCodeAt(end - 1) !== slash ? 1 : 0;
  }
  places[0] = 0;
}

function skipInFolder(path: string, places: Places): void {
  for (let at = 0; at < path.length; at++) {
    if (places[at] === 1 && path.charCodeAt(at) !== slash) places[at + 1] = 1;
  }
}

function skipAny(_path: string, places: Places): void {
  const first = places.indexOf(1);
  if (first >= 0) places.fill(1, first);
}

/** Skips any number of folders, including none, with their slashes. */
function skipFolders(path: string, places: Places): void {
  const first = places.indexOf(1);
  if (first < 0) return;
  for (let at = path.indexOf('/', first); at >= 0; at = path.indexOf('/', at + 1)) places[at + 1] = 1;
}
