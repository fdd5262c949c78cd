import type { JsonObject } from '../util/json.ts';
import { parseOrcid } from '../util/orcid.ts';
import { getSha256, type RecordedFile } from './fileExport.ts';
import { hasEnded, type Transfer, type TransferFile } from './transferModel.ts';
import { getOutcome, getProgress } from './transferOutcome.ts';

/** The name under which an RO-Crate is recognized, in the folder that it describes. */
export const roCrateName = 'ro-crate-metadata.json';

interface CrateContext {
  /** Version of the extension. */
  readonly version: string;
  readonly serviceName: string;
  /** The time of the export, in milliseconds since 1970. */
  readonly now: number;
}

interface CrateSource {
  readonly transfer: Transfer;
  /** The transferred files, with paths relative to the folder of the crate. */
  readonly files: readonly RecordedFile[];
}

const instrumentId = 'https://github.com/data-transfer-explorer/data-transfer-explorer';
const actionId = '#transfer';
const databaseId = '#source-database';
const licenseId = '#license';

/**
 * Describes a transfer and its files as an RO-Crate 1.2 metadata document: the transfer is a `CreateAction` with its
 * agent, instrument, sources, results, times and status.
 */
export function createRoCrate(source: CrateSource, context: CrateContext): JsonObject {
  const files = source.files.filter(({ path }) => path !== undefined && path !== roCrateName);
  const contents = { ...source, files };
  const sources = new Map(source.transfer.order.files.map((file) => [file.id, file])).values();
  const filesById = new Map(files.map((file) => [file.id, file]));
  return {
    '@context': 'https://w3id.org/ro/crate/1.2/context',
    '@graph': [
      createDescriptor(),
      createRoot(contents, context),
      createAction(contents, context),
      createAgent(source.transfer),
      createInstrument(context),
      createDatabase(source.transfer, context),
      createLicense(source.transfer),
      ...[...sources].map((file) => createSource(file, filesById.get(file.id))),
      ...files.map(createFile),
    ],
  };
}

function createDescriptor(): JsonObject {
  const conformsTo = { '@id': 'https://w3id.org/ro/crate/1.2' };
  return { '@id': roCrateName, '@type': 'CreativeWork', about: { '@id': './' }, conformsTo };
}

function createRoot({ transfer, files }: CrateSource, { serviceName, now }: CrateContext): JsonObject {
  const { order, id = '' } = transfer;
  return {
    '@id': './',
    '@type': 'Dataset',
    identifier: id,
    name: `Files transferred from ${order.source || serviceName} (${id})`,
    description: order.description ?? `The files of a transfer by ${serviceName} to ${order.destination}.`,
    datePublished: formatTime(now),
    license: { '@id': licenseId },
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
    object: order.files.map(({ id }) => ({ '@id': getSourceId(id) })),
    result: files.map(toReference),
    startTime: formatTime(createdAt),
    ...(ended !== undefined && { endTime: formatTime(ended) }),
    ...describeStatus(transfer),
  };
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

/** Returns the address of the user's ORCID iD, or an ID of this document for a login name (D19: ORCID iD format). */
function getAgentId({ order }: Transfer): string {
  const orcid = parseOrcid(order.orcid);
  return orcid === undefined ? '#agent' : `https://orcid.org/${orcid}`;
}

function createInstrument({ version }: CrateContext): JsonObject {
  const name = 'Data Transfer Explorer';
  return { '@id': instrumentId, '@type': 'SoftwareApplication', name, url: instrumentId, version };
}

function createDatabase({ order }: Transfer, { serviceName }: CrateContext): JsonObject {
  const description = `A database of ${serviceName}.`;
  return { '@id': databaseId, '@type': 'RepositoryCollection', name: order.source || serviceName, description };
}

/** Explains that the license is that of the source: the extension does not know it. */
function createLicense({ order }: Transfer): JsonObject {
  const description = `The license of each file is stated by ${order.source || 'its source'}. Check it before reuse.`;
  return { '@id': licenseId, '@type': 'CreativeWork', name: 'License of the source', description };
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
  const { id, path = '', sizeBytes, mediaType } = file;
  const sha256 = getSha256(file);
  return {
    ...toReference(file),
    '@type': 'File',
    name: path.split('/').at(-1),
    ...(id !== undefined && { identifier: id }),
    ...(sizeBytes !== undefined && { contentSize: String(sizeBytes) }),
    ...(mediaType !== undefined && { encodingFormat: mediaType }),
    ...(sha256 !== undefined && { sha256 }),
  };
}

function toReference({ path = '' }: RecordedFile): { readonly '@id': string } {
  return { '@id': path.split('/').map(encodeSegment).join('/') };
}

function getSourceId(id: string): string {
  return `#source-${encodeSegment(id)}`;
}

/** Encodes a part of a URI. Lone surrogates, which no URI can contain, are replaced. */
function encodeSegment(text: string): string {
  return encodeURIComponent(text.replace(/\p{Surrogate}/gu, '\ufffd'));
}

function formatTime(at: number): string {
  return new Date(at).toISOString();
}
