import type { FileEntry } from '../model/fileEntry.ts';
import type { Reason } from '../model/reason.ts';
import { parseDeclaredHash } from '../util/declaredHash.ts';
import type { MatchKey } from './tableColumns.ts';

/** The files that match one value of a column. */
export interface FileMatches {
  /** The first matching files, at most {@link maxListedMatches}. */
  readonly files: readonly FileEntry[];
  readonly count: number;
  /** The reason why the value was not compared with all files. */
  readonly gap?: MatchGap;
}

/** Maximum number of files that are listed for one value, to limit memory. */
export const maxListedMatches = 100;

interface StoredMatches {
  files: FileEntry[];
  count: number;
  gap?: MatchGap;
}

/**
 * Collects the files that match the values of a column. Memory use grows with the number of values, not with the number
 * of compared files.
 */
export class MatchIndex {
  readonly key: MatchKey;
  private readonly byValue = new Map<string, StoredMatches>();
  private readonly skipped: SkippedFiles[] = [];

  constructor(key: MatchKey, values: Iterable<string>) {
    this.key = key;
    for (const value of values) {
      const normal = normalizeValue(key, value);
      if (normal !== '' && !this.byValue.has(normal)) this.byValue.set(normal, { files: [], count: 0 });
    }
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

  /** The files that are the only match for a value, without duplicates. Omits values whose comparison is incomplete. */
  get uniqueFiles(): readonly FileEntry[] {
    return this.listFiles((matches) => matches.count === 1 && this.isComplete(matches));
  }

  /** All listed files, without duplicates. */
  get files(): readonly FileEntry[] {
    return this.listFiles(() => true);
  }

  /** Returns the matches for a cell's value; undefined if the value is empty or not in the index. */
  get(value: string): FileMatches | undefined {
    return this.byValue.get(normalizeValue(this.key, value));
  }

  /**
   * Returns true if no further file can match the value. For an ID, one match is enough even if other lookups failed,
   * because only one file has that ID.
   */
  isComplete({ count, gap }: FileMatches): boolean {
    if (this.key === 'id' && count > 0) return true;
    return gap === undefined && this.skipped.length === 0;
  }

  /** Adds a file to each value that it matches. */
  add(file: FileEntry): void {
    for (const value of new Set(getFileValues(this.key, file))) this.addMatch(value, file);
  }

  /** Adds the files that match a normalized value, without duplicates. Ignores files that don't match. */
  addTo(value: string, files: readonly FileEntry[]): void {
    const distinct = new Map(files.map((file) => [file.id, file]));
    for (const file of distinct.values()) if (getFileValues(this.key, file).includes(value)) this.addMatch(value, file);
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
    if (!matches) return;
    matches.count += 1;
    if (matches.files.length < maxListedMatches) matches.files.push(file);
  }

  private listFiles(isListed: (matches: FileMatches) => boolean): readonly FileEntry[] {
    const listed = [...this.byValue.values()].filter(isListed).flatMap(({ files }) => files);
    return [...new Map(listed.map((file) => [file.id, file])).values()];
  }
}

function normalizeValue(key: MatchKey, value: string): string {
  const text = value.trim();
  return key === 'hash' ? (parseDeclaredHash(text)?.hex ?? text.toLowerCase()) : text;
}

function getFileValues(key: MatchKey, { id, name, path, hash }: FileEntry): readonly string[] {
  if (key === 'id') return [id];
  if (key === 'hash') return hash === undefined ? [] : [parseDeclaredHash(hash)?.hex ?? hash.toLowerCase()];
  return path === undefined ? [name] : [name, path, path.replace(/^.*\//s, '')];
}

/** The reason why the comparison of one value is incomplete. */
export type MatchGap =
  | { readonly kind: 'failed'; readonly reason: Reason } // the value was not looked up
  | { readonly kind: 'tooLong' } // the value was not looked up, because it is too long for an ID, a name or a path
  | { readonly kind: 'truncated'; readonly comparedCount: number }; // only the first results of its search were compared

/** Files of a database that weren't compared with any value. */
export interface SkippedFiles {
  /** 0-based position of the first of these files in the list of all files. */
  readonly start: number;
  /** The number of files; absent if all files from `start` on were skipped, in which case it is unknown. */
  readonly count?: number;
  readonly reason: Reason;
}
