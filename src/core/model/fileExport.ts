import { formatRow, type Cell, type Separator } from '../util/csv.ts';
import { parseDeclaredHash } from '../util/declaredHash.ts';
import { toSafeLine } from '../util/visibleText.ts';
import type { Transfer } from './transferModel.ts';

/** A file as listed in an export: a search result or a transferred file. Unknown properties are absent. */
export interface RecordedFile {
  readonly id?: string;
  readonly name?: string;
  readonly path?: string;
  readonly sizeBytes?: number;
  /** The hash as the database declares it. */
  readonly hash?: string;
  readonly mediaType?: string;
  readonly database?: string;
}

const columns: Readonly<Record<string, (file: RecordedFile) => Cell>> = {
  id: ({ id }) => id,
  name: ({ name }) => name,
  path: ({ path }) => path,
  bytes: ({ sizeBytes }) => sizeBytes,
  hash: ({ hash }) => hash,
  media_type: ({ mediaType }) => mediaType,
  database: ({ database }) => database,
};

/** Yields a header line, and then one line per file, with values separated by `separator`. */
export function* exportFiles(files: Iterable<RecordedFile>, separator: Separator): Generator<string> {
  yield formatRow(Object.keys(columns), separator);
  const cells = Object.values(columns);
  for (const file of files)
    yield formatRow(
      cells.map((cell) => cell(file)),
      separator,
    );
}

/** Returns the files that a checksum file can list: those with a hash of the algorithm and a path or name. */
export function filterChecksummed(
  files: readonly RecordedFile[],
  algorithm: ChecksumAlgorithm = 'sha256',
): readonly RecordedFile[] {
  return files.filter((file) => getHash(file, algorithm) !== undefined && getPlace(file) !== '');
}

/** Returns the algorithms of the files' hashes, in the order of {@link checksumAlgorithms}. */
export function listAlgorithms(files: readonly RecordedFile[]): readonly ChecksumAlgorithm[] {
  return checksumAlgorithms.filter((algorithm) => filterChecksummed(files, algorithm).length > 0);
}

/**
 * Yields files in the format that GNU coreutils read, such as `sha256sum -c`, after a comment for each omission. All
 * files must have a hash of the algorithm.
 */
export function* exportChecksums(
  files: readonly RecordedFile[],
  omissions: readonly Omission[],
  algorithm: ChecksumAlgorithm = 'sha256',
): Generator<string> {
  for (const remark of formatOmissions(omissions)) yield `# ${remark}\n`;
  for (const file of files) yield formatChecksum(getHash(file, algorithm) ?? '', getPlace(file));
}

/** Returns the hash of a file as hexadecimal digits; undefined if the database declares none of the algorithm. */
export function getHash({ hash }: RecordedFile, algorithm: ChecksumAlgorithm): string | undefined {
  const declared = parseDeclaredHash(hash);
  return declared?.algorithm === algorithm ? declared.hex : undefined;
}

function getPlace({ path, name = '' }: RecordedFile): string {
  return path ?? name;
}

const escapes: Readonly<Record<string, string>> = { '\\': '\\\\', '\n': '\\n', '\r': '\\r' };

/** Formats a line of a checksum file. Like GNU coreutils, puts a backslash before the hash if the path is escaped. */
function formatChecksum(hex: string, path: string): string {
  const escaped = path.replace(/[\\\n\r]/g, (character) => escapes[character] ?? character);
  return `${escaped === path ? '' : '\\'}${hex}  ${escaped}\n`;
}

/** The algorithms of checksum files, in Node.js names: each has a program of GNU coreutils, such as `md5sum`. */
export const checksumAlgorithms = ['md5', 'sha1', 'sha256', 'sha512'] as const;
/** An algorithm whose hashes a checksum list can contain. */
export type ChecksumAlgorithm = (typeof checksumAlgorithms)[number];

