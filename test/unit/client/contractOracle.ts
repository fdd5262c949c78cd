import type { UntypedFields } from './contractCalls.ts';

/** The effect of a call according to the contract: the exact requests that are sent, or an error without a request. */
export type Expected =
  | { readonly requests: readonly WireRequest[] }
  | { readonly error: 'TypeError' | 'ValueError' | 'RuntimeError'; readonly argument: string };

/** Method, URL and body of a request. */
type WireRequest = readonly [method: string, url: string, body: string];

type Condition = readonly [isBroken: boolean, error: 'TypeError' | 'ValueError' | 'RuntimeError', argument: string];

function firstBroken(conditions: readonly Condition[]): Expected | undefined {
  const broken = conditions.find(([isBroken]) => isBroken);
  return broken && { error: broken[1], argument: broken[2] };
}

function isText(value: unknown): value is string {
  return typeof value === 'string';
}

function isMissing(value: unknown): boolean {
  return value === undefined || value === null;
}

/**
 * Returns the value of an integer or of a string of digits, which may be negative. Returns undefined for anything else
 * (D3: numbers and empty values).
 */
function parseWhole(value: unknown): number | undefined {
  if (typeof value === 'string') return /^-?[0-9]+$/.test(value) ? Number(value) : undefined;
  return typeof value === 'number' && Number.isFinite(value) && Math.floor(value) === value ? value : undefined;
}

/**
 * Returns the JSON text of an object. Returns undefined for other values, including arrays (D3: numbers and empty
 * values), and for objects that can't be serialized as JSON objects.
 */
function objectText(value: unknown): string | undefined {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return undefined;
  try {
    const text: unknown = JSON.stringify(value);
    return typeof text === 'string' && text.startsWith('{') ? text : undefined;
  } catch {
    return undefined;
  }
}

function isBadList(value: unknown): boolean {
  return !Array.isArray(value) || Array.from(value as unknown[]).some((element) => !isText(element));
}

function notGiven(limit: unknown): boolean {
  return isMissing(limit) || limit === '';
}

function pageTypes({ offset, limit }: UntypedFields): readonly Condition[] {
  return [
    [offset !== undefined && parseWhole(offset) === undefined, 'TypeError', 'offset'],
    [!notGiven(limit) && parseWhole(limit) === undefined, 'TypeError', 'limit'],
    [(parseWhole(offset) ?? 0) < 0, 'ValueError', 'offset'],
    [(parseWhole(limit) ?? 0) < 0, 'ValueError', 'limit'],
  ];
}

function pageSizes({ offset, limit }: UntypedFields): readonly Condition[] {
  const isTooLarge = (value: unknown): boolean => (parseWhole(value) ?? 0) > Number.MAX_SAFE_INTEGER;
  return [
    [isTooLarge(offset), 'ValueError', 'offset'],
    [isTooLarge(limit), 'ValueError', 'limit'],
  ];
}

/** Returns the JSON text of an object with the given members, in order. Omits members whose text is undefined. */
function toJson(members: Readonly<Record<string, string | undefined>>): string {
  const present = Object.entries(members).filter(([, text]) => text !== undefined);
  return `{${present.map(([name, text]) => `"${name}":${text ?? ''}`).join(',')}}`;
}

function textJson(value: unknown): string | undefined {
  return isText(value) && value !== '' ? JSON.stringify(value) : undefined;
}

function numberJson(value: unknown): string | undefined {
  const number = parseWhole(value) ?? 0;
  return number === 0 ? undefined : String(number);
}

function objectJson(value: unknown): string | undefined {
  const text = objectText(value);
  return text === '{}' ? undefined : text;
}

function encoded(text: string): string {
  return encodeURIComponent(Buffer.from(text, 'utf8').toString('utf8'));
}

