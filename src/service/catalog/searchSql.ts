import type { StagingStatus } from '../../contract/contract.ts';
import { getBaseName, getRangeBelow } from './catalogFile.ts';
import { findLongestLiteral, folderEndMarker } from './textMatching.ts';
import type { ParsedSearch, SearchTerm, SortKey, SpecificFilter } from './searchLanguage.ts';

/** A search of a catalog: text, filters, order and page. */
export interface CatalogSearch {
  readonly search: ParsedSearch;
  readonly filter: SpecificFilter;
  readonly status?: StagingStatus;
  /** SQL condition for staged files. By default, files with a hash are staged (D22: staged means hashed). */
  readonly stagedCondition?: string;
  /** Number of results to skip, from the first one or from `after`. */
  readonly offset: number;
  /** Maximum number of files in a page; a page may contain fewer. */
  readonly limit: number;
  /** End of the previous page. */
  readonly after?: SearchCursor | undefined;
}

/** A position directly after a file of a tier, which stays valid if files change between two pages. */
export interface SearchCursor {
  readonly tier: number;
  readonly path: string;
  readonly bytes: number;
  readonly modifiedMs: number;
}

/** A group of results; all files of a tier precede those of the next. */
export interface SearchTier {
  /** Selects the rows of one page, in order: all, or those after a position. */
  page(limit: number, offset: number, after?: SearchCursor): SqlFragment;
  /** Counts the rows, or those after a position, in the column `number`. */
  count(after?: SearchCursor): SqlFragment;
}

type Alternative = readonly SearchTerm[];

interface Selection {
  readonly from: string;
  readonly where: SqlFragment;
}

/**
 * Yields every match exactly once, in a stable order (D21: search syntax). With `arePreviousEmpty`, a tier's query
 * doesn't exclude previous tiers, which is faster.
 */
export function buildSearchTiers(search: CatalogSearch, arePreviousEmpty: boolean): SearchTier[] {
  const isTiered = search.filter.sort === 'relevance';
  const selections = isTiered ? selectTiers(search, arePreviousEmpty) : [selectWhole(search)];
  return selections.map(({ from, where }) => {
    const selectAfter = (after: SearchCursor | undefined): SqlFragment =>
      after === undefined ? where : all([where, buildAfterCondition(after, search.filter, from)]);
    return {
      page: (limit, offset, after) => selectPage(from, selectAfter(after), search.filter, [limit, offset]),
      count: (after) => {
        const rows = after === undefined ? from : joinFiles(from);
        return concat([plain(`SELECT count(*) AS number FROM ${rows} WHERE`), selectAfter(after)]);
      },
    };
  });
}

/** Returns the query for one page. If the full-text index suffices, the query skips rows by ID without reading them. */
function selectPage(from: string, where: SqlFragment, filter: SpecificFilter, limits: readonly number[]): SqlFragment {
  const order = buildOrder(filter, from);
  const rows: SqlFragment = { sql: `ORDER BY ${order} LIMIT ? OFFSET ?`, values: limits };
  const isWordsAlone = from === 'words' && (filter.sort === 'relevance' || filter.sort === 'path');
  if (!isWordsAlone) return concat([plain(`SELECT f.* FROM ${joinFiles(from)} WHERE`), where, rows]);
  const ids = concat([plain('SELECT rowid AS id FROM words WHERE'), where, rows]);
  return { sql: `SELECT f.* FROM (${ids.sql}) page CROSS JOIN files f ON f.id = page.id`, values: ids.values };
}

function joinFiles(from: string): string {
  return from === 'words' ? 'words CROSS JOIN files f ON f.id = words.rowid' : from;
}

function selectTiers(search: CatalogSearch, arePreviousEmpty: boolean): Selection[] {
  const { alternatives } = search.search;
  const withText = alternatives.filter((terms) => getTextTerms(terms).length > 0);
  if (withText.length === 0) return [selectWhole(search)];
  const tiers = columnTiers.map((columns, index) => {
    const before = arePreviousEmpty ? undefined : columnTiers[index - 1];
    if (canSelectByWords(alternatives)) return selectByWords(search, columns, before);
    return selectByFiles(search, buildAlternatives(withText, columns), before && buildAlternatives(withText, before));
  });
  if (withText.length === alternatives.length) return tiers;
  const others = alternatives.filter((terms) => getTextTerms(terms).length === 0);
  const passed = arePreviousEmpty ? undefined : buildAlternatives(withText, allColumns);
  return [...tiers, selectByFiles(search, buildAlternatives(others, allColumns), passed)];
}

function selectWhole(search: CatalogSearch): Selection {
  const { alternatives } = search.search;
  if (canSelectByWords(alternatives)) return selectByWords(search, allColumns, undefined);
  return selectByFiles(search, buildAlternatives(alternatives, allColumns));
}

