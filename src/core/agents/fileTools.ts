import * as z from 'zod/mini';
import { readLicenses } from '../citations/creditText.ts';
import { catchRefusal, type OpenConnection } from '../connections/openConnections.ts';
import type { Database, StoreListing } from '../model/databaseModel.ts';
import type { FileEntry, FoundFile } from '../model/fileEntry.ts';
import { getReportedStaging } from '../model/searchModel.ts';
import { findDatabase } from '../recipes/parseRecipe.ts';
import { findNearestName } from '../recipes/nearestName.ts';
import type { JsonObject } from '../util/json.ts';
import type { AgentContext } from './agentContext.ts';
import { AgentError } from './agentError.ts';
import {
  createRows,
  databaseField,
  defineTool,
  idField,
  maxIdLength,
  maxRows,
  queryFields,
  toDataLine,
} from './agentTool.ts';

/** Lists the databases of the connected service. */
export const listDatabasesTool = defineTool({
  name: 'list_databases',
  title: 'List Databases',
  description:
    'Lists the databases of the connected data transfer service: names for the other tools, organizations, and which ' +
    'ones are read-only and therefore cannot be destinations. Call it first.',
  isReadOnly: true,
  input: z.strictObject({}),
  run: async (context, _, signal) => {
    const session = await context.connect();
    const databases = await requestDatabases(session, signal);
    const { name, address } = session.service;
    const rows = createRows('databases', databases.map(toRow), 'Ask the user for the name of the database.');
    return { service: address, ...rows, data: { serviceName: toDataLine(name), ...(rows['data'] as JsonObject) } };
  },
});

/** Returns a database as a row, with its ID if its name can't be shown unchanged as one plain line. */
function toRow({ id, name, organization, readOnly, listing }: Database): JsonObject {
  const line = toDataLine(name);
  return {
    name: line,
    ...(line !== name && { id: toDataLine(id) }),
    ...(organization !== '' && { organization: toDataLine(organization) }),
    ...(readOnly && { readOnly }),
    ...(listing && { listing: listing.state, files: listing.files }),
    ...(listing?.asOf !== undefined && { asOf: listing.asOf }),
    ...(listing?.leftOut && { leftOut: listing.leftOut }),
  };
}

const maxOffset = 1_000_000;

/** Returns the files of a database that match a query. */
export const searchFilesTool = defineTool({
  name: 'search_files',
  title: 'Search Files',
  description:
    'Searches one database for files; at most 20 rows with id, path, size and format. Narrow the query instead of ' +
    'paging: plan_transfer takes a query too, so the IDs of all files are not needed.',
  isReadOnly: true,
  input: z.strictObject({
    database: databaseField,
    ...queryFields,
    query: z.optional(queryFields.query),
    offset: z.optional(
      z.int().check(z.gte(0), z.lte(maxOffset), z.multipleOf(maxRows), z.describe(`A multiple of ${maxRows}.`)),
    ),
    cursor: z.optional(z.string()),
  }),
  run: async (context, { database, offset = 0, cursor, query = '', ...filters }, signal) => {
    const session = await context.connect();
    if (cursor !== undefined && !session.service.hasFullPages)
      throw new AgentError('badInput', 'This service has no cursors. Use offset instead.');
    const { name } = await requireDatabase(context, session, database, signal);
    const orcid = context.getOrcid(session.connection.id);
    // Request as many rows as an answer can have, because `offset` must be a multiple of `limit` (D9: paging).
    const position = cursor === undefined ? { offset } : { cursor };
    const request = { ...filters, database: name, orcid, query, ...position, limit: maxRows };
    const reply = await catchRefusal(session.client.search(request, signal));
    if (!reply.value || reply.reason) throw new AgentError('requestFailed', "The search didn't succeed.", reply.reason);
    const { value } = reply;
    const mayHaveMore = session.service.hasFullPages ? value.length >= maxRows : value.length > 0;
    const next = reply.cursor === undefined ? { nextOffset: offset + maxRows } : { cursor: reply.cursor };
    const result = createResult(value, next, mayHaveMore, toListingData(context, reply.listing));
    return { ...result, ...(reply.leftOut && { leftOut: reply.leftOut }) };
  },
});

/** Returns a sentence about a store's listing that is old or incomplete, for the `data` of an answer. */
export function toListingData(
  { describeListing }: AgentContext,
  listing: StoreListing | undefined,
): { readonly listing?: string } {
  const text = listing && describeListing(listing);
  return text === undefined ? {} : { listing: toDataLine(text) };
}

