import * as fs from 'node:fs/promises';
import * as nodePath from 'node:path';
import { isJsonObject, type JsonObject } from '../../core/util/json.ts';
import { quotable } from '../http/quotable.ts';
import { isDeeperThan } from '../jsonDepth.ts';
import { readPackageText, type ReadPackage } from './dataPackage.ts';
import { packagePath } from './packagePath.ts';

const maxPackageBytes = 64 * 1024 * 1024;
const maxTableBytes = 1024 * 1024;
const maxTableDepth = 50;
const { O_RDONLY, O_NOFOLLOW = 0, O_NONBLOCK = 0 } = fs.constants;

/**
 * Reads the package of a folder, and the schemas and dialects that it names by a path within the folder. A package that
 * is not there has no metadata and no trouble; one that cannot be read has a trouble. Never rejects.
 */
export async function readPackage(folder: string, name = 'datapackage.json'): Promise<ReadPackage> {
  try {
    const text = await readText(nodePath.join(folder, name), maxPackageBytes);
    const read = readPackageText(text);
    if (read.metadata === undefined) return read;
    const troubles = [...read.troubles, ...(await readTables(folder, new Set(read.metadata.values())))];
    return { metadata: read.metadata, troubles };
  } catch (error) {
    return { troubles: isCode(error, 'ENOENT') ? [] : [`it ${whyNot(error)}`] };
  }
}

/** Puts what is read in the place of each path. What cannot be read is left out, and told once for each path. */
async function readTables(folder: string, resources: ReadonlySet<JsonObject>): Promise<string[]> {
  const known = new Map<string, JsonObject | undefined>();
  const troubles: string[] = [];
  for (const resource of resources) {
    for (const name of ['schema', 'dialect']) {
      const place = packagePath(resource[name]);
      if (place?.kind !== 'file') continue;
      if (!known.has(place.path)) known.set(place.path, await readTable(folder, place.path, troubles));
      const table = known.get(place.path);
      if (table === undefined) delete resource[name];
      else resource[name] = table;
    }
  }
  return troubles;
}

async function readTable(folder: string, path: string, troubles: string[]): Promise<JsonObject | undefined> {
  try {
    const json: unknown = JSON.parse(await readText(await placeWithin(folder, path), maxTableBytes));
    if (isJsonObject(json) && !isDeeperThan(json, maxTableDepth)) return json;
    throw new UnreadableError('is no JSON object, or too deep');
  } catch (error) {
    troubles.push(`its "${quotable(path)}" ${whyNot(error)}`);
    return undefined;
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