/** Returns true if a single full-text match, with conditions on its results, can select the rows. */
function canSelectByWords(alternatives: readonly Alternative[]): boolean {
  if (alternatives.length === 0) return false;
  if (alternatives.some((terms) => getTextTerms(terms).length === 0)) return false;
  return alternatives.length === 1 || alternatives.every((terms) => terms.every((term) => term.kind === 'text'));
}

function selectByWords(
  search: CatalogSearch,
  columns: readonly WordColumn[],
  before: readonly WordColumn[] | undefined,
): Selection {
  const { alternatives } = search.search;
  const current = buildMatch(alternatives, columns);
  const match = before === undefined ? current : `(${current}) NOT (${buildMatch(alternatives, before)})`;
  const others = (alternatives[0] ?? []).filter((term) => term.kind !== 'text');
  const conditions = [...others.map((term) => buildTerm(term, columns)), ...buildFilterConditions(search)];
  const words: SqlFragment = { sql: 'words MATCH ?', values: [match] };
  return conditions.length === 0
    ? { from: 'words', where: words }
    : { from: joinFiles('words'), where: all([words, ...conditions]) };
}

function buildMatch(alternatives: readonly Alternative[], columns: readonly WordColumn[]): string {
  return alternatives.map((terms) => `(${buildAlternativeMatch(terms, columns)})`).join(' OR ');
}

function buildAlternativeMatch(terms: Alternative, columns: readonly WordColumn[]): string {
  const required = getTextTerms(terms).map((term) => buildIndexMatch(term, columns));
  const excluded = terms.filter((term) => term.kind === 'text' && term.isNot) as TextTerm[];
  if (excluded.length === 0) return required.join(' AND ');
  return `(${required.join(' AND ')}) NOT (${excluded.map((term) => buildIndexMatch(term, allColumns)).join(' OR ')})`;
}

function selectByFiles(search: CatalogSearch, found: SqlFragment, passed?: SqlFragment): Selection {
  const others = passed === undefined ? [] : [not(passed)];
  return { from: 'files f', where: all([found, ...others, ...buildFilterConditions(search)]) };
}

function buildAlternatives(alternatives: readonly Alternative[], columns: readonly WordColumn[]): SqlFragment {
  return any(alternatives.map((terms) => all(terms.map((term) => buildTerm(term, columns)))));
}

function buildTerm(term: SearchTerm, columns: readonly WordColumn[]): SqlFragment {
  // A negated term must not match in any column.
  const part = buildPlainTerm(term, term.isNot ? allColumns : columns);
  return term.isNot ? not(part) : part;
}

function buildPlainTerm(term: SearchTerm, columns: readonly WordColumn[]): SqlFragment {
  switch (term.kind) {
    case 'everything':
      return plain('1');
    case 'text':
      return {
        sql: '(f.id IN (SELECT rowid FROM words WHERE words MATCH ?))',
        values: [buildIndexMatch(term, columns)],
      };
    case 'format':
      return buildFormatCondition(term.format);
    case 'path':
      return buildPathCondition(term.pattern);
    case 'bytes':
      return { sql: `(f.bytes ${term.operator} ?)`, values: [term.sizeBytes] };
  }
}

/** Returns the condition for a format and its compressed variants: `fastq` includes `fastq.gz`. */
function buildFormatCondition(format: string): SqlFragment {
  const outer = `${format}.`;
  return { sql: '(f.format = ? OR substr(f.format, 1, length(?)) = ?)', values: [format, outer, outer] };
}

/** Returns the condition for a path pattern. Filters by LIKE first, because the pattern function is slower. */
function buildPathCondition(pattern: string): SqlFragment {
  const literal = findLongestLiteral(pattern);
  const matches: SqlFragment = { sql: 'path_matches(?, f.path)', values: [pattern] };
  if (literal === '') return all([matches]);
  return all([{ sql: "f.path LIKE ? ESCAPE '\\'", values: [`%${literal.replace(/[\\%_]/g, '\\$&')}%`] }, matches]);
}

/** Returns the condition for all files below a folder: a range of IDs, because they are in path order. */
function buildFolderCondition(folder: string): SqlFragment {
  const { from, to } = getRangeBelow(folder);
  const first = 'SELECT g.id FROM files g WHERE g.path > ? ORDER BY g.path LIMIT 1';
  const last = 'SELECT g.id FROM files g WHERE g.path < ? ORDER BY g.path DESC LIMIT 1';
  const most = Number.MAX_SAFE_INTEGER;
  return { sql: `f.id BETWEEN coalesce((${first}), ${most}) AND coalesce((${last}), 0)`, values: [from, String(to)] };
}

