import * as fs from 'node:fs';
import * as nodePath from 'node:path';
import { getErrorCode, isMissing } from '../../core/util/errorFacts.ts';
import { isDeeperThan, isJsonObject, type JsonObject } from '../../core/util/json.ts';
import { toQuotable } from '../http/quotable.ts';
import { maxChars, maxWarnings, readPackageText, type PackageMetadata, type PackageContent } from './dataPackage.ts';
import { parsePackagePath } from '../../core/util/packagePath.ts';

const packageName = 'datapackage.json';
const maxPackageBytes = 64 * 1024 * 1024;
const maxTableBytes = 128 * 1024;
const maxTableDepth = 50;
const { O_RDONLY, O_NOFOLLOW, O_NONBLOCK } = fs.constants;

/**
 * Reads a folder's package, and the schemas and dialects that the package references by path. A missing package yields
 * neither metadata nor warnings; an unreadable package yields a warning. Never throws. Blocks the calling thread.
 */
export function readPackage(folder: string, name = packageName): PackageContent {
  try {
    const text = readText(nodePath.join(folder, name), maxPackageBytes);
    const read = readPackageText(text, name === packageName ? undefined : nodePath.basename(folder));
    if (read.metadata === undefined) return read;
    const tables = new TableReader(folder);
    const metadata = tables.resolveTables(read.metadata);
    return { metadata, warnings: [...read.warnings, ...tables.warnings] };
  } catch (error) {
    return { warnings: getErrorCode(error) === 'ENOENT' ? [] : [`it ${describeReadError(error)}`] };
  }
}

interface DescribedFields {
  readonly whole: JsonObject;
  /** All fields except schema and dialect. */
  readonly rest: JsonObject;
  /** Number of JSON characters in `whole`. */
  readonly size: number;
}

/** Replaces the paths of schemas and dialects with the content of the files at those paths. Reads each file once. */
class TableReader {
  /** Problems with files that could not be read. */
  readonly warnings: string[] = [];
  private readonly folder: string;
  private readonly tables = new Map<string, JsonObject | undefined>();

  constructor(folder: string) {
    this.folder = folder;
  }

  resolveTables(metadata: PackageMetadata): PackageMetadata {
    const done = new Map<JsonObject, DescribedFields>();
    for (const fields of new Set(metadata.values())) done.set(fields, this.describe(fields));
    let left = maxChars;
    const entries = [...metadata].map(([path, fields]): [string, JsonObject] => {
      const described = done.get(fields);
      left -= described?.size ?? 0;
      // Beyond the size limit of a package, the schemas and dialects of files are omitted.
      return [path, left >= 0 ? (described?.whole ?? fields) : (described?.rest ?? fields)];
    });
    return new Map(entries);
  }

  private describe(fields: JsonObject): DescribedFields {
    const { schema, dialect, ...rest } = fields;
    const tables = { schema: this.resolveTable(schema), dialect: this.resolveTable(dialect) };
    const resolved = Object.fromEntries(Object.entries(tables).filter(([, table]) => table !== undefined));
    const whole = { ...rest, ...resolved };
    return { whole, rest, size: JSON.stringify(whole).length };
  }

  private resolveTable(value: unknown): unknown {
    const target = parsePackagePath(value);
    if (target?.kind !== 'file') return value;
    if (!this.tables.has(target.path)) this.tables.set(target.path, this.readTable(target.path));
    return this.tables.get(target.path);
  }

  private readTable(path: string): JsonObject | undefined {
    try {
      const json: unknown = JSON.parse(readText(resolveWithin(this.folder, path), maxTableBytes));
      if (isJsonObject(json) && !isDeeperThan(json, maxTableDepth)) return json;
      throw new UnreadableError('is not a JSON object or is nested too deeply');
    } catch (error) {
      if (this.warnings.length < maxWarnings)
        this.warnings.push(`its "${toQuotable(path)}" ${describeReadError(error)}`);
      return undefined;
    }
  }
}

function resolveWithin(folder: string, path: string): string {
  const realFolder = fs.realpathSync(folder);
  const realPath = fs.realpathSync(nodePath.join(folder, path));
  if (realPath.startsWith(realFolder + nodePath.sep)) return realPath;
  throw new UnreadableError('points outside the package');
}

/** Thrown for an unreadable file. The message is a phrase that follows the file name, such as `is not a file`. */
class UnreadableError extends Error {
  override readonly name = 'UnreadableError';
}

/**
 * Reads a UTF-8 file. Throws if it is larger than `maxBytes`, is not a regular file or, except on Windows, is a link.
 * Ignores data that is appended during the read.
 */
function readText(file: string, maxBytes: number): string {
  const handle = fs.openSync(file, O_RDONLY | O_NOFOLLOW | O_NONBLOCK);
  try {
    const stats = fs.fstatSync(handle);
    if (!stats.isFile()) throw new UnreadableError('is not a file');
    if (stats.size > maxBytes) throw new UnreadableError(`is larger than ${maxBytes} bytes`);
    const buffer = Buffer.alloc(stats.size);
    let size = 0;
    for (let count = 1; count > 0 && size < buffer.length; size += count) {
      count = fs.readSync(handle, buffer, size, buffer.length - size, null);
    }
    return new TextDecoder('utf-8', { fatal: true }).decode(buffer.subarray(0, size));
  } finally {
    fs.closeSync(handle);
  }
}

function describeReadError(error: unknown): string {
  if (error instanceof UnreadableError) return error.message;
  if (isMissing(error)) return 'does not exist';
  return readErrors[getErrorCode(error)] ?? 'cannot be read';
}

const readErrors: Readonly<Record<string, string>> = {
  ELOOP: 'is a link',
  SyntaxError: 'is not valid JSON',
  ERR_ENCODING_INVALID_ENCODED_DATA: 'is not UTF-8',
};
