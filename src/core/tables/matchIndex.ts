import type { StoreListing } from '../model/databaseModel.ts';
import type { FileEntry } from '../model/fileEntry.ts';
import type { Reason } from '../model/reason.ts';
import { parseDeclaredHash } from '../util/declaredHash.ts';
import type { MatchKey } from './tableColumns.ts';

/** The files that match a value. */
export interface FileMatches {
  /** The first matching files, at most {@link maxListedMatches}. */
  readonly files: readonly FileEntry[];
  readonly count: number;
  /** The reason why the value was not compared with all files. */
  readonly gap?: MatchGap | undefined;
  /**
   * Absent if the whole value or the whole path of the file matches. `partial`: the file is in another folder than the
   * value says. `shared`: other values have the same end, so that the file may be theirs.
   */
  readonly end?: 'partial' | 'shared';
}

/** Maximum number of files that are listed for one value, to limit memory. */
export const maxListedMatches = 100;

/** Maximum length of a value to compare, in UTF-16 code units. No ID, name or path is longer. */
export const maxValueLength = 10_000;

/** Maximum number of ends of a path to compare, besides the whole path. */
const maxEnds = 100;

interface StoredMatches {
  files: FileEntry[];
  count: number;
  gap?: MatchGap;
}

/**
 * Collects the files that match values. Memory use grows with the number of values, not with the number of compared
 * files.
 */
export class MatchIndex {
  readonly key: MatchKey;
  /** The state of the listing of a store, as of the last response. */
  listing: StoreListing | undefined;
  private readonly byValue = new Map<string, StoredMatches>();
  /** The files whose paths have an end of a value; undefined if there are none. Empty unless values name folders. */
  private readonly byEnd = new Map<string, StoredMatches | undefined>();
  private readonly sharedEnds = new Set<string>();
  private readonly skipped: SkippedFiles[] = [];
  /** The number of compared files that declare a hash, by algorithm. */
  private readonly hashCounts = new Map<string, number>();
  private comparedCount = 0;

  constructor(key: MatchKey, values: Iterable<string>) {
    this.key = key;
    const paths = new Set<string>();
    for (const value of values) {
      const normal = normalizeValue(key, value);
      if (normal === '' || this.byValue.has(normal)) continue;
      const gap = normal.length > maxValueLength ? ({ kind: 'tooLong' } as const) : undefined;
      this.byValue.set(normal, { files: [], count: 0, ...(gap && { gap }) });
      if (key === 'name' && hasFolder(value)) paths.add(toPath(value));
    }
    for (const path of paths) this.addEnds(path);
  }

  /** The distinct nonempty values, normalized. */
  get values(): readonly string[] {
    return [...this.byValue.keys()];
  }

  /** The files that weren't compared with any value. */
  get skippedFiles(): readonly SkippedFiles[] {
    return this.skipped;
  }

  /** The number of values that match more files than are listed. */
  get shortenedCount(): number {
    return [...this.byValue.values()].filter(({ files, count }) => count > files.length).length;
  }

  /** The reasons why values were not compared with all files, one for each such value. */
  get gaps(): readonly MatchGap[] {
    return [...this.byValue.values()].flatMap(({ gap }) => gap ?? []);
  }

  /**
   * Returns the files that match a value exactly; undefined if the value isn't in the index. One match of an ID is
   * enough even if other lookups failed, because only one file has that ID.
   */
  get(value: string): FileMatches | undefined {
    const normal = normalizeValue(this.key, value);
    const matches = this.byValue.get(normal);
    if (!matches || (matches.count > 0 && this.key !== 'id')) return matches;
    const { files, count } = matches;
    return { files, count, gap: count > 0 ? undefined : (matches.gap ?? this.findHashGap(normal)) };
  }

  /**
   * Returns the files whose paths share the longest end with a path or address; undefined if no file has its name.
   * Ignores differences in Unicode normalization.
   */
  getByEnd(value: string): FileMatches | undefined {
    if (this.byEnd.size === 0 || !hasFolder(value)) return undefined;
    const path = toPath(value);
    const ends = [...listEnds(path)].filter((end) => this.byEnd.get(end));
    const end = ends.at(-1) ?? '';
    const matches = this.byEnd.get(end);
    if (!matches || end === path) return matches;
    if (this.sharedEnds.has(end)) return { ...matches, end: 'shared' };
    return matches.files.every((file) => getPath(file) === end) ? matches : { ...matches, end: 'partial' };
  }

  /** Adds a file to each value that it matches. */
  add(file: FileEntry): void {
    for (const value of new Set(getFileValues(this.key, file))) this.addMatch(value, file);
    this.addToEnds(file);
    this.comparedCount += 1;
    const algorithm = this.key === 'hash' ? parseDeclaredHash(file.hash)?.algorithm : undefined;
    if (algorithm !== undefined) this.hashCounts.set(algorithm, (this.hashCounts.get(algorithm) ?? 0) + 1);
  }