/** The names of the algorithms, with the article that precedes them. */
const algorithmNames: Readonly<Record<ChecksumAlgorithm, string>> = {
  md5: 'an MD5',
  sha1: 'a SHA-1',
  sha256: 'a SHA-256',
  sha512: 'a SHA-512',
};

/** Returns a phrase such as `a SHA-256 hash`. */
export function formatHashName(algorithm: ChecksumAlgorithm): string {
  return `${algorithmNames[algorithm]} hash`;
}

/** The reason why an export does not contain certain files. */
type OmissionKind =
  | 'noHash' // files without a hash of the algorithm, which a checksum file cannot list
  | 'notLoaded' // results of a search that were not loaded; their number is unknown
  | 'unreadable' // resources of a search that could not be parsed
  | 'notFound' // requested IDs for which the service returned no file
  | 'notLookedUp' // requested IDs whose lookup failed, so the files may exist
  | 'notTransferred' // requested files that the manifest of the transfer does not list
  | 'noManifest'; // the transferred files are unknown, because there is no manifest

/** Files that are missing from an export, and the reason why they are missing. */
export interface Omission {
  readonly kind: OmissionKind;
  /** The number of files; absent if unknown. */
  readonly count?: number;
  /** The names of the files, if they are known. */
  readonly names?: readonly string[];
  /** The algorithm of the missing hashes; SHA-256 if absent. */
  readonly algorithm?: ChecksumAlgorithm;
}

/** The maximum number of names in a remark. */
const maxNames = 20;

/** Remarks for export files. Not translated, because programs read them. */
const remarks: Readonly<Record<OmissionKind, (count: number, algorithm: ChecksumAlgorithm) => string>> = {
  noHash: (count, algorithm) => `Not listed: ${count} without ${formatHashName(algorithm)}.`,
  notLoaded: () => 'Not listed: results of the search that were not loaded.',
  unreadable: (count) => `Not listed: ${count} that could not be read.`,
  notFound: (count) => `Not listed: ${count} that the service did not find.`,
  notLookedUp: (count) => `Not listed: ${count} that could not be looked up.`,
  notTransferred: (count) => `Not listed: ${count} that the manifest of the transfer does not contain.`,
  noManifest: () => 'No manifest of the transfer was found.',
};

/** Formats each omission as a sentence for an export file. */
export function formatOmissions(omissions: readonly Omission[]): readonly string[] {
  return omissions.map(({ kind, count = 0, names = [], algorithm = 'sha256' }) =>
    withNames(remarks[kind](count, algorithm), names),
  );
}

/** Appends names to a remark, without control characters, because a line break would end the comment. */
function withNames(remark: string, names: readonly string[]): string {
  if (names.length === 0) return remark;
  const listed = names.slice(0, maxNames).map(toSafeLine);
  const rest = names.length - listed.length;
  return `${remark.slice(0, -1)}: ${[...listed, ...(rest > 0 ? [`${rest} more`] : [])].join(', ')}.`;
}

/** Returns a list with one omission of `count` files; an empty list if `count` is 0. */
export function createOmission(kind: OmissionKind, count: number): readonly Omission[] {
  return count > 0 ? [{ kind, count }] : [];
}

/**
 * Compares a transfer's requested files with `files`, the files in its manifest, and returns the omissions. Returns a
 * `noManifest` omission if `files` is empty, and an empty list if no file in the manifest has an ID.
 */
export function listTransferOmissions(
  { order }: Transfer,
  files: readonly { readonly id?: string }[],
): readonly Omission[] {
  if (files.length === 0) return [{ kind: 'noManifest' }];
  const ids = new Set(files.map(({ id }) => id));
  const isComparable = files.some(({ id }) => id !== undefined);
  const unlisted = isComparable ? order.files.filter(({ id }) => !ids.has(id)) : [];
  const names = unlisted.map(({ id, name }) => name || id);
  return unlisted.length > 0 ? [{ kind: 'notTransferred', count: unlisted.length, names }] : [];
}
