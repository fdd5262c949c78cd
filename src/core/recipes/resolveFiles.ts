import { realpath } from 'node:fs/promises';
import { join, sep } from 'node:path';
import type { StoreListing } from '../model/databaseModel.ts';
import type { FileEntry, FoundFile } from '../model/fileEntry.ts';
import { filterMissingIds, type MissingId } from '../model/idList.ts';
import type { Reason } from '../model/reason.ts';
import { isLastPage, maxPagesWithoutNew } from '../model/searchModel.ts';
import { maxTableBytes, readTables, type DataTable } from '../tables/dataTable.ts';
import type { MatchGap } from '../tables/matchIndex.ts';
import {
  listLookups,
  listRowFiles,
  matchRows,
  type MatchedTable,
  type RowDoubt,
  type TableSelection,
} from '../tables/rowMatch.ts';
import { describeColumns, guessKey, type MatchKey } from '../tables/tableColumns.ts';
import { TableError } from '../tables/tableError.ts';
import { getErrorCode, isMissing } from '../util/errorFacts.ts';
import { trimFolder, type LeftOutCounts } from '../util/leftOut.ts';
import { readRegularBytes } from '../util/durableFiles.ts';
import { createRecipeFileReader, type RecipeFile, type RecipeSource } from './recipeFile.ts';
import type { Recipe, RecipeFilters } from './recipeSchema.ts';

/** The reason why a recipe's table can't be used. `noColumn` and `sameColumns` are about the column named `name`. */
export type TableProblem =
  | { readonly kind: 'missing' | 'unreadable' | 'tooLarge' | 'noTable' | 'noSheet' }
  | { readonly kind: 'noColumn' | 'sameColumns'; readonly name: string }
  | { readonly kind: 'invalid'; readonly error: TableError };

/** The reason why a recipe's files could not be determined. */
export type ResolveFailure =
  { readonly kind: 'service'; readonly reason: Reason } | { readonly kind: 'table'; readonly problem: TableProblem };

/** The files that a recipe refers to, with the properties that the service currently reports. */
export interface ResolvedFiles {
  readonly files: readonly RecipeFile[];
  /** The IDs or table values that don't match any file. */
  readonly missing: readonly string[];
  /** The rows of a table that don't match files with certainty. */
  readonly doubts?: readonly RowDoubt[];
  /** True if more files may exist, because a limit was reached or the search stalled. */
  readonly isCut: boolean;
  /** True if the search stopped after pages without new files, although more may follow (D9: paging). */
  readonly isStalled?: boolean;
  /** Names that the listing of the folder or the database leaves out; absent if unknown. */
  readonly leftOut?: LeftOutCounts;
  /** The state of the listing of a store in which the files were last requested. */
  readonly listing?: StoreListing;
  readonly failure?: ResolveFailure;
}

function createFailure(failure: ResolveFailure): ResolvedFiles {
  return { files: [], missing: [], isCut: false, failure };
}

/** Number of IDs to look up between two progress reports. */
const batchSize = 2_000;

interface IdRequest {
  readonly database: string;
  readonly ids: readonly string[];
  readonly filters?: RecipeFilters | undefined;
  /** The files in a lock. Their texts are reused for unchanged files to save memory. */
  readonly known?: readonly RecipeFile[];
}

/**
 * Looks up files by ID, and resolves to those that pass the filters. `missing` lists the IDs for which the service
 * returned no readable file. If a lookup fails, the result contains the failure and no files (D8: metadata by ids).
 */
export async function resolveIds(source: RecipeSource, request: IdRequest): Promise<ResolvedFiles> {
  const { database, ids, filters, known = [] } = request;
  const before = new Map(known.map((file) => [file.id, file]));
  const unique = [...new Set(ids)];
  const fits = createFileTest(filters);
  const toRecipeFile = createRecipeFileReader(source);
  const found = new Set<string>();
  const files = new Map<string, RecipeFile>();
  let listing: StoreListing | undefined;
  for (let done = 0; done < unique.length; done += batchSize) {
    const reply = await source.lookUpIds(database, unique.slice(done, done + batchSize));
    const reason = reply.failure ?? findFailure(reply.refused);
    if (reason) return createFailure({ kind: 'service', reason });
    listing = reply.listing ?? listing;
    // Keeps only the identifying properties, because the file resource takes most of the memory.
    const entries = reply.files.filter((file) => file.kind === 'file');
    for (const { id } of entries) found.add(id);
    for (const file of entries.filter(fits)) files.set(file.id, reuse(before.get(file.id), toRecipeFile(file)));
    source.onProgress(Math.min(done + batchSize, unique.length));
  }
  const missing = unique.filter((id) => !found.has(id));
  return { files: [...files.values()], missing, isCut: false, ...(listing && { listing }) };
}

