/** Compares a size with the one that is wanted. */
export type SizeOperator = '<' | '<=' | '=' | '>=' | '>';

/** A size condition: `>1MB`. */
export interface SizeCondition {
  readonly operator: SizeOperator;
  readonly sizeBytes: number;
}

/** One token of a query of the local service (D21). */
export interface QueryToken {
  /** Its first character in the query, from 0. */
  readonly start: number;
  readonly isNot: boolean;
  /** `format`, `path`, `bytes`, or empty. */
  readonly key: string;
  readonly text: string;
  readonly isQuoted: boolean;
  readonly isClosed: boolean;
}

/**
 * Describes a mistake in a query: a quote that is never closed, a size that can't be read, a condition without a value,
 * or a condition that does not exist.
 */
export interface QueryMistake {
  readonly kind: 'openQuote' | 'badSize' | 'noValue' | 'unknownCondition';
  /** Its position: the number of characters before it, plus one. */
  readonly position: number;
  /** The condition that is wrong, with its colon; empty for a quote. */
  readonly condition: string;
}

/** The conditions of a query, each with its colon. */
export const queryConditions: readonly string[] = ['format:', 'path:', 'bytes:'];

const tokenPattern = /\||(-?)(?:(format|path|bytes):)?(?:"([^"]*)("|$)|([^\s|"]+)|(?=[\s|]|$))/giu;
const sizePattern = /^(<=|>=|<|>|=)?(\d+(?:\.\d+)?)([kmgt]?)(i?)b?$/i;
const powers: Readonly<Record<string, number>> = { '': 0, k: 1, m: 2, g: 3, t: 4 };

/** Splits a query into groups of tokens; a `|` separates two groups. Groups without a token are left out. */
export function tokenizeQuery(query: string): readonly (readonly QueryToken[])[] {
  const groups: QueryToken[][] = [[]];
  for (const match of query.matchAll(tokenPattern)) {
    if (match[0] === '|') groups.push([]);
    else if (match[0] !== '') groups.at(-1)?.push(toToken(match));
  }
  return groups.filter((group) => group.length > 0);
}

function toToken(match: RegExpExecArray): QueryToken {
  return {
    start: match.index,
    isNot: match[1] === '-',
    key: match[2]?.toLowerCase() ?? '',
    text: match[3] ?? match[5] ?? '',
    isQuoted: match[3] !== undefined,
    isClosed: match[3] === undefined || match[4] === '"',
  };
}

/** Reads a size condition; undefined when it is none. */
export function parseSize(text: string): SizeCondition | undefined {
  const match = sizePattern.exec(text);
  if (match === null) return undefined;
  const base = match[4] === '' ? 1_000 : 1_024;
  const sizeBytes = Number(match[2]) * base ** (powers[match[3]?.toLowerCase() ?? ''] ?? 0);
  return { operator: toOperator(match[1]), sizeBytes };
}

function toOperator(text: string | undefined): SizeOperator {
  return text === '<' || text === '<=' || text === '>=' || text === '>' ? text : '=';
}

/** Finds what is wrong with a query, in its order. Words with a colon are no mistake, unless they resemble a condition. */
export function findQueryMistakes(query: string): QueryMistake[] {
  return tokenizeQuery(query).flatMap((group) => group.flatMap((token) => findMistake(query, token) ?? []));
}

function findMistake(query: string, token: QueryToken): QueryMistake | undefined {
  const { key, text, isNot, isQuoted, isClosed, start } = token;
  const at = start + (isNot ? 1 : 0);
  const mistake = (kind: QueryMistake['kind'], condition: string, place = at): QueryMistake => {
    return { kind, position: Array.from(query.slice(0, place)).length + 1, condition };
  };
  if (!isClosed) return mistake('openQuote', '', query.indexOf('"', at));
  if (key === '') {
    const condition = isQuoted ? undefined : unknownCondition(text);
    return condition === undefined ? undefined : mistake('unknownCondition', condition);
  }
  const condition = `${key}:`;
  if (text.trim() === '') return mistake('noValue', condition);
  return key === 'bytes' && parseSize(text) === undefined ? mistake('badSize', condition) : undefined;
}

/** Search parameters of the local service: they have a place of their own, and are no conditions of a query. */
const parameters = ['minbytes', 'maxbytes', 'modifiedafter', 'sort', 'order'];
/** Names that a person may take for those of conditions. */
const lookalikes = new Set([...parameters, 'size', 'byte', 'formats', 'paths']);
/** Names long enough that another word is hardly ever one letter away. */
const longNames = ['format', 'bytes', 'minbytes', 'maxbytes', 'modifiedafter'];

function unknownCondition(text: string): string | undefined {
  const written = /^([a-z][a-z_-]*):/i.exec(text)?.[1];
  const name = written?.toLowerCase().replaceAll(/[-_]/g, '') ?? '';
  const isMeant = lookalikes.has(name) || longNames.some((known) => isOneLetterAway(name, known));
  return isMeant ? `${written ?? ''}:` : undefined;
}

/** Returns true where one letter is missing, added, another one, or two neighbors are exchanged. */
function isOneLetterAway(one: string, other: string): boolean {
  let same = 0;
  while (same < one.length && one[same] === other[same]) same += 1;
  const [left, right] = [one.slice(same), other.slice(same)];
  if (left.slice(1) === right || left === right.slice(1) || left.slice(1) === right.slice(1)) return true;
  return left.slice(2) === right.slice(2) && left[0] === right[1] && left[1] === right[0];
}
