import type * as z from 'zod/mini';
import {
  databaseSchema,
  resourcesSchema,
  rootDocumentSchema,
  searchParameterSchema,
  transferAcceptedSchema,
  transferFilesSchema,
  transferStatusSchema,
  type FileResource,
  type TransferStatusDocument,
} from '../../contract/contract.ts';
import type { ClusterOffer, ClusterPlace, Database, SearchParameter, StoreListing } from '../model/databaseModel.ts';
import type { FoundFile, UnreadableFile } from '../model/fileEntry.ts';
import type { FileProgress, FileProgressPage } from '../model/fileProgress.ts';
import { statusCounts, type TransferBytes, type TransferStatus } from '../model/transferModel.ts';
import { contentFeature } from '../util/fileContent.ts';
import { fileStates } from '../util/fileStates.ts';
import { folderFeature, isFolderName } from '../util/folderName.ts';
import { followUpStates, readFollowUp, thenFeature, thenField, type FollowUpStatus } from '../util/followUp.ts';
import { leftOutKinds, type LeftOutCounts } from '../util/leftOut.ts';
import { isDeeperThan, isJsonObject, parseExactJson } from '../util/json.ts';
import { parseUuid } from '../util/uuid.ts';

/** Thrown by the readers in this file if a response violates the contract (D15: tolerant reading). */
export class UnreadableResponseError extends Error {
  override readonly name = 'UnreadableResponseError';
}

const maxTextLength = 100_000;
const maxResourceDepth = 200;

/** Parses the body of a response. Throws UnreadableResponseError if it is not JSON. */
export function readJson(text: string): unknown {
  try {
    return parseExactJson(text);
  } catch {
    throw new UnreadableResponseError(text.trim() === '' ? 'the response is empty' : 'the response is not JSON');
  }
}

interface RootFacts {
  readonly name: string;
  readonly version: string;
  readonly canChooseFolder?: boolean;
  readonly canFollowUp?: boolean;
  readonly canReadContent?: boolean;
}

/** Reads the root document (§2.1). Absent texts become empty strings. */
export function readRoot(json: unknown): RootFacts {
  const { name, version, features } = parse(rootDocumentSchema, json);
  const has = (feature: string): boolean => Array.isArray(features) && features.includes(feature);
  return {
    name: name ?? '',
    version: version ?? '',
    ...(has(folderFeature) && { canChooseFolder: true }),
    ...(has(thenFeature) && { canFollowUp: true }),
    ...(has(contentFeature) && { canReadContent: true }),
  };
}

/** Reads the listing of databases (§4.2). Skips invalid ones, such as without `id` or `name`. Null is an empty list. */
export function readDatabases(json: unknown): readonly Database[] {
  if (json === null) return [];
  if (!Array.isArray(json)) throw new UnreadableResponseError('the response is not a list of databases');
  return json.flatMap((element: unknown) => readDatabase(element) ?? []);
}

function readDatabase(element: unknown): Database | undefined {
  const complete = isJsonObject(element) ? { organization: '', url: '', ...omitAbsent(element) } : element;
  const { data } = databaseSchema.safeParse(complete);
  if (!data) return undefined;
  const { id, name, organization, url } = data;
  // These fields are not in the schema, because an invalid value would then exclude the entire database.
  const listing = readStoreListing(data['listing']);
  const cluster = readClusterOffer(data['cluster']);
  const readOnly = data['readOnly'] === true && { readOnly: true };
  return { id, name, organization, url, ...readOnly, ...omitAbsent({ listing, cluster }) };
}

function readClusterOffer(value: unknown): ClusterOffer | undefined {
  const place = readClusterPlace(value);
  if (!place || !hasFields(value, { texts: [], numbers: ['minBytes', 'minFiles'] })) return undefined;
  return { ...place, minBytes: Number(value['minBytes']), minFiles: Number(value['minFiles']) };
}

