import * as fs from 'node:fs';
import * as nodePath from 'node:path';
import { isDeeperThan, isJsonObject, type JsonObject } from '../../core/util/json.ts';
import { quotable } from '../http/quotable.ts';
import { maxChars, mostTroubles, readPackageText, type PackageMetadata, type ReadPackage } from './dataPackage.ts';
import { packagePath } from '../../core/util/packagePath.ts';

const packageName = 'datapackage.json';
const maxPackageBytes = 64 * 1024 * 1024;
const maxTableBytes = 128 * 1024;
const maxTableDepth = 50;
const { O_RDONLY, O_NOFOLLOW, O_NONBLOCK } = fs.constants;

/**
 * Reads the package of a folder, and the schemas and dialects that it names by a path within the folder. A package that
 * is not there has no metadata and no trouble; one that cannot be read has a trouble. Never throws; waits for the disk,
 * and so belongs into a thread of its own.
 */
export function readPackage(folder: string, name = packageName): ReadPackage {
  try {
    const text = readText(nodePath.join(folder, name), maxPackageBytes);
    const read = readPackageText(text, name === packageName ? undefined : nodePath.basename(folder));
    if (read.metadata === undefined) return read;
    const tables = new TableReader(folder);
    const metadata = tables.inPlace(read.metadata);
    return { metadata, troubles: [...read.troubles, ...tables.troubles] };
  } catch (error) {
    return { troubles: isCode(error, 'ENOENT') ? [] : [`it ${whyNot(error)}`] };
  }
}

interface Described {
  readonly whole: JsonObject;
  /** Without schema and dialect. */
  readonly rest: JsonObject;
  /** Of the whole as JSON. */
  readonly size: number;
}

/** Puts schemas and dialects in the place of the paths that name them, each read once. */
class TableReader {
  /** What could not be read and is left out. */
  readonly troubles: string[] = [];
  private readonly folder: string;
  private readonly tables = new Map<string, JsonObject | undefined>();

  constructor(folder: string) {
    this.folder = folder;
  }

  inPlace(metadata: PackageMetadata): PackageMetadata {
    const done = new Map<JsonObject, Described>();
    for (const fields of new Set(metadata.values())) done.set(fields, this.describe(fields));
    let left = maxChars;
    const entries = [...metadata].map(([path, fields]): [string, JsonObject] => {
      const described = done.get(fields);
      left -= described?.size ?? 0;
      // Beyond what is kept of a package altogether, a file goes without its tables.
      return [path, left >= 0 ? (described?.whole ?? fields) : (described?.rest ?? fields)];
    });
    return new Map(entries);
  }

  private describe(fields: JsonObject): Described {
    const { schema, dialect, ...rest } = fields;
    const tables = { schema: this.tableOf(schema), dialect: this.tableOf(dialect) };
    const known = Object.fromEntries(Object.entries(tables).filter(([, table]) => table !== undefined));
    const whole = { ...rest, ...known };
    return { whole, rest, size: JSON.stringify(whole).length };
  }

  private tableOf(value: unknown): unknown {
    const place = packagePath(value);
    if (place?.kind !== 'file') return value;
    if (!this.tables.has(place.path)) this.tables.set(place.path, this.read(place.path));
    return this.tables.get(place.path);
  }

  private read(path: string): JsonObject | undefined {
    try {
      const json: unknown = JSON.parse(readText(placeWithin(this.folder, path), maxTableBytes));
      if (isJsonObject(json) && !isDeeperThan(json, maxTableDepth)) return json;
      throw new UnreadableError('is no JSON object, or too deep');
    } catch (error) {
      if (this.troubles.length < mostTroubles) this.troubles.push(`its "${quotable(path)}" ${whyNot(error)}`);
      return undefined;
    }
  }
}

function placeWithin(folder: string, path: string): string {
  const realFolder = fs.realpathSync(folder);
  const realPath = fs.realpathSync(nodePath.join(folder, path));
  if (realPath.startsWith(realFolder + nodePath.sep)) return realPath;
  throw new UnreadableError('leads out of the package');
}

/** Why a file is not read: the end of a sentence about it. */
class UnreadableError extends Error {
  override readonly name = 'UnreadableError';
}

/** Reads a regular file, never through a link, never more than is allowed even while it grows. */
function readText(file: string, maxBytes: number): string {
  const handle = fs.openSync(file, O_RDONLY | O_NOFOLLOW | O_NONBLOCK);
  try {
    const stats = fs.fstatSync(handle);
    if (!stats.isFile()) throw new UnreadableError('is no file');
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

function whyNot(error: unknown): string {
  if (error instanceof UnreadableError) return error.message;
  if (isCode(error, 'ENOENT') || isCode(error, 'ENOTDIR')) return 'is not there';
  if (isCode(error, 'ELOOP')) return 'is a link';
  if (error instanceof SyntaxError) return 'is not valid JSON';
  if (isCode(error, 'ERR_ENCODING_INVALID_ENCODED_DATA')) return 'is not UTF-8';
  return 'cannot be read';
}

function isCode(error: unknown, code: string): boolean {
  return error instanceof Error && 'code' in error && error.code === code;
}
