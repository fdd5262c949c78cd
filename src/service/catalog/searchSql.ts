import type { StagingStatus } from '../../contract/search.ts';
import type { ParsedSearch, SearchTerm } from './searchLanguage.ts';
import type { SortKey, SpecificFilter } from './specificParameters.ts';

/** How words are found: by SQLite's full-text index, or, where the runtime has none, by looking at every row. */
export type TextMode = 'index' | 'scan';

/** A piece of SQL and the values of its question marks. */
interface SqlPart {
  readonly sql: string;
  readonly values: readonly (string | number)[];
}

/** A search, ready to be looked up. */
export interface CatalogSearch {
  readonly search: ParsedSearch;
  readonly filter: SpecificFilter;
  readonly status?: StagingStatus;
  readonly offset: number;
  readonly limit: number;
}

type TextTerm = Extract<SearchTerm, { kind: 'text' }>;

const never: SqlPart = { sql: '0', values: [] };
const always: SqlPart = { sql: '1', values: [] };

/** The query for one page of results: ordered, stable, cut exactly (D21). */
export function searchSql(wanted: CatalogSearch, mode: TextMode): SqlPart {
  const rank = rankPart(wanted.search, mode);
  const where = all([
    any(wanted.search.alternatives.map((terms) => alternativePart(terms, mode))),
    ...filterParts(wanted.filter),
    statusPart(wanted.status),
  ]);
  return concat([
    { sql: 'SELECT f.* FROM files f', values: [] },
    rank,
    { sql: `WHERE ${where.sql}`, values: where.values },
    { sql: `ORDER BY ${orderOf(wanted.filter, rank.sql !== '')}`, values: [] },
    { sql: 'LIMIT ? OFFSET ?', values: [wanted.limit, wanted.offset] },
  ]);
}

function alternativePart(terms: readonly SearchTerm[], mode: TextMode): SqlPart {
  const texts = positiveTexts(terms);
  const others = terms.filter((term) => !isPositiveText(term));
  return all([...(texts.length === 0 ? [] : [textsPart(texts, mode)]), ...others.map((term) => termPart(term, mode))]);
}

function termPart(term: SearchTerm, mode: TextMode): SqlPart {
  const part = plainPart(term, mode);
  return term.isNot ? { sql: `NOT ${part.sql}`, values: part.values } : part;
}

function plainPart(term: SearchTerm, mode: TextMode): SqlPart {
  switch (term.kind) {
    case 'everything':
      return always;
    case 'text':
      return textsPart([term], mode);
    case 'format':
      return formatPart(term.format);
    case 'path':
      return { sql: 'path_matches(?, f.path)', values: [term.pattern] };
    case 'bytes':
      return { sql: `(f.bytes ${term.operator} ?)`, values: [term.sizeBytes] };
  }
}

/** `fastq` means `fastq.gz` too. */
function formatPart(format: string): SqlPart {
  return { sql: "(f.format = ? OR substr(f.format, 1, ?) = ? || '.')", values: [format, format.length + 1, format] };
}

function textsPart(texts: readonly TextTerm[], mode: TextMode): SqlPart {
  if (mode === 'index') {
    return { sql: 'f.id IN (SELECT rowid FROM words WHERE words MATCH ?)', values: [matchText(texts)] };
  }
  const parts = texts.map((text) => ({ sql: 'instr(name || title || path || rest, ?)', values: [scanText(text)] }));
  const where = all(parts);
  return { sql: `f.id IN (SELECT rowid FROM words WHERE ${where.sql})`, values: where.values };
}

function matchText(texts: readonly TextTerm[]): string {
  return texts.map((text) => `"${text.words}"${text.isPrefix ? ' *' : ''}`).join(' AND ');
}

function scanText(text: TextTerm): string {
  return text.isPrefix ? ` ${text.words}` : ` ${text.words} `;
}

