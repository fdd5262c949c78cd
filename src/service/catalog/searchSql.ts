import type { StagingStatus } from '../../contract/search.ts';
import type { TextMode } from './catalogTables.ts';
import { nameOfPath } from './pathOrder.ts';
import { literalOf } from './pathPattern.ts';
import type { ParsedSearch, SearchTerm } from './searchLanguage.ts';
import type { SortKey, SpecificFilter } from './specificParameters.ts';
import { all, any, concat, not, plain, type SqlPart } from './sqlPart.ts';
import { anyColumn, columnTiers, indexMatch, scanMatch, type TextTerm, type WordColumn } from './textMatch.ts';

/** A search, ready to be looked up. */
export interface CatalogSearch {
  readonly search: ParsedSearch;
  readonly filter: SpecificFilter;
  readonly status?: StagingStatus;
  readonly offset: number;
  /** The most files of one page; it may have fewer. */
  readonly limit: number;
  /** End of the page before; the offset counts only without it. */
  readonly after?: SearchPlace;
}

/**
 * A place in what a search finds: after this file of a tier. It holds also when files come and go between two pages, or
 * when rows are moved.
 */
export interface SearchPlace {
  readonly tier: number;
  readonly path: string;
  readonly bytes: number;
  readonly modifiedMs: number;
}

/** Some of what is found: all files of a tier go before those of the next. */
export interface SearchTier {
  /** The rows of one page of it, in their order, of those after a place. */
  page(limit: number, offset: number, after?: SearchPlace): SqlPart;
  /** How many there are in all, as `number`. */
  readonly count: SqlPart;
}

type Alternative = readonly SearchTerm[];

/** Where rows come from, and which of them. */
interface Selection {
  readonly from: string;
  readonly where: SqlPart;
}

/** The queries for what a search finds: together they give every file once, ordered, the same at each page (D21). */
export function searchTiers(wanted: CatalogSearch, mode: TextMode): SearchTier[] {
  const selections = wanted.filter.sort === 'relevance' ? tiersOf(wanted, mode) : [wholeOf(wanted, mode)];
  return selections.map(({ from, where }) => ({
    page: (limit, offset, after) => {
      const rest = after === undefined ? where : all([where, afterPart(after, wanted.filter, from)]);
      return pageOf(from, rest, wanted.filter, [limit, offset]);
    },
    count: concat([plain(`SELECT count(*) AS number FROM ${from} WHERE`), where]),
  }));
}

/** Rows that a page passes over are not read, where the words alone tell which they are. */
function pageOf(from: string, where: SqlPart, filter: SpecificFilter, cut: readonly number[]): SqlPart {
  const order = orderOf(filter, from);
  const rows: SqlPart = { sql: `ORDER BY ${order} LIMIT ? OFFSET ?`, values: cut };
  const isWordsAlone = from === 'words' && (filter.sort === 'relevance' || filter.sort === 'path');
  if (!isWordsAlone) return concat([plain(`SELECT f.* FROM ${joinedFiles(from)} WHERE`), where, rows]);
  const ids = concat([plain('SELECT rowid AS id FROM words WHERE'), where, rows]);
  return { sql: `SELECT f.* FROM (${ids.sql}) page CROSS JOIN files f ON f.id = page.id`, values: ids.values };
}

function joinedFiles(from: string): string {
  return from === 'words' ? 'words CROSS JOIN files f ON f.id = words.rowid' : from;
}

function tiersOf(wanted: CatalogSearch, mode: TextMode): Selection[] {
  const { alternatives } = wanted.search;
  const withWords = alternatives.filter((terms) => wordsOf(terms).length > 0);
  if (withWords.length === 0) return [wholeOf(wanted, mode)];
  const tiers = columnTiers.map((columns, index) =>
    isLedByWords(alternatives, mode)
      ? ledByWords(wanted, columns, columnTiers[index - 1])
      : ledByFiles(wanted, mode, withWords, columns, columnTiers[index - 1]),
  );
  if (withWords.length === alternatives.length) return tiers;
  const others = alternatives.filter((terms) => wordsOf(terms).length === 0);
  return [...tiers, exceptFor(wanted, mode, others, withWords)];
}