function createResult(
  page: readonly FoundFile[],
  next: JsonObject,
  mayHaveMore: boolean,
  notes: JsonObject,
): JsonObject {
  const rows = page.flatMap((file) => (file.kind === 'file' ? [toFileRow(file)] : []));
  const data = { files: rows.slice(0, maxRows), ...notes };
  if (!mayHaveMore) return { data, more: 0 };
  const more = rows.length > maxRows ? `at least ${rows.length - maxRows}` : 'unknown';
  const way = 'cursor' in next ? 'with this cursor' : 'at nextOffset until a page has nothing new';
  return { data, more, ...next, hint: `There may be more files. Narrow the query, or continue ${way}.` };
}

/** Returns the metadata of the files with the given IDs. */
export const describeFilesTool = defineTool({
  name: 'describe_files',
  title: 'Describe Files',
  description:
    'Returns the metadata of up to 20 files by ID: title, description, size, hash, licenses. Lists IDs without ' +
    'readable metadata as missing.',
  isReadOnly: true,
  input: z.strictObject({
    database: databaseField,
    ids: z.array(idField).check(z.minLength(1), z.maxLength(maxRows)),
  }),
  run: async (context, { database, ids }, signal) => {
    const session = await context.connect();
    const { name } = await requireDatabase(context, session, database, signal);
    const { metadataFlow } = context.services;
    const { files, reason, listing } = await metadataFlow.fetchFiles(session.connection.id, name, ids, signal);
    const found = files.flatMap((file) => (file.kind === 'file' ? [file] : []));
    const failure = reason?.kind === 'notFound' ? undefined : reason;
    if (failure && !failure.isIdAtFault && found.length === 0)
      throw new AgentError('requestFailed', "The metadata couldn't be fetched.", failure);
    const known = new Set(found.map(({ id }) => id));
    const cause = failure && { reason: toDataLine(context.describeReason(failure)) };
    const data = { files: found.map(toFileDetails), ...cause, ...toListingData(context, listing) };
    return { data, missing: ids.filter((id) => !known.has(id)), ...(failure && { note: doubt }) };
  },
});

const doubt = "Some of the missing files couldn't be looked up, so they may exist.";

const maxDescriptionLength = 500;

/** Returns a file as a row; an unknown size as `unknown`, the ID shortened only if longer than the tools accept. */
export function toFileRow(file: FileEntry): JsonObject {
  const { id, path, name, sizeBytes, format } = file;
  const staging = getReportedStaging(file);
  return {
    id: id.length > maxIdLength ? toDataLine(id, maxIdLength) : id,
    path: toDataLine(path ?? name),
    bytes: sizeBytes ?? 'unknown',
    ...(format !== undefined && { format: toDataLine(format, 40) }),
    ...(staging && { staging }),
  };
}

/** Returns the metadata that an agent needs to decide whether to transfer a file. */
export function toFileDetails(file: FileEntry): JsonObject {
  const { title, description, mediaType, hash, resource } = file;
  const licenses = readLicenses(resource).map(({ name }) => toDataLine(name));
  return {
    ...toFileRow(file),
    ...(title !== undefined && { title: toDataLine(title) }),
    ...(description !== undefined && { description: toDataLine(description, maxDescriptionLength) }),
    ...(mediaType !== undefined && { mediaType: toDataLine(mediaType, 80) }),
    hash: hash === undefined ? 'unknown' : toDataLine(hash),
    licenses: licenses.length === 0 ? 'not stated' : licenses,
  };
}

/** Requests the list of a service's databases. Throws {@link AgentError} if the request fails. */
async function requestDatabases(session: OpenConnection, signal: AbortSignal): Promise<readonly Database[]> {
  const { value, reason } = await catchRefusal(session.client.databases(signal));
  if (reason) throw new AgentError('requestFailed', "The databases couldn't be listed.", reason);
  return value ?? [];
}

/**
 * Returns the database with this name or ID. Requests the list if the cached list doesn't contain the database, because
 * the service may have added the database since then. Throws {@link AgentError} if the databases can't be listed or if
 * there is no such database. In the latter case, the reason suggests a similar name, if there is one.
 */
export async function requireDatabase(
  { services }: AgentContext,
  session: OpenConnection,
  name: string,
  signal: AbortSignal,
): Promise<Database> {
  const { connectionStore, sessions } = services;
  const known = sessions.active === session ? findDatabase(connectionStore.listing.databases, name) : undefined;
  if (known) return known;
  const databases = await requestDatabases(session, signal);
  const found = findDatabase(databases, name);
  if (found) return found;
  const names = databases.map((one) => one.name);
  const nearest = findNearestName(name, names);
  const reason = nearest === undefined ? undefined : `The nearest name is "${toDataLine(nearest)}".`;
  throw new AgentError('notFound', `There is no database "${toDataLine(name)}"; list_databases has the names.`, reason);
}