function readClusterPlace(value: unknown): ClusterPlace | undefined {
  if (!hasFields(value, { texts: ['partition'], numbers: ['tasks'] })) return undefined;
  const { tasks, partition } = value as { readonly tasks?: unknown; readonly partition?: string | null };
  const count = parseAmount(tasks);
  return count === undefined ? undefined : { tasks: count, ...omitAbsent({ partition }) };
}

const listingStates = ['scanning', 'listed', 'failed'] as const;

/** Reads the state of a store's listing; undefined if it is absent or invalid (D62: stores through rclone). */
export function readStoreListing(value: unknown): StoreListing | undefined {
  if (!isJsonObject(value)) return undefined;
  const state = listingStates.find((one) => one === value['state']);
  const [files, scanned, freeBytes] = [value['files'], value['scanned'], value['freeBytes']].map(parseAmount);
  if (state === undefined || files === undefined) return undefined;
  const asOf = readInstant(value['asOf']);
  const problem = typeof value['problem'] === 'string' ? value['problem'] : undefined;
  return { state, files, ...omitAbsent({ scanned, asOf, freeBytes, problem, leftOut: readLeftOut(value['leftOut']) }) };
}

/** Reads what a listing leaves out; undefined if it isn't an object, so that nothing is said about it. */
function readLeftOut(value: unknown): LeftOutCounts | undefined {
  if (!isJsonObject(value)) return undefined;
  const counts = leftOutKinds.map((kind) => [kind, parseAmount(value[kind]) ?? 0] as const);
  return Object.fromEntries(counts.filter(([, count]) => count > 0));
}

function readInstant(value: unknown): string | undefined {
  const at = typeof value === 'string' ? Date.parse(value) : Number.NaN;
  // `Date.parse` accepts any text in parentheses, so the text itself is not used.
  return Number.isNaN(at) ? undefined : new Date(at).toISOString();
}

function readFiles(json: unknown, database: string): readonly FoundFile[] {
  const { resources } = parse(resourcesSchema, json);
  const mediaTypes = new Map<string, string>();
  return (resources ?? []).map((resource) => readFile(resource, database, mediaTypes));
}

/** The files in a search or metadata response, and what the local service says about them. */
export interface FoundPage {
  readonly files: readonly FoundFile[];
  /** The position after the last file (D9: paging). */
  readonly cursor?: string;
  /** Names that the listing of the database or the folder leaves out. */
  readonly leftOut?: LeftOutCounts;
  /** The state of the listing of a store. */
  readonly listing?: StoreListing;
}

/**
 * Reads a search or metadata response (§2.3, §4.3). A resource that cannot be parsed becomes an unreadable file, and does
 * not affect the others (D15: tolerant reading). Ignores extensions unless `isLocal` is true, since they may mean
 * anything.
 */
export function readFoundPage(json: unknown, database: string, isLocal: boolean): FoundPage {
  const files = readFiles(json, database);
  if (!isLocal || !isJsonObject(json)) return { files };
  const cursor = typeof json['cursor'] === 'string' ? json['cursor'] : undefined;
  const [leftOut, listing] = [readLeftOut(json['leftOut']), readStoreListing(json['listing'])];
  return { files, ...omitAbsent({ cursor, leftOut, listing }) };
}

function readFile(resource: unknown, database: string, mediaTypes: Map<string, string>): FoundFile {
  if (!hasFields(resource, fileFields) || typeof resource['id'] !== 'string') return toUnreadableFile(resource);
  if (isDeeperThan(resource, maxResourceDepth)) return toUnreadableFile(resource);
  shareTexts(resource as FileResource, mediaTypes);
  const { id, name: slug, path, title, description, format, mediatype, bytes, hash } = resource as FileResource;
  const last = path?.slice(path.lastIndexOf('/') + 1).trim();
  // Prefers an equal string that is in memory anyway: a search can have many thousands of files.
  const name = last === slug ? slug : last;
  const known = { path, title, description, format, mediaType: mediatype, sizeBytes: parseAmount(bytes), hash };
  return { kind: 'file', id, database, name: name || slug?.trim() || id, ...omitAbsent(known), resource };
}

