import type { JsonObject } from '../util/json.ts';
import { getSha256, type RecordedFile } from './fileExport.ts';

/** The name under which an RO-Crate is recognized, in the folder that it describes. */
export const roCrateName = 'ro-crate-metadata.json';

const licenseId = '#license';

/** The fields that every RO-Crate contains about itself. */
export interface CrateRoot {
  readonly name: string;
  readonly description: string;
  /** The databases that state the license. */
  readonly source: string;
  /** The time of the export, in milliseconds since 1970. */
  readonly now: number;
}

/** Creates the RO-Crate 1.2 metadata document of a data set with `properties` and the other entities. */
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

/** Refers to the license of the source, because the extension doesn't know it. */
function createLicense({ source }: CrateRoot): JsonObject {
  const description = `The license of each file is stated by ${source || 'its source'}. Check it before reuse.`;
  return { '@id': licenseId, '@type': 'CreativeWork', name: 'License of the source', description };
}

/** Describes a file by its size, format, hash and ID. */
export function describeFile(file: RecordedFile): JsonObject {
  const { id, sizeBytes, mediaType } = file;
  const sha256 = getSha256(file);
  return {
    ...(id !== undefined && { identifier: id }),
    ...(sizeBytes !== undefined && { contentSize: String(sizeBytes) }),
    ...(mediaType !== undefined && { encodingFormat: mediaType }),
    ...(sha256 !== undefined && { sha256 }),
  };
}

/** Encodes a part of a URI. Lone surrogates, which no URI can contain, are replaced. */
export function encodeSegment(text: string): string {
  return encodeURIComponent(text.replace(/\p{Surrogate}/gu, '\ufffd'));
}

/** Formats a time in milliseconds since 1970 as ISO 8601. */
export function formatTime(at: number): string {
  return new Date(at).toISOString();
}
