import type { FileResource } from '../../contract/fileResource.ts';
import { isJsonObject, type JsonObject } from '../../core/util/json.ts';
import { fileIdOf } from './fileId.ts';
import { mediaTypeOf } from './mediaTypes.ts';
import { nameOfPath } from './pathOrder.ts';

/** What a walk sees of a file. */
export interface FoundFile {
  /** Relative to the database's folder, parted by `/`. */
  readonly path: string;
  readonly bytes: number;
  /** Milliseconds since 1970, with fractions. */
  readonly modifiedMs: number;
  /** From a Data Package, as the text of a JSON object; absent when none names the file. */
  readonly metadata?: string;
}

/** A file that was read whole, as it was then. */
export interface HashedFile extends FoundFile {
  /** Hex. */
  readonly sha256: string;
}

/** A file whose hash is to be kept, or to be forgotten. */
export interface ReadFile extends FoundFile {
  /** Hex; null where what is held of it has turned out to be wrong. */
  readonly sha256: string | null;
}

/** A file as the catalogue keeps it. */
export interface CatalogFile extends FoundFile {
  /** The id that its Data Package declares, or that it was asked for by; absent where its path alone gives the id. */
  readonly id?: string;
  /** From the suffix or the metadata; empty when neither tells. */
  readonly format: string;
  /** Hex; there while the file has not changed since it was read whole (D22). */
  readonly sha256?: string;
}

/** The metadata of a file; without any, an empty object. */
export function metadataOf({ metadata }: FoundFile): JsonObject {
  const value: unknown = metadata === undefined ? {} : JSON.parse(metadata);
  return isJsonObject(value) ? value : {};
}

/** Returns the id that the Data Package of a file declares for it; undefined when there is none. */
export function declaredIdOf(file: FoundFile): string | undefined {
  return file.metadata?.includes('"id":') ? textOf(metadataOf(file)['id']) : undefined;
}

/** The wire form of a file: a valid data resource (§2.3, D20). */
export function resourceOf(file: CatalogFile): FileResource {
  const metadata = metadataOf(file);
  const fileName = nameOfPath(file.path);
  const hash = file.sha256 === undefined ? metadata['hash'] : `sha256:${file.sha256}`;
  return {
    ...metadata,
    id: file.id ?? fileIdOf(file.path),
    name: slugOf(textOf(metadata['name']) ?? fileName),
    path: file.path,
    title: textOf(metadata['title']) ?? fileName,
    ...(file.format === '' ? {} : { format: file.format }),
    mediatype: textOf(metadata['mediatype']) ?? mediaTypeOf(file.format),
    bytes: file.bytes,
    ...(typeof hash === 'string' ? { hash } : {}),
    ...modifiedOf(file.modifiedMs),
  };
}

function textOf(value: unknown): string | undefined {
  return typeof value === 'string' ? value : undefined;
}

function modifiedOf(modifiedMs: number): { modified?: string } {
  const time = new Date(modifiedMs);
  return Number.isNaN(time.getTime()) ? {} : { modified: time.toISOString() };
}

/** A name that a data resource may have: small letters, digits and `-._/` only. */
function slugOf(name: string): string {
  if (/^[-a-z0-9._/]+$/.test(name)) return name;
  const plain = name
    .normalize('NFKD')
    .replace(/\p{M}+/gu, '')
    .toLowerCase();
  return plain.replace(/[^-a-z0-9._/]+/g, '_');
}
