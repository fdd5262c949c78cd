import type { JsonObject } from '../util/json.ts';
import { parseOrcid } from '../util/userIdentity.ts';
import { formatOmissions, getHash, type Omission, type RecordedFile } from './fileExport.ts';
import type { SearchQuery } from './searchModel.ts';
import { hasEnded, type Transfer, type TransferFile } from './transferModel.ts';
import { getOutcome, getProgress } from './transferOutcome.ts';

interface CrateContext {
  /** The version of the extension. */
  readonly version: string;
  readonly serviceName: string;
  /** The time of the export, in milliseconds since the Unix epoch. */
  readonly now: number;
}

/** A transfer and its files, which an RO-Crate describes. */
export interface CrateSource {
  readonly transfer: Transfer;
  /** The transferred files, with paths relative to the crate's folder. */
  readonly files: readonly RecordedFile[];
  readonly omissions: readonly Omission[];
}

/** The name of the product in every language. */
export const productName = 'Data Transfer Explorer';

const instrumentId = 'https://github.com/data-transfer-explorer/data-transfer-explorer';
const actionId = '#transfer';
const databaseId = '#source-database';

/**
 * Creates an RO-Crate 1.2 metadata document for a transfer and its files. The transfer is a `CreateAction` with its
 * agent, instrument, sources, results, times and status.
 */
export function createRoCrate(source: CrateSource, context: CrateContext): JsonObject {
  const files = source.files.filter(({ path }) => path !== undefined && path !== roCrateName);
  const contents = { ...source, files };
  const sources = new Map(source.transfer.order.files.map((file) => [file.id, file])).values();
  const filesById = new Map(files.map((file) => [file.id, file]));
  return createCrate(describeRoot(contents, context), describeContents(contents), [
    createAction(contents, context),
    createAgent(source.transfer),
    createInstrument(context),
    createDatabase(source.transfer, context),
    ...[...sources].map((file) => createSource(file, filesById.get(file.id))),
    ...files.map(createFile),
  ]);
}

function describeRoot({ transfer, omissions }: CrateSource, { serviceName, now }: CrateContext): CrateRoot {
  const { order, id } = transfer;
  const source = order.source || serviceName;
  const description = order.description || `The files of a transfer by ${serviceName} to ${order.destination}.`;
  return {
    name: `Files transferred from ${source}${id === undefined ? '' : ` (${id})`}`,
    description: [description, ...formatOmissions(omissions)].join(' '),
    source: order.source,
    now,
  };
}

function describeContents({ transfer, files }: CrateSource): JsonObject {
  const { id } = transfer;
  return {
    ...(id !== undefined && { identifier: id }),
    hasPart: files.map(toReference),
    mentions: { '@id': actionId },
  };
}

function createAction({ transfer, files }: CrateSource, { serviceName }: CrateContext): JsonObject {
  const { order, changes, createdAt, state } = transfer;
  const ended = hasEnded(state) ? changes.at(-1)?.at : undefined;
  return {
    '@id': actionId,
    '@type': 'CreateAction',
    name: `Transfer from ${order.source} to ${order.destination} by ${serviceName}`,
    agent: { '@id': getAgentId(transfer) },
    instrument: { '@id': instrumentId },
    object: listObjects(order.files),
    result: files.map(toReference),
    startTime: formatTime(createdAt),
    ...(ended !== undefined && { endTime: formatTime(ended) }),
    ...describeStatus(transfer),
  };
}

/** Returns references to the requested files or, as an action needs an object, to the database. */
function listObjects(files: readonly TransferFile[]): readonly JsonObject[] {
  const ids = new Set(files.map(({ id }) => getSourceId(id)));
  return [...(ids.size > 0 ? ids : [databaseId])].map((id) => ({ '@id': id }));
}

function describeStatus(transfer: Transfer): JsonObject {
  const outcome = getOutcome(transfer);
  if (outcome === undefined) return { actionStatus: { '@id': 'http://schema.org/ActiveActionStatus' } };
  if (outcome === 'complete') return { actionStatus: { '@id': 'http://schema.org/CompletedActionStatus' } };
  return { actionStatus: { '@id': 'http://schema.org/FailedActionStatus' }, error: describeError(transfer, outcome) };
}

function describeError(transfer: Transfer, outcome: string): string {
  const { moved, total } = getProgress(transfer);
  if (outcome === 'partial') return `${moved ?? 0} of ${total ?? 0} files were transferred.`;
  return transfer.status?.message ?? transfer.problem?.detail ?? outcome;
}