  /** Adds the files that match a normalized value, without duplicates. Ignores files that don't match. */
  addTo(value: string, files: readonly FileEntry[]): void {
    const distinct = new Map(files.map((file) => [file.id, file]));
    for (const file of distinct.values()) {
      if (getFileValues(this.key, file).includes(value)) this.addMatch(value, file);
      this.addToEnds(file);
    }
  }

  /** Records the reason why a normalized value was not compared with all files. */
  setGap(value: string, gap: MatchGap): void {
    const matches = this.byValue.get(value);
    if (matches) matches.gap = gap;
  }

  /** Records files that weren't compared with any value. */
  addSkipped(files: SkippedFiles): void {
    this.skipped.push(files);
  }

  private addMatch(value: string, file: FileEntry): void {
    const matches = this.byValue.get(value);
    if (matches) addFile(matches, file);
  }

  private addEnds(path: string): void {
    for (const end of listEnds(path)) {
      if (this.byEnd.has(end)) this.sharedEnds.add(end);
      else this.byEnd.set(end, undefined);
    }
  }

  private addToEnds(file: FileEntry): void {
    if (this.byEnd.size === 0) return;
    for (const end of listEnds(getPath(file))) {
      if (!this.byEnd.has(end)) return;
      const matches = this.byEnd.get(end) ?? { files: [], count: 0 };
      // Searches for several values can find the same file.
      if (matches.files.some(({ id }) => id === file.id)) continue;
      addFile(matches, file);
      this.byEnd.set(end, matches);
    }
  }

  /** Returns a gap if files that declare no hash of a value's algorithm may have that hash. */
  private findHashGap(value: string): MatchGap | undefined {
    const algorithm = this.key === 'hash' ? parseDeclaredHash(value)?.algorithm : undefined;
    if (algorithm === undefined) return undefined;
    const known = this.hashCounts.get(algorithm) ?? 0;
    return known < this.comparedCount ? { kind: 'noHash', algorithm, isAll: known === 0 } : undefined;
  }
}

function addFile(matches: StoredMatches, file: FileEntry): void {
  matches.count += 1;
  if (matches.files.length < maxListedMatches) matches.files.push(file);
}

function normalizeValue(key: MatchKey, value: string): string {
  return key === 'hash' ? (parseDeclaredHash(value)?.hex ?? value.toLowerCase()) : value;
}

function getFileValues(key: MatchKey, { id, name, path, hash }: FileEntry): readonly string[] {
  if (key === 'id') return [id];
  if (key === 'hash') return hash === undefined ? [] : [parseDeclaredHash(hash)?.hex ?? hash.toLowerCase()];
  return path === undefined ? [name] : [name, path, path.replace(/^.*\//s, '')];
}

function hasFolder(value: string): boolean {
  return value.length <= maxValueLength && !value.includes(';') && /[\\/]/.test(value);
}

/** Converts a path of any system, or an address, to the form of {@link getPath}. */
function toPath(value: string): string {
  const names: string[] = [];
  const path = value.trim().replace(/^[a-z][\w+.-]*:\/\//i, '');
  for (const name of path.split(/[\\/]/)) {
    if (name === '..') names.pop();
    else if (name !== '' && name !== '.') names.push(name);
  }
  return names.join('/').normalize();
}

function getPath({ path, name }: FileEntry): string {
  return (path ?? name).normalize();
}

/** Yields the first ends of a path at its slashes, the shortest first, and finally the whole path. */
function* listEnds(path: string): Generator<string> {
  let at = path.lastIndexOf('/');
  for (let count = 0; at > 0 && count < maxEnds; count++, at = path.lastIndexOf('/', at - 1)) yield path.slice(at + 1);
  yield path;
}

/** Returns the name of the file that a path or an address leads to. */
export function getNameInPath(value: string): string {
  return toPath(value).replace(/^.*\//s, '');
}

/** The reason why the comparison of one value is incomplete. */
export type MatchGap =
  | { readonly kind: 'failed'; readonly reason: Reason } // the value was not looked up
  | { readonly kind: 'tooLong' } // the value was not looked up, because it is too long for an ID, a name or a path
  | { readonly kind: 'truncated'; readonly comparedCount: number } // only the first results of its search were compared
  // some of the files, or all, declare no hash of this algorithm
  | { readonly kind: 'noHash'; readonly algorithm: string; readonly isAll: boolean };

/** Files of a database that weren't compared with any value. */
export interface SkippedFiles {
  /** 0-based position of the first of these files in the list of all files. */
  readonly start: number;
  /** The number of files; absent if all files from `start` on were skipped, in which case it is unknown. */
  readonly count?: number;
  readonly reason: Reason;
}
