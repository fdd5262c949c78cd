import type { FileResource } from '../../contract/contract.ts';
import { toFileId } from '../../core/util/fileId.ts';
import { isJsonObject, parseJsonObject, type JsonObject } from '../../core/util/json.ts';
import type { LeftOutKind } from '../../core/util/leftOut.ts';
import { addInheritedFields } from '../../core/util/packageFields.ts';

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
  /** The fields that the file gets from its folder, as JSON text; absent if there are none. */
  readonly folderFields?: string | undefined;
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

/** Converts a file to a valid data resource (§2.3, D20: folders as databases). */
export function toFileResource(file: CatalogFile): FileResource {
  const metadata = addFolderFields(parseMetadata(file), file.folderFields);
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

/** A file that has credit, or whose package is described, keeps its own. */
function addFolderFields(own: JsonObject, folderFields: string | undefined): JsonObject {
  if (folderFields === undefined) return own;
  const { credit, ...others } = parseJsonObject(folderFields) ?? {};
  const isCredited = ['credit', 'package', 'contributors'].some((name) => own[name] !== undefined);
  return addInheritedFields(own, isCredited ? others : { credit, ...others });
}

function toText(value: unknown): string | undefined {
  return typeof value === 'string' ? value : undefined;
}

/** Returns the field of a resource for a modification time in milliseconds since 1970, unless it is unknown. */
export function formatModified(modifiedMs = NaN): { modified?: string } {
  const time = new Date(modifiedMs);
  return Number.isNaN(time.getTime()) ? {} : { modified: time.toISOString() };
}

/** Restricts a name to lowercase letters, digits and `-._/`. */
function toResourceName(name: string): string {
  if (/^[-a-z0-9._/]+$/.test(name)) return name;
  const plain = name
    .normalize('NFKD')
    .replace(/\p{M}+/gu, '')
    .toLowerCase();
  return plain.replace(/[^-a-z0-9._/]+/g, '_');
}

const mediaTypes: Readonly<Record<string, string>> = {
  avif: 'image/avif',
  bam: 'application/octet-stream',
  bmp: 'image/bmp',
  bz2: 'application/x-bzip2',
  css: 'text/css',
  csv: 'text/csv',
  doc: 'application/msword',
  docx: 'application/vnd.openxmlformats-officedocument.wordprocessingml.document',
  fa: 'text/plain',
  fasta: 'text/plain',
  fastq: 'text/plain',
  geojson: 'application/geo+json',
  gff: 'text/plain',
  gif: 'image/gif',
  gz: 'application/gzip',
  h5: 'application/x-hdf5',
  hdf5: 'application/x-hdf5',
  html: 'text/html',
  ipynb: 'application/x-ipynb+json',
  jpeg: 'image/jpeg',
  jpg: 'image/jpeg',
  js: 'text/javascript',
  json: 'application/json',
  jsonl: 'application/jsonl',
  md: 'text/markdown',
  mp3: 'audio/mpeg',
  mp4: 'video/mp4',
  nc: 'application/x-netcdf',
  parquet: 'application/vnd.apache.parquet',
  pdf: 'application/pdf',
  png: 'image/png',
  py: 'text/x-python',
  r: 'text/plain',
  rtf: 'application/rtf',
  svg: 'image/svg+xml',
  tar: 'application/x-tar',
  tif: 'image/tiff',
  tiff: 'image/tiff',
  tsv: 'text/tab-separated-values',
  txt: 'text/plain',
  vcf: 'text/plain',
  wav: 'audio/wav',
  webp: 'image/webp',
  xls: 'application/vnd.ms-excel',
  xlsx: 'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet',
  xml: 'application/xml',
  xz: 'application/x-xz',
  yaml: 'application/yaml',
  yml: 'application/yaml',
  zip: 'application/zip',
  zst: 'application/zstd',
};

const compressions: ReadonlySet<string> = new Set(['bz2', 'gz', 'xz', 'zst']);

/** Returns the extension in lowercase, such as `csv` or `fastq.gz`; empty if there is none. */
export function getFormat(fileName: string): string {
  const name = fileName.toLowerCase();
  const dot = name.lastIndexOf('.');
  if (dot < 0) return '';
  const last = name.slice(dot + 1);
  const innerDot = compressions.has(last) ? name.lastIndexOf('.', dot - 1) : -1;
  const inner = innerDot < 0 ? '' : name.slice(innerDot + 1, dot);
  return inner === '' ? last : `${inner}.${last}`;
}

function getMediaType(format: string): string {
  const suffix = format.split('.').at(-1) ?? '';
  return (Object.hasOwn(mediaTypes, suffix) ? mediaTypes[suffix] : undefined) ?? 'application/octet-stream';
}

const mayDiffer = /[\uD800-\uFFFF]/;

/** Compares two paths by their UTF-8 bytes, as SQLite does. Walks and catalog rows therefore have the same order. */
export function comparePaths(one: string, other: string): number {
  if (one === other) return 0;
  if (mayDiffer.test(one) && mayDiffer.test(other)) return Buffer.compare(Buffer.from(one), Buffer.from(other));
  return one < other ? -1 : 1;
}

/** Sorts an array of paths in place, in the order of {@link comparePaths}, and returns it. */
export function sortPaths(paths: string[]): string[] {
  return paths.some((path) => mayDiffer.test(path)) ? paths.sort(comparePaths) : paths.sort();
}

/** A range of paths greater than `from` and less than `to`. */
export interface PathRange {
  readonly from: string;
  readonly to: string | Uint8Array;
}

/** A value greater than every path, because SQLite sorts text before blobs. */
const afterAllTexts = new Uint8Array();

/** Returns the range of all paths below a folder, or of all paths if `folder` is empty. */
export function getRangeBelow(folder: string): PathRange {
  return folder === '' ? { from: '', to: afterAllTexts } : { from: `${folder}/`, to: `${folder}0` };
}

/** Returns a path's parent folder; empty for a path at the root. */
export function getParentFolder(path: string): string {
  return path.slice(0, Math.max(0, path.lastIndexOf('/')));
}

/** Returns the last part of a path. */
export function getBaseName(path: string): string {
  return path.slice(path.lastIndexOf('/') + 1);
}

/** A name that a listing leaves out. */
export interface LeftOutName {
  readonly path: string;
  readonly kind: LeftOutKind;
}

const uncounted = /\.part-[0-9a-f-]{36}(?:\/|$)|(?:^|\/)\.DS_Store$/;

/** Returns true for paths that are left out without being counted: unfinished copies, and view settings of macOS. */
export function isUncounted(path: string): boolean {
  return uncounted.test(path);
}

/**
 * Names that data formats prescribe, after their dot: those of Zarr 2 and BIDS. All other names with a leading dot
 * belong to programs, which also keep keys in them, so they aren't served (D20: folders as databases).
 */
export const dataNames = ['zarray', 'zgroup', 'zattrs', 'zmetadata', 'bidsignore'] as const;
const hiddenStart = new RegExp(`(?:^|/)\\.(?!(?:${dataNames.join('|')})$)[^/]*`);

/**
 * Returns the first hidden name of a path, with the path to it; undefined for a path without one. Hidden are names with
 * a leading dot, except those of files that {@link dataNames} lists.
 */
export function findHiddenPath(path: string): string | undefined {
  const match = path.includes('.') ? hiddenStart.exec(path) : null;
  return match ? path.slice(0, match.index + match[0].length) : undefined;
}