/** Returns the effect of a search (§4.3), with the checks of §4.8 and D3 (numbers and empty values). */
export function expectedSearch(given: UntypedFields): Expected {
  const { database, orcid, query, status, offset, limit, specific } = given;
  const isFilter = isMissing(status) || status === '' || status === 'staged' || status === 'unstaged';
  const refused = firstBroken([
    [!isText(orcid), 'TypeError', 'orcid'],
    [!isText(database), 'TypeError', 'database'],
    [!isText(query) && !(typeof query === 'number' && Number.isFinite(query)), 'TypeError', 'query'],
    [!isFilter, 'TypeError', 'status'],
    ...pageTypes(given),
    [!isMissing(specific) && objectText(specific) === undefined, 'TypeError', 'specific'],
    ...pageSizes(given),
  ]);
  if (refused) return refused;
  const body = toJson({
    database: JSON.stringify(database),
    orcid: JSON.stringify(orcid),
    query: JSON.stringify(String(query)),
    status: textJson(status),
    offset: numberJson(offset),
    limit: numberJson(limit),
    specific: objectJson(specific),
  });
  return { requests: [['POST', '/api/v1/files', body]] };
}

/**
 * Returns the effect of a metadata request (§4.4) for a few ids, on a server with both forms of D8 (metadata by ids)
 * that refuses no ID. Includes the checks of §4.8 and D3 (numbers and empty values).
 */
export function expectedMetadata(given: UntypedFields): Expected {
  const { database, orcid, ids } = given;
  const refused = firstBroken([
    [!isText(orcid), 'TypeError', 'orcid'],
    [!isText(database), 'TypeError', 'database'],
    ...pageTypes(given),
    [!Array.isArray(ids) || ids.length === 0, 'RuntimeError', 'ids'],
    [isBadList(ids), 'TypeError', 'ids'],
    ...pageSizes(given),
  ]);
  return refused ?? { requests: metadataRequests(given, [...new Set(ids as string[])]) };
}

function metadataRequests(given: UntypedFields, ids: readonly string[]): readonly WireRequest[] {
  const hasComma = (id: string): boolean => id.includes(',');
  if (ids.every(hasComma)) return [byPost(given, ids, given)];
  if (!ids.some(hasComma)) return [byGet(given, ids, given)];
  const start = parseWhole(given['offset']) ?? 0;
  const most = parseWhole(given['limit']) ?? 0;
  const page = ids.slice(start, most === 0 ? undefined : start + most);
  const withoutComma = page.filter((id) => !hasComma(id));
  const withComma = page.filter(hasComma);
  return [
    ...(withoutComma.length > 0 ? [byGet(given, withoutComma, {})] : []),
    ...(withComma.length > 0 ? [byPost(given, withComma, {})] : []),
  ];
}

function byGet(
  { database, orcid }: UntypedFields,
  ids: readonly string[],
  { offset, limit }: UntypedFields,
): WireRequest {
  const page = [['offset', numberJson(offset)] as const, ['limit', numberJson(limit)] as const];
  const rest = page.map(([name, text]) => (text === undefined ? '' : `&${name}=${text}`)).join('');
  const start = `database=${encoded(String(database))}&orcid=${encoded(String(orcid))}`;
  return ['GET', `/api/v1/files/by-id?${start}&ids=${ids.map(encoded).join(',')}${rest}`, ''];
}

function byPost(
  { database, orcid }: UntypedFields,
  ids: readonly string[],
  { offset, limit }: UntypedFields,
): WireRequest {
  const body = toJson({
    database: JSON.stringify(database),
    orcid: JSON.stringify(orcid),
    file_ids: JSON.stringify(ids),
    offset: numberJson(offset),
    limit: numberJson(limit),
  });
  return ['POST', '/api/v1/files/by-id', body];
}

/** Returns the effect of a submission (§4.5), with the checks of §4.8 and D3 (numbers and empty values). */
export function expectedTransfer(given: UntypedFields): Expected {
  const { orcid, source, destination, fileIds, timeout, description, instructions } = given;
  const seconds = typeof timeout === 'number' ? timeout : 1;
  const refused = firstBroken([
    [!isText(orcid), 'TypeError', 'orcid'],
    [!isText(source), 'TypeError', 'source'],
    [!isText(destination), 'TypeError', 'destination'],
    [!Array.isArray(fileIds), 'TypeError', 'fileIds'],
    [!isMissing(timeout) && (typeof timeout !== 'number' || Number.isNaN(timeout)), 'TypeError', 'timeout'],
    [!isMissing(description) && !isText(description), 'TypeError', 'description'],
    [!isMissing(instructions) && objectText(instructions) === undefined, 'TypeError', 'instructions'],
    [isBadList(fileIds), 'TypeError', 'fileIds'],
    [!(seconds > 0) || seconds > 2_147_483, 'ValueError', 'timeout'],
  ]);
  if (refused) return refused;
  const body = toJson({
    orcid: JSON.stringify(orcid),
    source: JSON.stringify(source),
    destination: JSON.stringify(destination),
    file_ids: JSON.stringify(fileIds),
    description: textJson(description),
    instructions: objectJson(instructions),
  });
  return { requests: [['POST', '/api/v1/transfers', body]] };
}

