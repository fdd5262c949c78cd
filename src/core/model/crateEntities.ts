import type { JsonObject } from '../util/json.ts';
import { getHash, type RecordedFile } from './fileExport.ts';

/** The file name that the RO-Crate specification requires for the metadata document. */
export const roCrateName = 'ro-crate-metadata.json';

const licenseId = '#license';

/** The facts that every RO-Crate states about its root dataset. */
export interface CrateRoot {
  readonly name: string;
  readonly description: string;
  /** The names of the databases, or the name of the service, that state the files' licenses; empty if unknown. */
  readonly source: string;
  /** The time of the export, in milliseconds since the Unix epoch. */
  readonly now: number;
}

/** Creates an RO-Crate 1.2 metadata document. Adds `properties` to the root dataset, and `entities` to the graph. */
export function createCrate(root: CrateRoot, properties: JsonObject, entities: readonly JsonObject[]): JsonObject {
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
export function describeFile(file: RecordedFile): JsonObject {
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
export function encodeSegment(text: string): string {
  return encodeURIComponent(text.replace(/\p{Surrogate}/gu, '\ufffd'));
}

/** Formats a time in milliseconds since 1970 as ISO 8601. */
export function formatTime(at: number): string {
  return new Date(at).toISOString();
}
