import type { FileResource } from '../../contract/fileResource.ts';
import { isJsonObject, type JsonObject } from '../../core/util/json.ts';
import { toFileId } from '../../core/util/fileId.ts';
import { getMediaType } from './mediaTypes.ts';
import { getBaseName } from './pathOrder.ts';

/** A file found by a scan. */
export interface ScannedFile {
  /** Path relative to the database's folder or remote, with `/` as the separator. */
  readonly path: string;
  readonly bytes: number;
  /** Milliseconds since 1970, with fractions; `-Infinity` if the store doesn't report the time. */
  readonly modifiedMs: number;
  /** Metadata from a Data Package or a store, as the text of a JSON object. Absent if there is none. */
  readonly metadata?: string;
}

/** A file that was read completely, with its properties at that time. */
export interface HashedFile extends ScannedFile {
  /** SHA-256 of the content, in hex. */
  readonly sha256: string;
}

/** A file whose stored hash changes. */
export interface HashUpdate extends ScannedFile {
  /** SHA-256 of the content, in hex; null to remove a stored hash that turned out to be wrong. */
  readonly sha256: string | null;
}

/** A file of a catalog, with the metadata that its Data Package declares. */
export interface CatalogFile extends ScannedFile {
  /** The ID declared by the file's Data Package or used in the request. If absent, the path determines the ID. */
  readonly id?: string;
  /** The format in the metadata or, failing that, the file extension; empty if there is neither. */
  readonly format: string;
  /** Hash in hex; absent unless the file was read completely and hasn't changed since (D22: staged means hashed). */
  readonly sha256?: string | undefined;
}

/** Returns the metadata that a file's Data Package declares; an empty object if there is none. */
export function parseMetadata({ metadata }: ScannedFile): JsonObject {
  const value: unknown = metadata === undefined ? {} : JSON.parse(metadata);
  return isJsonObject(value) ? value : {};
}

/** Returns the ID that a file's Data Package declares, if any. */
export function getDeclaredId(file: ScannedFile): string | undefined {
  return file.metadata?.includes('"id":') ? toText(parseMetadata(file)['id']) : undefined;
}

/**
 * Converts a file to the file resource that clients receive: a valid data resource (§2.3, D20: folders as databases).
 */
export function toFileResource(file: CatalogFile): FileResource {
  const metadata = parseMetadata(file);
  const fileName = getBaseName(file.path);
  const hash = file.sha256 === undefined ? metadata['hash'] : `sha256:${file.sha256}`;
  return {
    ...metadata,
    id: file.id ?? toFileId(file.path),
    name: toResourceName(toText(metadata['name']) ?? fileName),
    path: file.path,
    title: toText(metadata['title']) ?? fileName,
    ...(file.format === '' ? {} : { format: file.format }),
    mediatype: toText(metadata['mediatype']) ?? getMediaType(file.format),
    bytes: file.bytes,
    ...(typeof hash === 'string' ? { hash } : {}),
    ...formatModified(file.modifiedMs),
  };
}

function toText(value: unknown): string | undefined {
  return typeof value === 'string' ? value : undefined;
}

function formatModified(modifiedMs: number): { modified?: string } {
  const time = new Date(modifiedMs);
  return Number.isNaN(time.getTime()) ? {} : { modified: time.toISOString() };
}

/** Converts a name to a valid data resource name: lowercase letters, digits and `-._/` only. */
function toResourceName(name: string): string {
  if (/^[-a-z0-9._/]+$/.test(name)) return name;
  const plain = name
    .normalize('NFKD')
    .replace(/\p{M}+/gu, '')
    .toLowerCase();
  return plain.replace(/[^-a-z0-9._/]+/g, '_');
}
