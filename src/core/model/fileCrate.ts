import type { JsonObject } from '../util/json.ts';
import { createCrate, describeFile, encodeSegment } from './crateEntities.ts';
import { formatOmissions, type Omission } from './exportOmissions.ts';
import type { RecordedFile } from './fileExport.ts';
import type { SearchQuery } from './searchQuery.ts';

interface FileList {
  readonly files: readonly RecordedFile[];
  /** The search that found the files; absent for a selection. */
  readonly query?: SearchQuery;
  readonly omissions: readonly Omission[];
}

interface ListContext {
  readonly serviceName: string;
  /** The time of the export, in milliseconds since the Unix epoch. */
  readonly now: number;
}

/**
 * Creates an RO-Crate 1.2 metadata document for the files of a search or a selection. The files aren't in the crate's
 * folder. Their IDs are local to the document, so that readers don't look for the files on disk.
 */
export function createFileCrate(list: FileList, { serviceName, now }: ListContext): JsonObject {
  const databases = listDatabases(list);
  const source = databases.join(', ') || serviceName;
  const root = { name: createName(list, source), description: describeList(list, serviceName), source, now };
  const entities = list.files.map(createEntity);
  const hasPart = entities.map((entity) => ({ '@id': entity['@id'] }));
  return createCrate(root, { hasPart }, [...databases.map((name) => createDatabase(name, serviceName)), ...entities]);
}

function listDatabases({ files, query }: FileList): readonly string[] {
  const names = [query?.database ?? '', ...files.map(({ database = '' }) => database)];
  return [...new Set(names.filter(Boolean))];
}

function createName({ query, files }: FileList, source: string): string {
  if (!query) return `${files.length} selected ${files.length === 1 ? 'file' : 'files'} of ${source}`;
  if (query.ids) return `Files of ${source}, requested by ID`;
  return query.query === '' ? `Files of ${source}` : `Files of ${source} found by searching for "${query.query}"`;
}

function describeList({ query, omissions }: FileList, serviceName: string): string {
  const terms = { status: query?.status, ...query?.specific };
  const filter = JSON.stringify(terms);
  const filtered = filter === '{}' ? '' : ` Filters: ${filter}.`;
  return [`Metadata of files that ${serviceName} lists.${filtered}`, ...formatOmissions(omissions)].join(' ');
}

function createDatabase(name: string, serviceName: string): JsonObject {
  const description = `A database of ${serviceName}.`;
  return { '@id': getDatabaseId(name), '@type': 'RepositoryCollection', name, description };
}

function createEntity(file: RecordedFile, index: number): JsonObject {
  const { id, name, path, database = '' } = file;
  return {
    '@id': `#file-${index + 1}`,
    '@type': 'File',
    name: name ?? path ?? id ?? '',
    ...describeFile(file),
    ...(path !== undefined && { localPath: path }),
    ...(database !== '' && { isPartOf: { '@id': getDatabaseId(database) } }),
  };
}

function getDatabaseId(name: string): string {
  return `#database-${encodeSegment(name)}`;
}