function shareTexts(resource: FileResource, mediaTypes: Map<string, string>): void {
  // Parsing creates a string for each text, also for equal ones, and a search can have many thousands of files.
  const { id, name, path, title, mediatype } = resource;
  if (path === id) resource.path = id;
  if (title !== undefined && title === name) resource.title = name;
  if (!mediatype) return;
  const known = mediaTypes.get(mediatype);
  if (known === undefined) mediaTypes.set(mediatype, mediatype);
  else resource.mediatype = known;
}

interface ExpectedFields {
  readonly texts: readonly string[];
  readonly numbers: readonly string[];
}

/**
 * Returns true if `value` is an object whose `texts` fields are strings and whose `numbers` fields are finite numbers.
 * Each field may also be absent or null. Used instead of a schema for responses with thousands of entries, because
 * schema validation would take longer than parsing the JSON.
 */
function hasFields(value: unknown, { texts, numbers }: ExpectedFields): value is Readonly<Record<string, unknown>> {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return false;
  const actual = value as Readonly<Record<string, unknown>>;
  for (const name of texts) if (typeof (actual[name] ?? '') !== 'string') return false;
  for (const name of numbers) if (!Number.isFinite(actual[name] ?? 0)) return false;
  return true;
}

const fileFields = {
  texts: ['id', 'name', 'path', 'title', 'description', 'format', 'mediatype', 'encoding', 'hash'],
  numbers: ['bytes'],
} as const;

function toUnreadableFile(resource: unknown): UnreadableFile {
  let text: string;
  try {
    text = JSON.stringify(resource);
  } catch {
    text = '…';
  }
  return { kind: 'unreadable', text: text.length > maxTextLength ? `${text.slice(0, maxTextLength)}…` : text };
}

/** One exabyte, more than the size of any file. */
const largestReported = 1e18;

/** Returns a value from a server if it is a valid count or size, an integer from 0 to 10^18; otherwise, undefined. */
function parseAmount(value: unknown): number | undefined {
  if (typeof value !== 'number' || !Number.isInteger(value)) return undefined;
  return value >= 0 && value <= largestReported ? value : undefined;
}

type Present<T> = { [K in keyof T]?: NonNullable<T[K]> };

function omitAbsent<T extends object>(fields: T): Present<T> {
  const present: Present<T> = {};
  for (const name in fields) {
    const value = fields[name];
    if (value !== undefined && value !== null) present[name] = value;
  }
  return present;
}

/** Reads the response to a submission (§4.5). Returns the transfer's ID in canonical form. */
export function readAccepted(json: unknown): string {
  const id = parseUuid(parse(transferAcceptedSchema, json).id);
  if (id === undefined) throw new UnreadableResponseError('the ID of the transfer is not a UUID');
  return id;
}

const statusFields = { texts: ['id', 'status', 'message'], numbers: Object.values(statusCounts) } as const;
const countFields = Object.entries(statusCounts);

/**
 * Reads a transfer's status (§2.4). Omits null fields and impossible counts (D39: server data
 * display). Ignores `paused` and `cluster` unless `isLocal` is true, since they may mean anything.
 */
export function readStatus(json: unknown, isLocal = false): TransferStatus {
  const document = hasFields(json, statusFields) ? (json as TransferStatusDocument) : parse(transferStatusSchema, json);
  const { id, status, message } = document;
  const counts: Partial<Record<string, number>> = {};
  for (const [name, field] of countFields) counts[name] = parseAmount(document[field]);
  const { paused, folder: chosen } = document;
  const isPaused = isLocal && typeof paused === 'boolean' ? paused : undefined;
  const cluster = isLocal ? readClusterPlace(document['cluster']) : undefined;
  const folder = isLocal && isFolderName(chosen) ? chosen : undefined;
  const followUp = isLocal ? readFollowUpStatus(document[thenField]) : undefined;
  return omitAbsent({
    id,
    status,
    message,
    isPaused,
    ...counts,
    bytes: readBytes(document),
    cluster,
    folder,
    followUp,
  });
}

