/** A comparison operator in a size condition. */
export type SizeOperator = '<' | '<=' | '=' | '>=' | '>';

interface SizeCondition {
  readonly operator: SizeOperator;
  readonly sizeBytes: number;
}

/** A token in a query to the local service (D21: search syntax). */
export interface QueryToken {
  /** The 0-based offset of the token's first character in the query. */
  readonly start: number;
  readonly isNot: boolean;
  /** `format`, `path`, `bytes`, or empty. */
  readonly key: string;
  readonly text: string;
  readonly isQuoted: boolean;
  readonly isClosed: boolean;
}

/** A mistake in a query: an unclosed quote, an invalid size, a condition without a value, or an unknown condition. */
export interface QueryMistake {
  readonly kind: 'openQuote' | 'badSize' | 'noValue' | 'unknownCondition';
  /** The 1-based position of the mistake in the query, in characters. */
  readonly position: number;
  /** The invalid condition including its colon; empty for an unclosed quote. */
  readonly condition: string;
}

/** The known conditions, each with its colon. */
export const queryConditions: readonly string[] = ['format:', 'path:', 'bytes:'];

const tokenPattern = /\||(-?)(?:(format|path|bytes):)?(?:"([^"]*)("|$)|([^\s|"]+)|(?=[\s|]|$))/giu;
const sizePattern = /^(<=|>=|<|>|=)?(\d+(?:\.\d+)?)([kmgt]?)(i?)b?$/i;
const powers: Readonly<Record<string, number>> = { '': 0, k: 1, m: 2, g: 3, t: 4 };

/** Splits a query into groups of tokens at each `|`. Omits empty groups. */
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

/** Parses the value of a size condition, such as `>=10MB`. Returns undefined if the value is invalid. */
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

/** Returns a query's mistakes by position. A word with a colon is one only if it resembles a condition. */
export function findQueryMistakes(query: string): QueryMistake[] {
  return tokenizeQuery(query).flatMap((group) => group.flatMap((token) => findMistake(query, token) ?? []));
}

function findMistake(query: string, token: QueryToken): QueryMistake | undefined {
  const { key, text, isNot, isQuoted, isClosed, start } = token;
  const at = start + (isNot ? 1 : 0);
  const mistake = (kind: QueryMistake['kind'], condition: string, offset = at): QueryMistake => {
    return { kind, position: Array.from(query.slice(0, offset)).length + 1, condition };
  };
  if (!isClosed) return mistake('openQuote', '', query.indexOf('"', at));
  if (key === '') {
    const condition = isQuoted ? undefined : findUnknownCondition(text);
    return condition === undefined ? undefined : mistake('unknownCondition', condition);
  }
  const condition = `${key}:`;
  if (text.trim() === '') return mistake('noValue', condition);
  return key === 'bytes' && parseSize(text) === undefined ? mistake('badSize', condition) : undefined;
}

/** Search parameters of the local service that are not query conditions. */
const parameters = ['minbytes', 'maxbytes', 'modifiedafter', 'sort', 'order'];
/** Names that are easily mistaken for conditions. */
const lookalikes = new Set([...parameters, 'size', 'byte', 'formats', 'paths']);
/** Names that are long enough to tolerate one typo. */
const longNames = ['format', 'bytes', 'minbytes', 'maxbytes', 'modifiedafter'];

function findUnknownCondition(text: string): string | undefined {
  const written = /^([a-z][a-z_-]*):/i.exec(text)?.[1];
  const name = written?.toLowerCase().replaceAll(/[-_]/g, '') ?? '';
  const isMistaken = lookalikes.has(name) || longNames.some((known) => isOneLetterAway(name, known));
  return isMistaken ? `${written ?? ''}:` : undefined;
}

/** Returns true for equal names, or names that differ by one letter (missing, added, replaced) or swapped neighbors. */
function isOneLetterAway(one: string, other: string): boolean {
  let same = 0;
  while (same < one.length && one[same] === other[same]) same += 1;
  const [left, right] = [one.slice(same), other.slice(same)];
  if (left.slice(1) === right || left === right.slice(1) || left.slice(1) === right.slice(1)) return true;
  return left.slice(2) === right.slice(2) && left[0] === right[1] && left[1] === right[0];
}
