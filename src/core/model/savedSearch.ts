import { isJsonObject, type JsonObject } from '../util/json.ts';
import type { FileEntry, FoundFile } from './fileEntry.ts';
import { stagingFields, type ResultOrder, type SearchQuery } from './searchModel.ts';

/** A search saved for the window's next session (D59: saved searches). */
export interface SavedSearch {
  readonly key: string;
  readonly connectionId: string;
  readonly query: SearchQuery;
  readonly order: ResultOrder;
  readonly isCollapsed: boolean;
  /** The ID of the batch that contains this search; absent if there is none. */
  readonly batchId?: string;
  readonly mayHaveMore: boolean;
  /** The time at which the last page was loaded, in milliseconds since 1970. */
  readonly loadedAt?: number;
  readonly files: readonly FileEntry[];
  readonly checked: readonly FileEntry[];
  /** The requested IDs that the service does not know. */
  readonly unknownIds: readonly string[];
}

/** The format version that {@link formatSavedSearch} writes. Files in other formats count as damaged. */
const format = 1;

const maxFiles = 1000;

type Saveable = Omit<SavedSearch, 'files'> & { readonly files: readonly FoundFile[] };

/** Formats a search and up to 1,000 results as JSON. Saved searches are in the order of `openedAt`. */
export function formatSavedSearch({ files, checked, ...search }: Saveable, openedAt: number): string {
  const readable = files.filter((file) => file.kind === 'file');
  const summaries = readable.slice(0, maxFiles).map(summarize);
  const isCut = readable.length > maxFiles;
  const mayHaveMore = search.mayHaveMore || isCut;
  return JSON.stringify({
    format,
    openedAt,
    ...search,
    mayHaveMore,
    files: summaries,
    checked: checked.map(summarize),
  });
}

/** Returns a copy of a file with only the properties that its row or a transfer needs. */
function summarize({
  id,
  name,
  path,
  title,
  format: type,
  mediaType,
  sizeBytes,
  hash,
  resource,
}: FileEntry): JsonObject {
  const staging = stagingFields.filter((field) => Object.hasOwn(resource, field));
  const facts = { id, name, path, title, format: type, mediaType, sizeBytes, hash };
  return staging.length === 0 ? facts : { ...facts, resource: pick(resource, staging) };
}

/** Parses a saved search. Returns undefined if the text is damaged or has another format. */
export function parseSavedSearch(text: string): (SavedSearch & { readonly openedAt: number }) | undefined {
  const value = parseJson(text);
  if (!isJsonObject(value) || value['format'] !== format) return undefined;
  const { key, connectionId, order, openedAt, loadedAt, isCollapsed, batchId, mayHaveMore, unknownIds } = value;
  const query = parseQuery(value['query']);
  if (!query || typeof key !== 'string' || typeof connectionId !== 'string' || typeof openedAt !== 'number')
    return undefined;
  return {
    key,
    connectionId,
    query,
    openedAt,
    order: order === 'name' || order === 'size' ? order : 'relevance',
    isCollapsed: isCollapsed === true,
    mayHaveMore: mayHaveMore !== false,
    files: parseFiles(value['files'], query.database),
    checked: parseFiles(value['checked'], query.database),
    unknownIds: isTexts(unknownIds) ? unknownIds : [],
    ...(typeof loadedAt === 'number' && { loadedAt }),
    ...(typeof batchId === 'string' && { batchId }),
  };
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

function parseQuery(value: unknown): SearchQuery | undefined {
  if (!isJsonObject(value)) return undefined;
  const { database, query, status, pageSize, specific, ids } = value;
  const isValid =
    typeof database === 'string' && typeof query === 'string' && Number.isInteger(pageSize) && Number(pageSize) > 0;
  if (!isValid || (ids !== undefined && (!isTexts(ids) || ids.length === 0))) return undefined;
  return {
    database,
    query,
    pageSize: Number(pageSize),
    ...((status === 'staged' || status === 'unstaged') && { status }),
    ...(isJsonObject(specific) && { specific }),
    ...(ids !== undefined && { ids }),
  };
}

function parseFiles(value: unknown, database: string): readonly FileEntry[] {
  return Array.isArray(value) ? value.flatMap((file: unknown) => parseFile(file, database) ?? []) : [];
}

const textFields = ['path', 'title', 'format', 'mediaType', 'hash'];

function parseFile(value: unknown, database: string): FileEntry | undefined {
  if (!isJsonObject(value)) return undefined;
  const { id, name, sizeBytes, resource } = value;
  if (typeof id !== 'string' || typeof name !== 'string') return undefined;
  return {
    ...pick(
      value,
      textFields.filter((field) => typeof value[field] === 'string'),
    ),
    kind: 'file',
    id,
    name,
    database,
    isSummary: true,
    ...(typeof sizeBytes === 'number' && { sizeBytes }),
    resource: isJsonObject(resource) ? resource : {},
  };
}

function pick(object: JsonObject, fields: readonly string[]): JsonObject {
  return Object.fromEntries(fields.map((field) => [field, object[field]]));
}

function isTexts(value: unknown): value is readonly string[] {
  return Array.isArray(value) && value.every((one) => typeof one === 'string');
}
