import { parseDeclaredHash } from '../util/declaredHash.ts';
import { formatRow, type Cell, type Separator } from '../util/delimitedRows.ts';
import { checksumAlgorithms, formatOmissions, type ChecksumAlgorithm, type Omission } from './exportOmissions.ts';

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