function wholeOf(wanted: CatalogSearch, mode: TextMode): Selection {
  const { alternatives } = wanted.search;
  if (isLedByWords(alternatives, mode)) return ledByWords(wanted, anyColumn, undefined);
  return ledByFiles(wanted, mode, alternatives, anyColumn, undefined);
}

/** Whether the full-text index alone tells which rows come into question, and in which order. */
function isLedByWords(alternatives: readonly Alternative[], mode: TextMode): boolean {
  if (mode !== 'index' || alternatives.length === 0) return false;
  if (alternatives.some((terms) => wordsOf(terms).length === 0)) return false;
  return alternatives.length === 1 || alternatives.every((terms) => terms.every((term) => term.kind === 'text'));
}

function ledByWords(
  wanted: CatalogSearch,
  columns: readonly WordColumn[],
  before: readonly WordColumn[] | undefined,
): Selection {
  const { alternatives } = wanted.search;
  const here = matchOf(alternatives, columns);
  const match = before === undefined ? here : `(${here}) NOT (${matchOf(alternatives, before)})`;
  const others = (alternatives[0] ?? []).filter((term) => term.kind !== 'text');
  const conditions = [...others.map((term) => termPart(term, 'index', columns)), ...filterParts(wanted)];
  const words: SqlPart = { sql: 'words MATCH ?', values: [match] };
  return conditions.length === 0
    ? { from: 'words', where: words }
    : { from: joinedFiles('words'), where: all([words, ...conditions]) };
}

function matchOf(alternatives: readonly Alternative[], columns: readonly WordColumn[]): string {
  return alternatives.map((terms) => `(${alternativeMatch(terms, columns)})`).join(' OR ');
}

function alternativeMatch(terms: Alternative, columns: readonly WordColumn[]): string {
  const wanted = wordsOf(terms).map((term) => indexMatch(term, columns));
  const unwanted = terms.filter((term) => term.kind === 'text' && term.isNot) as TextTerm[];
  if (unwanted.length === 0) return wanted.join(' AND ');
  return `(${wanted.join(' AND ')}) NOT (${unwanted.map((term) => indexMatch(term, anyColumn)).join(' OR ')})`;
}

function ledByFiles(
  wanted: CatalogSearch,
  mode: TextMode,
  alternatives: readonly Alternative[],
  columns: readonly WordColumn[],
  before: readonly WordColumn[] | undefined,
): Selection {
  const found = alternativesPart(alternatives, mode, columns);
  const passed = before === undefined ? [] : [not(alternativesPart(alternatives, mode, before))];
  return { from: filesOf(alternatives, mode), where: all([found, ...passed, ...filterParts(wanted)]) };
}

function exceptFor(
  wanted: CatalogSearch,
  mode: TextMode,
  alternatives: readonly Alternative[],
  passed: readonly Alternative[],
): Selection {
  const found = alternativesPart(alternatives, mode, anyColumn);
  const where = all([found, not(alternativesPart(passed, mode, anyColumn)), ...filterParts(wanted)]);
  return { from: filesOf([...alternatives, ...passed], mode), where };
}

function filesOf(alternatives: readonly Alternative[], mode: TextMode): string {
  const hasWords = alternatives.some((terms) => terms.some((term) => term.kind === 'text'));
  return mode === 'scan' && hasWords ? 'files f JOIN words w ON w.rowid = f.id' : 'files f';
}

function alternativesPart(
  alternatives: readonly Alternative[],
  mode: TextMode,
  columns: readonly WordColumn[],
): SqlPart {
  return any(alternatives.map((terms) => all(terms.map((term) => termPart(term, mode, columns)))));
}

function termPart(term: SearchTerm, mode: TextMode, columns: readonly WordColumn[]): SqlPart {
  // What must not be there must not be anywhere.
  const part = plainPart(term, mode, term.isNot ? anyColumn : columns);
  return term.isNot ? not(part) : part;
}

