import type * as z from 'zod/mini';
import { databaseSchema, searchParameterSchema } from '../../contract/database.ts';
import { isFileResource, resourcesSchema } from '../../contract/fileResource.ts';
import type { FileResource } from '../../contract/fileResource.ts';
import { rootDocumentSchema } from '../../contract/root.ts';
import { isTransferStatus, transferAcceptedSchema, transferStatusSchema } from '../../contract/transfer.ts';
import type { Database } from '../model/database.ts';
import type { FileEntry, FoundFile, UnreadableFile } from '../model/fileEntry.ts';
import type { SearchParameter } from '../model/searchParameter.ts';
import type { TransferStatus } from '../model/transfer.ts';
import { parseAmount } from '../util/displayLimits.ts';
import { isDeeperThan, isJsonObject } from '../util/json.ts';
import { canonicalUuid } from '../util/uuid.ts';

/** Thrown by the readers of this file when an answer is not what the contract says; `send`'s callers make it a reason (D15). */
export class UnreadableAnswer extends Error {
  override readonly name = 'UnreadableAnswer';
}

const longestText = 100_000;
const deepestResource = 200;

/** Parses an answer's text. Throws UnreadableAnswer when it is not JSON. */
export function readJson(text: string): unknown {
  if (text.trim() === '') throw new UnreadableAnswer('the answer is empty');
  try {
    return JSON.parse(text) as unknown;
  } catch {
    throw new UnreadableAnswer('the answer is not JSON');
  }
}

/** Reads the root document (§2.1); what it does not tell is empty. */
export function readRoot(json: unknown): { readonly name: string; readonly version: string } {
  const { name, version } = parse(rootDocumentSchema, json);
  return { name: name ?? '', version: version ?? '' };
}

/** Reads the listing (§4.2). Elements without `id` or `name` are passed over; null is none. */
export function readDatabases(json: unknown): readonly Database[] {
  if (json === null) return [];
  if (!Array.isArray(json)) throw new UnreadableAnswer('the answer is not a list of databases');
  return json.flatMap((element: unknown) => readDatabase(element) ?? []);
}

function readDatabase(element: unknown): Database | undefined {
  const whole = isJsonObject(element) ? { organization: '', url: '', ...withoutNulls(element) } : element;
  const parsed = databaseSchema.safeParse(whole);
  if (!parsed.success) return undefined;
  const { id, name, organization, url } = parsed.data;
  return { id, name, organization, url, ...(parsed.data['readOnly'] === true && { readOnly: true }) };
}

function withoutNulls(object: Record<string, unknown>): Record<string, unknown> {
  return Object.fromEntries(Object.entries(object).filter(([, value]) => value !== null));
}

/** Reads the `resources` of a search or a metadata request, one by one (§2.3, D15). */
export function readFiles(json: unknown, database: string): readonly FoundFile[] {
  const { resources } = parse(resourcesSchema, json);
  return (resources ?? []).map((resource) => readFile(resource, database));
}

function readFile(resource: unknown, database: string): FoundFile {
  if (!isFileResource(resource) || isDeeperThan(resource, deepestResource)) return unreadable(resource);
  return fileEntry(resource, database);
}

function unreadable(resource: unknown): UnreadableFile {
  let text: string;
  try {
    text = JSON.stringify(resource);
  } catch {
    text = '…';
  }
  return { kind: 'unreadable', text: text.length > longestText ? `${text.slice(0, longestText)}…` : text };
}

function fileEntry(resource: FileResource, database: string): FileEntry {
  const { id, path, title, description, format, mediatype, bytes, hash } = resource;
  const known = { path, title, description, format, mediaType: mediatype, sizeBytes: parseAmount(bytes), hash };
  return { kind: 'file', id, database, name: nameOf(resource), ...withoutAbsent(known), resource };
}

function nameOf({ id, name, path }: FileResource): string {
  return path?.slice(path.lastIndexOf('/') + 1).trim() || name?.trim() || id;
}

type Told<T> = { [K in keyof T]?: NonNullable<T[K]> };

function withoutAbsent<T extends object>(known: T): Told<T> {
  const told: Told<T> = {};
  for (const name in known) {
    const value = known[name];
    if (value !== undefined && value !== null) told[name] = value;
  }
  return told;
}

/** Reads the answer to a submission (§4.5): the transfer's id in its canonical form. */
export function readAccepted(json: unknown): string {
  const id = canonicalUuid(parse(transferAcceptedSchema, json).id);
  if (id === undefined) throw new UnreadableAnswer('the id of the transfer is not a UUID');
  return id;
}

/** Reads a transfer's status (§2.4); absent and null are absent, and so is a count that cannot be one (D39). */
export function readStatus(json: unknown): TransferStatus {
  const told = isTransferStatus(json) ? json : parse(transferStatusSchema, json);
  const { id, status, message, num_files, num_files_transferred } = told;
  const [fileCount, movedFileCount] = [num_files, num_files_transferred].map(parseAmount);
  return withoutAbsent({ id, status, message, fileCount, movedFileCount });
}

/** Reads the search parameters of a database (D26); those without a type are passed over. */
export function readSearchParameters(json: unknown): Readonly<Record<string, SearchParameter>> {
  if (!isJsonObject(json)) throw new UnreadableAnswer('the answer is not an object');
  return Object.fromEntries(
    Object.entries(json).flatMap(([name, element]) => {
      const parsed = searchParameterSchema.safeParse(element);
      return parsed.success ? [[name, searchParameter(parsed.data)] as const] : [];
    }),
  );
}

function searchParameter({ type, value }: z.infer<typeof searchParameterSchema>): SearchParameter {
  return { type, values: Array.isArray(value) ? (value as unknown[]) : [] };
}

function parse<T extends z.ZodMiniType>(schema: T, json: unknown): z.output<T> {
  const parsed = schema.safeParse(json);
  if (parsed.success) return parsed.data;
  const path = parsed.error.issues[0]?.path.map(String).join('.') ?? '';
  throw new UnreadableAnswer(
    path === '' ? 'the answer has an unexpected form' : `the answer's "${path}" is not of the expected type`,
  );
}