/** Joins the score of each file that has a searched word; a smaller score is better. Empty when no word is searched. */
function rankPart(search: ParsedSearch, mode: TextMode): SqlPart {
  const groups = search.alternatives.map(positiveTexts).filter((texts) => texts.length > 0);
  if (groups.length === 0) return { sql: '', values: [] };
  const join = groups.length === search.alternatives.length ? 'JOIN' : 'LEFT JOIN';
  const scores = mode === 'index' ? indexScores(groups) : scanScores(groups.flat());
  return { sql: `${join} (${scores.sql}) hits ON hits.id = f.id`, values: scores.values };
}

function indexScores(groups: readonly (readonly TextTerm[])[]): SqlPart {
  const match = groups.map((texts) => `(${matchText(texts)})`).join(' OR ');
  const sql = 'SELECT rowid AS id, bm25(words, 10.0, 5.0, 3.0, 1.0) AS score FROM words WHERE words MATCH ?';
  return { sql, values: [match] };
}

function scanScores(texts: readonly TextTerm[]): SqlPart {
  const columns = { name: 10, title: 5, path: 3, rest: 1 };
  const parts = texts.flatMap((text) =>
    Object.entries(columns).map(([column, weight]) => ({
      sql: `(instr(${column}, ?) > 0) * ${weight}`,
      values: [scanText(text)],
    })),
  );
  const values = parts.flatMap((part) => part.values);
  return { sql: `SELECT rowid AS id, -(${parts.map((part) => part.sql).join(' + ')}) AS score FROM words`, values };
}

function filterParts(filter: SpecificFilter): SqlPart[] {
  const parts: SqlPart[] = [];
  if (filter.format !== undefined) parts.push(formatPart(filter.format));
  if (filter.path !== undefined) parts.push({ sql: 'path_matches(?, f.path)', values: [filter.path] });
  if (filter.minBytes !== undefined) parts.push({ sql: 'f.bytes >= ?', values: [filter.minBytes] });
  if (filter.maxBytes !== undefined) parts.push({ sql: 'f.bytes <= ?', values: [filter.maxBytes] });
  if (filter.modifiedAfterMs !== undefined) parts.push({ sql: 'f.modified > ?', values: [filter.modifiedAfterMs] });
  return parts;
}

function statusPart(status: StagingStatus | undefined): SqlPart {
  if (status === undefined) return always;
  return { sql: status === 'staged' ? 'f.sha256 IS NOT NULL' : 'f.sha256 IS NULL', values: [] };
}

function orderOf(filter: SpecificFilter, hasRank: boolean): string {
  const direction = filter.isDescending ? 'DESC' : 'ASC';
  const orders: Readonly<Record<SortKey, string>> = {
    relevance: hasRank ? 'hits.score IS NULL, hits.score, f.path' : 'f.path',
    path: `f.path ${direction}`,
    name: `f.name ${direction}, f.path`,
    bytes: `f.bytes ${direction}, f.path`,
    modified: `f.modified ${direction}, f.path`,
  };
  return orders[filter.sort];
}

function positiveTexts(terms: readonly SearchTerm[]): TextTerm[] {
  return terms.filter(isPositiveText);
}

function isPositiveText(term: SearchTerm): term is TextTerm {
  return term.kind === 'text' && !term.isNot;
}

function all(parts: readonly SqlPart[]): SqlPart {
  return parts.length === 0 ? always : joined(parts, ' AND ');
}

function any(parts: readonly SqlPart[]): SqlPart {
  return parts.length === 0 ? never : joined(parts, ' OR ');
}

function joined(parts: readonly SqlPart[], between: string): SqlPart {
  return { sql: `(${parts.map((part) => part.sql).join(between)})`, values: parts.flatMap((part) => part.values) };
}

function concat(parts: readonly SqlPart[]): SqlPart {
  return { sql: parts.map((part) => part.sql).join(' '), values: parts.flatMap((part) => part.values) };
}