function createAgent(transfer: Transfer): JsonObject {
  const { orcid } = transfer.order;
  return { '@id': getAgentId(transfer), '@type': 'Person', ...(parseOrcid(orcid) === undefined && { name: orcid }) };
}

/** Returns the address of the user's ORCID iD or, for a login name, a local ID (D19: ORCID iD format). */
function getAgentId({ order }: Transfer): string {
  const orcid = parseOrcid(order.orcid);
  return orcid === undefined ? '#agent' : `https://orcid.org/${orcid}`;
}

function createInstrument({ version }: CrateContext): JsonObject {
  const name = productName;
  return { '@id': instrumentId, '@type': 'SoftwareApplication', name, url: instrumentId, version };
}

function createDatabase({ order }: Transfer, { serviceName }: CrateContext): JsonObject {
  const description = `A database of ${serviceName}.`;
  return { '@id': databaseId, '@type': 'RepositoryCollection', name: order.source || serviceName, description };
}

function createSource({ id, name }: TransferFile, file: RecordedFile | undefined): JsonObject {
  const isPartOf = { '@id': databaseId };
  const hasFile = file && toReference(file);
  return {
    '@id': getSourceId(id),
    '@type': 'RepositoryObject',
    identifier: id,
    name,
    isPartOf,
    ...(file && { hasFile }),
  };
}

function createFile(file: RecordedFile): JsonObject {
  return { ...toReference(file), '@type': 'File', name: file.path?.split('/').at(-1), ...describeFile(file) };
}

function toReference({ path = '' }: RecordedFile): { readonly '@id': string } {
  return { '@id': path.split('/').map(encodeSegment).join('/') };
}

function getSourceId(id: string): string {
  return `#source-${encodeSegment(id)}`;
}

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
  return createCrate(root, { hasPart }, [
    ...databases.map((name) => createNamedDatabase(name, serviceName)),
    ...entities,
  ]);
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

function createNamedDatabase(name: string, serviceName: string): JsonObject {
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

/** The file name that the RO-Crate specification requires for the metadata document. */
export const roCrateName = 'ro-crate-metadata.json';

const licenseId = '#license';

/** The facts that every RO-Crate states about its root dataset. */
interface CrateRoot {
  readonly name: string;
  readonly description: string;
  /** The names of the databases, or the name of the service, that state the files' licenses; empty if unknown. */
  readonly source: string;
  /** The time of the export, in milliseconds since the Unix epoch. */
  readonly now: number;
}

/** Creates an RO-Crate 1.2 metadata document. Adds `properties` to the root dataset, and `entities` to the graph. */
function createCrate(root: CrateRoot, properties: JsonObject, entities: readonly JsonObject[]): JsonObject {
  return {
    '@context': 'https://w3id.org/ro/crate/1.2/context',
    '@graph': [createDescriptor(), { ...createRoot(root), ...properties }, createLicense(root), ...entities],
  };
}

function createDescriptor(): JsonObject {
  const conformsTo = { '@id': 'https://w3id.org/ro/crate/1.2' };
  return { '@id': roCrateName, '@type': 'CreativeWork', about: { '@id': './' }, conformsTo };
}

function createRoot({ name, description, now }: CrateRoot): JsonObject {
  const license = { '@id': licenseId };
  return { '@id': './', '@type': 'Dataset', name, description, datePublished: formatTime(now), license };
}

/** Creates a license entity that only refers readers to the source of the files. */
function createLicense({ source }: CrateRoot): JsonObject {
  const description = `The license of each file is stated by ${source || 'its source'}. Check it before reuse.`;
  return { '@id': licenseId, '@type': 'CreativeWork', name: 'License of the source', description };
}

/** Returns the ID, size, format and SHA-256 hash of a file as RO-Crate properties. Omits unknown properties. */
function describeFile(file: RecordedFile): JsonObject {
  const { id, sizeBytes, mediaType } = file;
  const sha256 = getHash(file, 'sha256');
  return {
    ...(id !== undefined && { identifier: id }),
    ...(sizeBytes !== undefined && { contentSize: String(sizeBytes) }),
    ...(mediaType !== undefined && { encodingFormat: mediaType }),
    ...(sha256 !== undefined && { sha256 }),
  };
}

/** Percent-encodes a segment of a URI. Replaces lone surrogates, which can't be encoded. */
function encodeSegment(text: string): string {
  return encodeURIComponent(text.replace(/\p{Surrogate}/gu, '\ufffd'));
}

function formatTime(at: number): string {
  return new Date(at).toISOString();
}