function readFollowUpStatus(value: unknown): FollowUpStatus | undefined {
  if (!isJsonObject(value)) return undefined;
  const { state, job, exitCode, output, problem, ...rest } = value;
  const known = followUpStates.find((one) => one === state);
  const followUp = readFollowUp(rest);
  if (known === undefined || followUp === undefined) return undefined;
  const texts = { job: toText(job), output: toText(output), problem: toText(problem) };
  const code = typeof exitCode === 'number' && Number.isInteger(exitCode) ? exitCode : undefined;
  return { ...followUp, state: known, ...omitAbsent({ ...texts, exitCode: code }) };
}

function toText(value: unknown): string | undefined {
  return typeof value === 'string' ? value : undefined;
}

/**
 * Reads the bytes of a transfer, which only the local service reports. They are not in the schema, because an invalid
 * value would then exclude the entire status.
 */
function readBytes(document: Record<string, unknown>): TransferBytes | undefined {
  const { num_bytes, num_bytes_transferred, num_bytes_staged, num_bytes_verified } = document;
  const amounts = [num_bytes, num_bytes_transferred, num_bytes_staged, num_bytes_verified];
  const [total, copied, staged, verified] = amounts.map(parseAmount);
  if (total === undefined || copied === undefined || copied > total) return undefined;
  return { total, copied, ...omitAbsent({ staged, verified }) };
}

const progressFields = { texts: ['id', 'path', 'state', 'problem'], numbers: ['bytes', 'failedAttempts'] } as const;

/** Reads a page of a transfer's files. Leaves out invalid files and unknown states (D71: file states). */
export function readTransferFiles(json: unknown): FileProgressPage {
  const { files, counts, cursor } = parse(transferFilesSchema, json);
  const known = fileStates.map((state) => [state, parseAmount(counts[state]) ?? 0] as const);
  return {
    files: files.flatMap((file) => readFileProgress(file) ?? []),
    counts: Object.fromEntries(known.filter(([, count]) => count > 0)),
    ...omitAbsent({ cursor }),
  };
}

function readFileProgress(value: unknown): FileProgress | undefined {
  if (!hasFields(value, progressFields)) return undefined;
  const [position, sizeBytes, failedAttempts] = [value['position'], value['bytes'], value['failedAttempts']].map(
    parseAmount,
  );
  const state = fileStates.find((one) => one === value['state']);
  const { id, path, problem } = value as { readonly id?: string; readonly path?: string; readonly problem?: string };
  if (position === undefined || state === undefined || id === undefined || path === undefined) return undefined;
  return { position, id, path, state, ...omitAbsent({ sizeBytes, failedAttempts, problem }) };
}

/** Reads a database's search parameters (D26: service HTTP behavior). Skips parameters without a type. */
export function readSearchParameters(json: unknown): Readonly<Record<string, SearchParameter>> {
  if (!isJsonObject(json)) throw new UnreadableResponseError('the response is not an object');
  const parameters = Object.entries(json).flatMap(([name, element]): readonly [string, SearchParameter][] => {
    const { data } = searchParameterSchema.safeParse(element);
    return data ? [[name, { type: data.type, values: Array.isArray(data.value) ? data.value : [] }]] : [];
  });
  return Object.fromEntries(parameters);
}

function parse<T extends z.ZodMiniType>(schema: T, json: unknown): z.output<T> {
  const parsed = schema.safeParse(json);
  if (parsed.success) return parsed.data;
  const path = parsed.error.issues[0]?.path.map(String).join('.') ?? '';
  throw new UnreadableResponseError(
    path === '' ? 'the response has an unexpected format' : `the response's "${path}" is not of the expected type`,
  );
}