function findFailure(refused: readonly MissingId[] = []): Reason | undefined {
  return filterMissingIds({ missing: refused }, false)[0]?.reason;
}

function reuse(before: RecipeFile | undefined, now: RecipeFile): RecipeFile {
  const isSame = before?.path === now.path && before.bytes === now.bytes && before.hash === now.hash;
  return isSame ? { ...before, ...(now.licenses && { licenses: now.licenses }) } : now;
}

/** Number of files per page: `exactPageSize` for services that fill every page, `pageSize` for others. */
const exactPageSize = 5_000;
const pageSize = 500;

/** Maximum number of files to check against the filters. */
const maxCompared = 2_000_000;

/** Returns the search for all files of a folder. Other services than the local one can only list everything. */
function toFolderSearch({ hasFullPages }: RecipeSource, folder: string): NonNullable<Recipe['from']['search']> {
  return { query: '', ...(hasFullPages && { specific: { folder } }) };
}

/**
 * Requests the pages of a recipe's search or folder until the last one, until a limit is exceeded, or until the search
 * stalls (D9: paging). Returns at most `limit` files that pass the filters, or a failure and no files if a request
 * fails.
 */
export async function resolveSearch(
  source: RecipeSource,
  { database, search, folder, filters }: Recipe['from'],
  limit: number,
): Promise<ResolvedFiles> {
  const { query = '', status, specific } = folder === undefined ? (search ?? {}) : toFolderSearch(source, folder);
  const request = { database, query, ...(status && { status }), ...(specific && { specific }) };
  const size = source.hasFullPages ? exactPageSize : pageSize;
  const pages = new PageCollector(source, createFileTest(filters, folder), size);
  let leftOut: LeftOutCounts | undefined;
  let listing: StoreListing | undefined;
  while (pages.hasMore && !pages.isStalled && pages.files.length <= limit && pages.offset < maxCompared) {
    const { value = [], reason, ...page } = await source.search({ ...request, ...pages.position, pageSize: size });
    if (reason) return createFailure({ kind: 'service', reason });
    leftOut ??= page.leftOut;
    listing = page.listing ?? listing;
    pages.add(value, page.cursor);
    source.onProgress(pages.comparedCount);
  }
  const isCut = pages.hasMore || pages.files.length > limit;
  const found = { files: pages.files.slice(0, limit), missing: [], isCut, isStalled: pages.isStalled };
  return { ...found, ...(leftOut && { leftOut }), ...(listing && { listing }) };
}

/** Collects files from consecutive pages: those that pass the filters, without duplicates. */
class PageCollector {
  readonly files: RecipeFile[] = [];
  hasMore = true;
  offset = 0;
  private cursor: string | undefined;
  private readonly seen = new Set<string>();
  private readonly toRecipeFile: ReturnType<typeof createRecipeFileReader>;
  private readonly isAccepted: ReturnType<typeof createFileTest>;
  private readonly size: number;
  private readonly isExact: boolean;
  private before: readonly FoundFile[] = [];
  private pagesWithoutNew = 0;

  constructor(source: RecipeSource, isAccepted: ReturnType<typeof createFileTest>, size: number) {
    this.toRecipeFile = createRecipeFileReader(source);
    this.isAccepted = isAccepted;
    this.size = size;
    this.isExact = source.hasFullPages;
  }

  /** True if too many consecutive pages had no new files although more files may follow. */
  get isStalled(): boolean {
    return this.hasMore && this.pagesWithoutNew >= maxPagesWithoutNew;
  }

  /** The position of the next page: the cursor of the last one, or else the offset (D9: paging). */
  get position(): { readonly offset: number; readonly cursor?: string } {
    return this.cursor === undefined ? { offset: this.offset } : { offset: 0, cursor: this.cursor };
  }

  get comparedCount(): number {
    return this.seen.size;
  }

  add(page: readonly FoundFile[], cursor?: string): void {
    const known = this.seen.size;
    for (const file of page) this.addFile(file);
    this.offset += this.size;
    const isNew = this.seen.size > known;
    this.pagesWithoutNew = isNew ? 0 : this.pagesWithoutNew + 1;
    this.hasMore = this.isExact ? page.length >= this.size : isNew || !isLastPage(page, this.size, this.before);
    this.before = page;
    this.cursor = cursor;
  }

  private addFile(file: FoundFile): void {
    if (file.kind !== 'file' || this.seen.has(file.id)) return;
    this.seen.add(file.id);
    if (this.isAccepted(file)) this.files.push(this.toRecipeFile(file));
  }
}

