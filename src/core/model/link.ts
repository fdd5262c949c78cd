import { hasHiddenText } from '../util/visibleText.ts';
import { hasInfinity, isDeeperThan, isJsonObject, parseJsonObject, type JsonObject } from '../util/json.ts';
import { parseUuid } from '../util/uuid.ts';
import type { Connection } from './connection.ts';
import type { SearchQuery } from './searchModel.ts';

/** The `service` of a link that refers to the local service of the person who opens the link. */
export const localLinkService = 'local';

/** A search, file or transfer that a link refers to. Never contains an API key. */
export type LinkTarget =
  | { readonly kind: 'search'; readonly service: string; readonly query: Omit<SearchQuery, 'pageSize'> }
  | {
      readonly kind: 'file';
      readonly service: string;
      readonly database: string;
      readonly id: string;
      readonly name: string;
    }
  | { readonly kind: 'transfer'; readonly service: string; readonly id: string };

/** The reason why a link can't be created or opened; `field` names the invalid field. */
export interface LinkProblem {
  readonly kind: 'tooLong' | 'unknownKind' | 'unreadable' | 'badService' | 'badField';
  readonly field?: string;
}

/** The maximum length of a link's decoded query (without the `?`), in UTF-16 code units. */
const maxLength = 16_384;

const maxLevels = 5;

/** Formats a target as the path and query of a link. Returns a problem if {@link parseLink} would reject the link. */
export function formatLink({ kind, ...fields }: LinkTarget): string | LinkProblem {
  const { query, ...others } = { query: undefined, ...fields };
  const json = JSON.stringify({ ...others, ...query });
  const parsed = parseLink(`/${kind}`, json);
  return isLinkTarget(parsed) ? `/${kind}?${encodeURIComponent(json)}` : parsed;
}

/** Returns a connection's address as links use it: origin and path without trailing slashes; undefined if invalid. */
export function toLinkService({ server, port }: Pick<Connection, 'server' | 'port'>): string | undefined {
  if (!URL.canParse(server)) return undefined;
  const url = new URL(server);
  if (port !== undefined) url.port = String(port);
  return formatService(url);
}

function formatService(url: URL): string {
  return url.origin + url.pathname.replace(/\/+$/, '');
}

/** Parses the path and decoded query of a link. Anything unexpected is a problem: links can come from anyone. */
export function parseLink(path: string, query: string): LinkTarget | LinkProblem {
  if (query.length > maxLength) return { kind: 'tooLong' };
  const kind = path.slice(1);
  if (kind !== 'search' && kind !== 'file' && kind !== 'transfer') return { kind: 'unknownKind' };
  const fields = parseJsonObject(query);
  if (!fields) return { kind: 'unreadable' };
  const wrong = findWrongField(kind, fields);
  if (wrong !== undefined) return { kind: wrong === 'service' ? 'badService' : 'badField', field: wrong };
  return toTarget(kind, fields);
}

/** Returns true if the result of {@link parseLink} is a target rather than a problem. */
export function isLinkTarget(link: LinkTarget | LinkProblem): link is LinkTarget {
  return 'service' in link;
}

type Check = (value: unknown) => boolean;

const isName: Check = (value) => isText(value) && value.trim() !== '';

const checks: Readonly<Record<LinkTarget['kind'], Readonly<Record<string, Check>>>> = {
  search: {
    service: isService,
    database: isName,
    query: isText,
    status: (value) => value === undefined || value === 'staged' || value === 'unstaged',
    specific: (value) => value === undefined || isPlainObject(value),
    ids: (value) => value === undefined || (Array.isArray(value) && value.length > 0 && value.every(isName)),
  },
  file: { service: isService, database: isName, id: isName, name: isText },
  transfer: { service: isService, id: (value) => isText(value) && parseUuid(value) === value },
};

function findWrongField(kind: LinkTarget['kind'], fields: JsonObject): string | undefined {
  const expected = checks[kind];
  const unknown = Object.keys(fields).find((name) => !Object.hasOwn(expected, name));
  return unknown ?? Object.keys(expected).find((name) => expected[name]?.(fields[name]) !== true);
}

function isText(value: unknown): value is string {
  return typeof value === 'string' && !/\p{Cc}/u.test(value) && !hasHiddenText(value);
}

function isPlainObject(value: unknown): boolean {
  return isJsonObject(value) && !isDeeperThan(value, maxLevels) && !hasInfinity(value) && isSafe(value);
}

function isSafe(value: unknown): boolean {
  if (typeof value !== 'object' || value === null) return typeof value !== 'string' || isText(value);
  return Object.entries(value).every(([name, member]) => isText(name) && isSafe(member));
}

function isService(value: unknown): boolean {
  if (value === localLinkService) return true;
  if (!isText(value) || !/^https?:\/\//.test(value) || !URL.canParse(value)) return false;
  return formatService(new URL(value)) === value;
}

function toTarget(kind: LinkTarget['kind'], fields: JsonObject): LinkTarget {
  const { service, ...others } = fields;
  const target = kind === 'search' ? { kind, service, query: others } : { kind, service, ...others };
  return target as LinkTarget;
}