function buildFilterConditions({ filter, status, stagedCondition }: CatalogSearch): SqlFragment[] {
  const parts: SqlFragment[] = [];
  if (filter.format !== undefined) parts.push(buildFormatCondition(filter.format));
  if (filter.path !== undefined) parts.push(buildPathCondition(filter.path));
  if (filter.folder !== undefined) parts.push(buildFolderCondition(filter.folder));
  if (filter.minBytes !== undefined) parts.push({ sql: 'f.bytes >= ?', values: [filter.minBytes] });
  if (filter.maxBytes !== undefined) parts.push({ sql: 'f.bytes <= ?', values: [filter.maxBytes] });
  if (filter.modifiedAfterMs !== undefined) parts.push({ sql: 'f.modified > ?', values: [filter.modifiedAfterMs] });
  const staged = plain(`(${stagedCondition ?? 'f.sha256 IS NOT NULL'})`);
  if (status !== undefined) parts.push(status === 'staged' ? staged : not(staged));
  return parts;
}

const nameSql = "replace(f.path, rtrim(f.path, replace(f.path, '/', '')), '')";

function buildOrder(filter: SpecificFilter, from: string): string {
  const direction = filter.isDescending ? 'DESC' : 'ASC';
  const path = getIdColumn(from);
  const orders: Readonly<Record<SortKey, string>> = {
    relevance: path,
    path: `${path} ${direction}`,
    name: `${nameSql} ${direction}, ${path}`,
    bytes: `f.bytes ${direction}, ${path}`,
    modified: `f.modified ${direction}, ${path}`,
  };
  return orders[filter.sort];
}

function getIdColumn(from: string): string {
  return from.startsWith('words') ? 'words.rowid' : 'f.id';
}

/** Returns the condition for rows after a position in the order of {@link buildOrder}. IDs are in path order. */
function buildAfterCondition(cursor: SearchCursor, { sort, isDescending }: SpecificFilter, from: string): SqlFragment {
  const id = getIdColumn(from);
  const previous = 'SELECT g.id FROM files g WHERE g.path <= ? ORDER BY g.path DESC LIMIT 1';
  const next = 'SELECT g.id FROM files g WHERE g.path >= ? ORDER BY g.path LIMIT 1';
  if (sort === 'path' && isDescending) {
    return { sql: `${id} < coalesce((${next}), ${Number.MAX_SAFE_INTEGER})`, values: [cursor.path] };
  }
  const later: SqlFragment = { sql: `${id} > coalesce((${previous}), 0)`, values: [cursor.path] };
  if (sort === 'relevance' || sort === 'path') return later;
  const keys = { name: getBaseName(cursor.path), bytes: cursor.bytes, modified: cursor.modifiedMs };
  const columns = { name: nameSql, bytes: 'f.bytes', modified: 'f.modified' };
  const [column, key] = [columns[sort], keys[sort]];
  return any([
    { sql: `${column} ${isDescending ? '<' : '>'} ?`, values: [key] },
    all([{ sql: `${column} = ?`, values: [key] }, later]),
  ]);
}

function getTextTerms(terms: Alternative): TextTerm[] {
  return terms.filter((term): term is TextTerm => term.kind === 'text' && !term.isNot);
}

type TextTerm = Extract<SearchTerm, { kind: 'text' }>;

type WordColumn = 'name' | 'title' | 'folder' | 'rest';

/** Most relevant first. */
const allColumns: readonly WordColumn[] = ['name', 'title', 'folder', 'rest'];

/** Column sets in order of relevance: matches in the name come first, then matches in name and title, and so on. */
const columnTiers = allColumns.map((_, index) => allColumns.slice(0, index + 1));

/** Returns the FTS5 match expression for a term. Words contain only letters and digits, so no escaping is needed. */
function buildIndexMatch(term: TextTerm, columns: readonly WordColumn[]): string {
  const star = term.isPrefix ? ' *' : '';
  const whole = `{${columns.join(' ')}} : "${term.words}"${star}`;
  if (term.splitAtSlash === undefined || !columns.includes('folder')) return `(${whole})`;
  const { folder, name } = term.splitAtSlash;
  return `((${whole}) OR ((folder : "${folder} ${folderEndMarker}") AND (name : ^ "${name}"${star})))`;
}

/** A piece of SQL with the values of its placeholders. */
export interface SqlFragment {
  readonly sql: string;
  readonly values: readonly (string | number)[];
}

function plain(sql: string): SqlFragment {
  return { sql, values: [] };
}

/** True if there are no parts. */
function all(parts: readonly SqlFragment[]): SqlFragment {
  return parts.length === 0 ? plain('1') : enclose(concat(parts, ' AND '));
}

/** False if there are no parts. */
function any(parts: readonly SqlFragment[]): SqlFragment {
  return parts.length === 0 ? plain('0') : enclose(concat(parts, ' OR '));
}

function not({ sql, values }: SqlFragment): SqlFragment {
  return { sql: `NOT ${sql}`, values };
}

function concat(parts: readonly SqlFragment[], between = ' '): SqlFragment {
  return { sql: parts.map((part) => part.sql).join(between), values: parts.flatMap((part) => part.values) };
}

function enclose({ sql, values }: SqlFragment): SqlFragment {
  return { sql: `(${sql})`, values };
}