type RecipeTable = NonNullable<Recipe['from']['table']>;

interface RecipeSelection extends TableSelection {
  readonly key: MatchKey;
}

/** Finds the files for the rows of a table, which must be in or below the recipe's folder, except rows in doubt. */
export async function resolveTable(
  source: RecipeSource,
  { database, filters }: Recipe['from'],
  table: RecipeTable,
  folder: string,
): Promise<ResolvedFiles> {
  const selection = await readSelection(table, folder);
  if ('kind' in selection) return createFailure({ kind: 'table', problem: selection });
  const index = await source.matchTable(database, selection.key, [...listLookups(selection)]);
  const matched = matchRows(selection, index);
  const reason = findReason(matched);
  if (reason) return createFailure({ kind: 'service', reason });
  const { rows } = matched;
  const { listing } = index;
  const found = listRowFiles(rows.filter(({ status }) => status === 'matched'));
  const unmatched = rows.filter(({ status, doubt }) => status !== 'matched' && !doubt);
  return {
    files: found.filter(createFileTest(filters)).map(createRecipeFileReader(source)),
    missing: [...new Set(unmatched.flatMap(({ missing }) => missing))],
    doubts: rows.flatMap(({ doubt }) => doubt ?? []),
    isCut: false,
    ...(listing && { listing }),
  };
}

/**
 * Returns the first reason why the comparison with the database's files is incomplete; undefined if it is complete.
 * Ignores values that are too long, because no file has them.
 */
function findReason({ rows, index }: MatchedTable): Reason | undefined {
  const [reason] = rows.flatMap(({ gaps }) => gaps.flatMap((gap) => getReason(gap) ?? []));
  return reason ?? index.skippedFiles[0]?.reason;
}

function getReason(gap: MatchGap): Reason | undefined {
  if (gap.kind === 'failed') return gap.reason;
  return gap.kind === 'truncated' ? { kind: 'tooLarge' } : undefined;
}

async function readSelection(recipe: RecipeTable, folder: string): Promise<RecipeSelection | TableProblem> {
  const tables = await readFileTables(recipe.file, folder);
  if ('kind' in tables) return tables;
  if (tables.length === 0) return { kind: 'noTable' };
  const table = tables.find(({ sheet }) => recipe.sheet === undefined || sheet === recipe.sheet);
  if (!table) return { kind: 'noSheet' };
  const described = describeColumns(table);
  const columns = [recipe.column].flat().map((name) => ({
    name,
    named: described.filter(({ header, others }) => !others && header.trim() === name.trim()),
  }));
  for (const { name, named } of columns)
    if (named.length !== 1) return { kind: named.length > 1 ? 'sameColumns' : 'noColumn', name };
  const named = columns.flatMap((column) => column.named);
  const key = recipe.key ?? named.flatMap((column) => guessKey(column) ?? [])[0] ?? 'id';
  return { table, columns: named.map(({ index }) => index), hasHeader: true, key };
}

async function readFileTables(file: string, folder: string): Promise<readonly DataTable[] | TableProblem> {
  try {
    const path = await realpath(join(folder, file));
    // A symbolic link could point outside the folder.
    if (!path.startsWith((await realpath(folder)).replace(/[\\/]?$/, sep))) return { kind: 'unreadable' };
    return await readTables(path, await readRegularBytes(path, maxTableBytes));
  } catch (error) {
    if (error instanceof TableError) return { kind: 'invalid', error };
    if (getErrorCode(error) === 'EFBIG') return { kind: 'tooLarge' };
    return { kind: isMissing(error) ? 'missing' : 'unreadable' };
  }
}

type FileTest = (file: FileEntry) => boolean;

function createFileTest(filters: RecipeFilters | undefined, folder?: string): FileTest {
  const { formats, paths, bytes } = filters ?? {};
  const tests = [
    ...(formats ? [createFormatTest(formats)] : []),
    ...(paths ? [createPathTest(paths)] : []),
    ...(bytes ? [createSizeTest(bytes)] : []),
    ...(folder === undefined ? [] : [createFolderTest(folder)]),
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

function createFolderTest(folder: string): FileTest {
  const start = trimFolder(folder);
  return ({ path }) => start === '' || path?.startsWith(`${start}/`) === true;
}

/** Creates a test for a range of sizes. A file of unknown size never passes. */
function createSizeTest({ least = 0, most = Infinity }: NonNullable<RecipeFilters['bytes']>): FileTest {
  return ({ sizeBytes }) => sizeBytes !== undefined && sizeBytes >= least && sizeBytes <= most;
}

/** One byte per position in a path, including its end: 1 if a part of a pattern can start or end there. */
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
