import * as fs from 'node:fs/promises';
import * as nodePath from 'node:path';
import { isJsonObject, type JsonObject } from '../../core/util/json.ts';
import { quotable } from '../http/quotable.ts';
import { isDeeperThan } from '../jsonDepth.ts';
import { mostTroubles, readPackageText, type PackageMetadata, type ReadPackage } from './dataPackage.ts';
import { packagePath } from './packagePath.ts';

const maxPackageBytes = 64 * 1024 * 1024;
const maxTableBytes = 128 * 1024;
const maxTableDepth = 50;
const { O_RDONLY, O_NOFOLLOW, O_NONBLOCK } = fs.constants;

/**
 * Reads the package of a folder, and the schemas and dialects that it names by a path within the folder. A package that
 * is not there has no metadata and no trouble; one that cannot be read has a trouble. Never rejects.
 */
export async function readPackage(folder: string, name = 'datapackage.json'): Promise<ReadPackage> {
  try {
    const text = await readText(nodePath.join(folder, name), maxPackageBytes);
    const read = readPackageText(text);
    if (read.metadata === undefined) return read;
    const tables = new TableReader(folder);
    const metadata = await tables.inPlace(read.metadata);
    return { metadata, troubles: [...read.troubles, ...tables.troubles] };
  } catch (error) {
    return { troubles: isCode(error, 'ENOENT') ? [] : [`it ${whyNot(error)}`] };
  }
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

  async inPlace(metadata: PackageMetadata): Promise<PackageMetadata> {
    const done = new Map<JsonObject, JsonObject>();
    for (const fields of new Set(metadata.values())) done.set(fields, await this.fieldsInPlace(fields));
    return new Map([...metadata].map(([path, fields]) => [path, done.get(fields) ?? fields]));
  }

  private async fieldsInPlace(fields: JsonObject): Promise<JsonObject> {
    const { schema, dialect, ...rest } = fields;
    const tables = { schema: await this.tableOf(schema), dialect: await this.tableOf(dialect) };
    return { ...rest, ...Object.fromEntries(Object.entries(tables).filter(([, table]) => table !== undefined)) };
  }

  private async tableOf(value: unknown): Promise<unknown> {
    const place = packagePath(value);
    if (place?.kind !== 'file') return value;
    if (!this.tables.has(place.path)) this.tables.set(place.path, await this.read(place.path));
    return this.tables.get(place.path);
  }

  private async read(path: string): Promise<JsonObject | undefined> {
    try {
      const json: unknown = JSON.parse(await readText(await placeWithin(this.folder, path), maxTableBytes));
      if (isJsonObject(json) && !isDeeperThan(json, maxTableDepth)) return json;
      throw new UnreadableError('is no JSON object, or too deep');
    } catch (error) {
      if (this.troubles.length < mostTroubles) this.troubles.push(`its "${quotable(path)}" ${whyNot(error)}`);
      return undefined;
    }
  }
}

async function placeWithin(folder: string, path: string): Promise<string> {
  const [realFolder, realPath] = await Promise.all([fs.realpath(folder), fs.realpath(nodePath.join(folder, path))]);
  if (realPath.startsWith(realFolder + nodePath.sep)) return realPath;
  throw new UnreadableError('leads out of the package');
}

/** Why a file is not read: the end of a sentence about it. */
class UnreadableError extends Error {
  override readonly name = 'UnreadableError';
}

/** Reads a regular file, never through a link, never more than is allowed even while it grows. */
async function readText(file: string, maxBytes: number): Promise<string> {
  const handle = await fs.open(file, O_RDONLY | O_NOFOLLOW | O_NONBLOCK);
  try {
    const stats = await handle.stat();
    if (!stats.isFile()) throw new UnreadableError('is no file');
    if (stats.size > maxBytes) throw new UnreadableError(`is larger than ${maxBytes} bytes`);
    const buffer = Buffer.alloc(stats.size);
    let size = 0;
    for (let count = 1; count > 0 && size < buffer.length; size += count) {
      count = (await handle.read(buffer, size, buffer.length - size)).bytesRead;
    }
    return new TextDecoder('utf-8', { fatal: true }).decode(buffer.subarray(0, size));
  } finally {
    await handle.close();
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
