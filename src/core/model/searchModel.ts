import { isJsonObject, type JsonObject } from '../util/json.ts';
import { getFileKey, type FileEntry, type FileReference, type FoundFile } from './fileEntry.ts';
import type { Reason } from './reason.ts';

/** The staging status of a file: ready to be copied, or still on slow storage (§3, D22: staged means hashed). */
export type FileStaging = 'staged' | 'unstaged';

/** A query to one database: by words (§4.3) or by file IDs (§4.4). */
export interface SearchQuery {
  readonly database: string;
  /** The words to search for; empty for a query by IDs. */
  readonly query: string;
  readonly status?: FileStaging;
  /** The number of files per page, sent as `limit`. Has no effect on a query by IDs (D9: paging). */
  readonly pageSize: number;
  readonly specific?: JsonObject;
  /** The requested file IDs: at least one, without duplicates. Absent for a query by words. */
  readonly ids?: readonly string[];
}

/** The number of consecutive full pages without new files after which a search stops (D9: paging). */
export const maxPagesWithoutNew = 3;

/** Returns a key that identifies a file within a search. */
export function getFileIdentity(file: FoundFile): string {
  // The ID itself, so that a search of many thousands of files needs no second string for each.
  return file.kind === 'file' ? file.id : `unreadable ${file.text}`;
}

/**
 * Returns true if a page without new files is the last one. Such a page is not full, or it repeats the previous page
 * because the database ignores `offset` (D9: paging). A page with only one file doesn't count as a repetition.
 */
export function isLastPage(page: readonly FoundFile[], pageSize: number, before: readonly FoundFile[] = []): boolean {
  return page.length < pageSize || (page.length > 1 && isSamePage(page, before));
}

function isSamePage(one: readonly FoundFile[], other: readonly FoundFile[]): boolean {
  if (one.length !== other.length) return false;
  const identities = other.map(getFileIdentity);
  return one.every((file, index) => getFileIdentity(file) === identities[index]);
}

/** The order of the files in a search; `relevance` is the order in which the service returned them. */
export type ResultOrder = 'relevance' | 'name' | 'size';

/**
 * Returns the files sorted by name (in the collation order of `language`) or by descending size. For `relevance`,
 * returns them unsorted. Sorting puts unreadable files last; sorting by size puts files of unknown size right before
 * them.
 */
export function sortFiles(files: readonly FoundFile[], order: ResultOrder, language: string): readonly FoundFile[] {
  if (order === 'relevance') return files;
  if (order === 'size') return files.toSorted(compareBySize);
  const names = new Intl.Collator(language, { numeric: true, sensitivity: 'base' });
  return files.toSorted((one, other) =>
    one.kind === 'file' && other.kind === 'file' ? names.compare(one.name, other.name) : getRank(one) - getRank(other),
  );
}

function compareBySize(one: FoundFile, other: FoundFile): number {
  return getSize(other) - getSize(one);
}

function getRank(file: FoundFile): number {
  return file.kind === 'file' ? 0 : 1;
}

function getSize(file: FoundFile): number {
  return file.kind === 'file' ? (file.sizeBytes ?? -1) : -2;
}

const kinds = ['notSearchable', 'wantsQuery', 'wantsWords'] as const;

/** The searches a database refuses: all, those for plain words, or only empty ones (D38: learned searchability). */
export interface Searchability {
  readonly kind: (typeof kinds)[number];
  /** The server's message, as plain text. */
  readonly detail?: string;
}

const maxDetailLength = 300;

const searchNotImplemented = /\bsearch(es|ing)?\b.*\bnot\b.*\b(implemented|supported)\b/i;

/** Matches refusals unrelated to the search terms: a bare "Bad Request", or one about paging or an ORCID iD. */
const unrelatedRefusal = /^(\d{3}\W*)?bad request\W*$|\b(limit|offset|orcid)\b/i;

/**
 * Returns a database's searchability, as revealed by its refusal of a search's first page (D38: learned searchability).
 * Returns undefined if the refusal reveals nothing, or only that a database known to refuse plain words also refuses
 * empty queries.
 */
export function learnSearchability(
  query: SearchQuery,
  reason: Reason,
  known?: Searchability,
): Searchability | undefined {
  const kind = toKind(query, reason);
  if (!kind || (kind === 'wantsWords' && known?.kind === 'wantsQuery')) return undefined;
  const detail = reason.detail?.slice(0, maxDetailLength);
  return { kind, ...(detail !== undefined && { detail }) };
}

function toKind(query: SearchQuery, { status, detail = '' }: Reason): Searchability['kind'] | undefined {
  // The filter may be the cause of the refusal.
  if (query.status || query.specific) return undefined;
  if ((status === 500 || status === 501) && searchNotImplemented.test(detail)) return 'notSearchable';
  if (status !== 400 || detail === '' || unrelatedRefusal.test(detail) || !isPlain(query)) return undefined;
  return query.query.trim() === '' ? 'wantsWords' : 'wantsQuery';
}

/** Returns true if a database is known to refuse the query. */
export function isRefused(query: SearchQuery, { kind }: Searchability): boolean {
  if (kind === 'notSearchable') return true;
  return isPlain(query) && (kind === 'wantsQuery' || query.query.trim() === '');
}

/** Matches a plain word such as `16S`, `C-terminal` or `E.`, but not a path, an operator or an ID such as `JDP:1`. */
const plainWord = /^[\p{L}\p{N}][\p{L}\p{M}\p{N}.,'’-]*$/u;

/** Returns true for a query without filters whose words, if any, are valid in any search syntax. */
function isPlain({ query, ids, status, specific }: SearchQuery): boolean {
  const words = query.split(/\s+/).filter((word) => word !== '');
  return !ids && !status && !specific && words.every((word) => plainWord.test(word));
}

/** Parses a saved {@link Searchability}. Returns undefined if the value is not one. */
export function readSearchability(value: unknown): Searchability | undefined {
  if (!isJsonObject(value)) return undefined;
  const kind = kinds.find((one) => one === value['kind']);
  if (!kind) return undefined;
  const { detail } = value;
  return { kind, ...(typeof detail === 'string' && { detail: detail.slice(0, maxDetailLength) }) };
}

interface StagingSearch {
  readonly connectionId: string;
  readonly query: Pick<SearchQuery, 'database' | 'status'>;
  readonly files: readonly ({ readonly kind: 'file'; readonly id: string } | { readonly kind: 'unreadable' })[];
}

/** The fields of a resource that may contain its staging status. */
export const stagingFields: readonly string[] = ['staged', 'status', 'file_status'];

/** Returns the staging status in a file's metadata, which most databases don't report (D31: staged display). */
export function getReportedStaging({ resource }: FileEntry): FileStaging | undefined {
  for (const field of stagingFields) {
    const value = resource[field];
    if (value === true || value === 'staged') return 'staged';
    if (value === false || value === 'unstaged') return 'unstaged';
  }
  return undefined;
}

/**
 * Creates a staging status lookup from searches that filtered by status. If multiple searches contain a file, the first
 * one determines the file's status (D31: staged display).
 */
export function createStagingLookup(
  searches: readonly StagingSearch[],
): (file: FileReference) => FileStaging | undefined {
  const found = new Map<string, FileStaging>();
  for (const { connectionId, query, files } of [...searches].reverse()) {
    const { status, database } = query;
    if (status) for (const id of getIds(files)) found.set(getFileKey({ connectionId, database, id }), status);
  }
  return (file) => found.get(getFileKey(file));
}

function getIds(files: StagingSearch['files']): readonly string[] {
  return files.flatMap((file) => (file.kind === 'file' ? [file.id] : []));
}