/** Returns the effect of a status request (§4.6); `uuid` is the UUID that the ID denotes, if any. */
export function expectedStatus(id: unknown, uuid: string | undefined): Expected {
  if (!isText(id)) return { error: 'TypeError', argument: 'id' };
  if (uuid === undefined) return { error: 'ValueError', argument: 'id' };
  return { requests: [['GET', `/api/v1/transfers/${uuid}`, '']] };
}

/** Returns the effect of a cancel (§4.7); `uuid` is the UUID that the ID denotes, if any. */
export function expectedCancel({ orcid, id }: UntypedFields, uuid: string | undefined): Expected {
  if (!isText(orcid)) return { error: 'TypeError', argument: 'orcid' };
  if (!isText(id)) return { error: 'TypeError', argument: 'id' };
  if (uuid === undefined) return { error: 'ValueError', argument: 'id' };
  return { requests: [['DELETE', `/api/v1/transfers/${uuid}?orcid=${encoded(orcid)}`, '']] };
}

/** Returns the effect of a search parameters request; rejects IDs that change the path (D26: service HTTP behavior). */
export function expectedParameters(databaseId: unknown): Expected {
  if (!isText(databaseId)) return { error: 'TypeError', argument: 'databaseId' };
  if (/^\.{0,2}$/.test(databaseId)) return { error: 'ValueError', argument: 'databaseId' };
  return { requests: [['GET', `/api/v1/databases/${encoded(databaseId)}/search-parameters`, '']] };
}

/** The path and the Authorization header of the root request (§4.1, D5: token encoding). */
interface ExpectedRoot {
  readonly path: string;
  readonly authorization: string;
}

/**
 * Returns the root request of `connect` for loopback addresses, or the name of the error (§4.8, §4.9, D3: numbers and
 * empty values, D4: server address, D5: token encoding).
 */
export function expectedConnect(given: UntypedFields): ExpectedRoot | string {
  const { apiKey, server, port, scheme } = given;
  const path = getPath(server, port);
  const refusals: readonly (readonly [isBroken: boolean, error: string])[] = [
    [!isText(apiKey) || !isText(server), 'TypeError'],
    [!isMissing(port) && !Number.isInteger(port), 'TypeError'],
    [isText(apiKey) && /[^ -~]/.test(apiKey), 'TypeError'],
    [!isMissing(scheme) && scheme !== 'base64' && scheme !== 'plain', 'TypeError'],
    [typeof port === 'number' && (port < 1 || port > 65_535), 'ValueError'],
  ];
  const refused = refusals.find(([isBroken]) => isBroken)?.[1];
  if (refused !== undefined) return refused;
  if (path === undefined) return 'ConnectionError';
  const token = scheme === 'plain' ? String(apiKey) : Buffer.from(String(apiKey)).toString('base64');
  return { path, authorization: `Bearer ${token}`.trim() };
}

/**
 * Returns the path of the root; undefined if the address is invalid. If `port` is given, the address must have neither
 * a port nor a path.
 */
function getPath(server: unknown, port: unknown): string | undefined {
  if (!isText(server)) return undefined;
  const address = /^http:\/\/127\.0\.0\.1(:\d+)?([/\\][^?#]*)?$/.exec(server.trim().replace(/\/+$/, ''));
  if (!address) return undefined;
  const isDoubled = typeof port === 'number' && (address[1] !== undefined || address[2] !== undefined);
  return isDoubled ? undefined : new URL(address[0]).pathname.replace(/\/+$/, '') || '/';
}