function plainPart(term: SearchTerm, mode: TextMode, columns: readonly WordColumn[]): SqlPart {
  switch (term.kind) {
    case 'everything':
      return plain('1');
    case 'text':
      return mode === 'index' ? wordsPart(indexMatch(term, columns)) : scanMatch(term, columns);
    case 'format':
      return formatPart(term.format);
    case 'path':
      return pathPart(term.pattern);
    case 'bytes':
      return { sql: `(f.bytes ${term.operator} ?)`, values: [term.sizeBytes] };
  }
}

function wordsPart(match: string): SqlPart {
  return { sql: '(f.id IN (SELECT rowid FROM words WHERE words MATCH ?))', values: [match] };
}

/** `fastq` means `fastq.gz` too. */
function formatPart(format: string): SqlPart {
  const outer = `${format}.`;
  return { sql: '(f.format = ? OR substr(f.format, 1, length(?)) = ?)', values: [format, outer, outer] };
}

/** What SQLite can tell by itself is asked before the pattern, which is slower. */
function pathPart(pattern: string): SqlPart {
  const literal = literalOf(pattern);
  const matches: SqlPart = { sql: 'path_matches(?, f.path)', values: [pattern] };
  if (literal === '') return all([matches]);
  return all([{ sql: "f.path LIKE ? ESCAPE '\\'", values: [`%${literal.replace(/[\\%_]/g, '\\$&')}%`] }, matches]);
}

function filterParts({ filter, status }: CatalogSearch): SqlPart[] {
  const parts: SqlPart[] = [];
  if (filter.format !== undefined) parts.push(formatPart(filter.format));
  if (filter.path !== undefined) parts.push(pathPart(filter.path));
  if (filter.minBytes !== undefined) parts.push({ sql: 'f.bytes >= ?', values: [filter.minBytes] });
  if (filter.maxBytes !== undefined) parts.push({ sql: 'f.bytes <= ?', values: [filter.maxBytes] });
  if (filter.modifiedAfterMs !== undefined) parts.push({ sql: 'f.modified > ?', values: [filter.modifiedAfterMs] });
  if (status !== undefined) parts.push(plain(`f.sha256 IS ${status === 'staged' ? 'NOT NULL' : 'NULL'}`));
  return parts;
}

/** The last part of a path. */
const nameSql = "replace(f.path, rtrim(f.path, replace(f.path, '/', '')), '')";

function orderOf(filter: SpecificFilter, from: string): string {
  const direction = filter.isDescending ? 'DESC' : 'ASC';
  const path = idIn(from);
  const orders: Readonly<Record<SortKey, string>> = {
    relevance: path,
    path: `${path} ${direction}`,
    name: `${nameSql} ${direction}, ${path}`,
    bytes: `f.bytes ${direction}, ${path}`,
    modified: `f.modified ${direction}, ${path}`,
  };
  return orders[filter.sort];
}

function idIn(from: string): string {
  return from.startsWith('words') ? 'words.rowid' : 'f.id';
}

/** The rows that {@link orderOf} puts after a place. Ids go in the order of the paths. */
function afterPart(place: SearchPlace, { sort, isDescending }: SpecificFilter, from: string): SqlPart {
  const id = idIn(from);
  const up = 'SELECT g.id FROM files g WHERE g.path <= ? ORDER BY g.path DESC LIMIT 1';
  const down = 'SELECT g.id FROM files g WHERE g.path >= ? ORDER BY g.path LIMIT 1';
  if (sort === 'path' && isDescending) {
    return { sql: `${id} < coalesce((${down}), ${Number.MAX_SAFE_INTEGER})`, values: [place.path] };
  }
  const later: SqlPart = { sql: `${id} > coalesce((${up}), 0)`, values: [place.path] };
  if (sort === 'relevance' || sort === 'path') return later;
  const keys = { name: nameOfPath(place.path), bytes: place.bytes, modified: place.modifiedMs };
  const columns = { name: nameSql, bytes: 'f.bytes', modified: 'f.modified' };
  const [column, key] = [columns[sort], keys[sort]];
  return any([
    { sql: `${column} ${isDescending ? '<' : '>'} ?`, values: [key] },
    all([{ sql: `${column} = ?`, values: [key] }, later]),
  ]);
}

function wordsOf(terms: Alternative): TextTerm[] {
  return terms.filter((term): term is TextTerm => term.kind === 'text' && !term.isNot);
}
