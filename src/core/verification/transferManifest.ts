import { constants } from 'node:fs';
import { open, type FileHandle } from 'node:fs/promises';
import { basename, dirname, resolve } from 'node:path';
import { getErrorCode, isMissing } from '../util/errorFacts.ts';
import { parseDeclaredHash, type DeclaredHash } from '../util/declaredHash.ts';
import { isJsonObject, type JsonObject } from '../util/json.ts';
import { isOwnManifest, isTransferManifest } from '../util/transferFolderNames.ts';
import { listPackagePaths, parseManifestPath, parsePackagePath } from '../util/fileId.ts';

/** A file that a manifest lists. */
export interface ManifestFile {
  /** The path exactly as it appears in the manifest. */
  readonly path: string;
  /** Possible paths of the file relative to the manifest's folder, with `/` and without `..`. */
  readonly places: readonly string[];
  readonly id?: string;
  readonly sizeBytes?: number;
  readonly hash?: DeclaredHash;
}

/** A problem with an entry in a manifest. `path` is copied from the entry; `field` is the name of the invalid field. */
export interface ManifestProblem {
  readonly kind: 'notObject' | 'noPath' | 'outsideFolder' | 'remote' | 'repeated' | 'wrongType';
  readonly position: number;
  readonly path?: string;
  readonly field?: string;
  readonly id?: string;
}

/** The content of a manifest (D24: destination layout). */
export interface TransferManifest {
  readonly file: string;
  /** The ID of the transfer, if the service writes it to the manifest. */
  readonly id?: string;
  readonly created?: string;
  readonly files: readonly ManifestFile[];
  /** The first few problems, up to a limit; {@link problemCount} is the total. */
  readonly problems: readonly ManifestProblem[];
  readonly problemCount: number;
}

/** Thrown if a manifest cannot be used. */
export class ManifestError extends Error {
  override readonly name = 'ManifestError';
  readonly kind: 'missing' | 'unreadable' | 'tooLarge' | 'notJson' | 'notPackage';
  /** The system's error code, such as `EACCES`. */
  readonly code?: string;

  constructor(kind: ManifestError['kind'], code?: string) {
    super(code === undefined ? kind : `${kind} (${code})`);
    this.kind = kind;
    if (code !== undefined) this.code = code;
  }
}

/** Maximum size of a manifest, in bytes. Parsing a larger one would block the process for seconds. */
const maxBytes = 64 * 1024 * 1024;

const maxFiles = 1_000_000;

const maxProblems = 1_000;

/**
 * Reads the manifest of transferred files: a data package in the form that the local service and the public server
 * write. Does not access the listed files. Rejects with a {@link ManifestError} or the signal's reason.
 */
export async function readManifest(file: string, signal?: AbortSignal): Promise<TransferManifest> {
  const json = parse(await readText(file, signal));
  if (!isJsonObject(json) || !Array.isArray(json['resources'])) throw new ManifestError('notPackage');
  const resources: readonly unknown[] = json['resources'];
  if (resources.length > maxFiles) throw new ManifestError('tooLarge');
  const folderName = basename(dirname(resolve(file)));
  const findPlaces = isOwnManifest(folderName, json) ? resolveOwnPlaces : resolvePlaces;
  const reader = new ManifestReader(findPlaces, isTransferManifest(json));
  for (const [position, resource] of resources.entries()) reader.add(position, resource);
  const { files, problems, problemCount } = reader;
  const { id, created } = json;
  return {
    file,
    ...(typeof id === 'string' && { id }),
    ...(typeof created === 'string' && { created }),
    files,
    problems,
    problemCount,
  };
}

class ManifestReader {
  readonly files: ManifestFile[] = [];
  readonly problems: ManifestProblem[] = [];
  problemCount = 0;
  private readonly namedPaths = new Set<string>();
  private readonly findPlaces: typeof resolvePlaces;
  private readonly isTransfer: boolean;

  /**
   * `findPlaces` returns the possible paths of a file, or the problem with its path. Only a transfer can't contain
   * files at web addresses: the standard allows them in packages.
   */
  constructor(findPlaces: typeof resolvePlaces, isTransfer: boolean) {
    this.findPlaces = findPlaces;
    this.isTransfer = isTransfer;
  }

  add(position: number, resource: unknown): void {
    if (!isJsonObject(resource)) {
      this.addProblem({ kind: 'notObject', position });
      return;
    }
    const { path, data } = resource;
    const id = typeof resource['id'] === 'string' ? { id: resource['id'] } : {};
    if (path === undefined && data !== undefined) return;
    if (Array.isArray(path)) for (const part of path as unknown[]) this.addPath(position, part, id);
    else this.addPath(position, path, { ...id, ...this.readFacts(position, resource) });
  }

  private addPath(position: number, path: unknown, facts: Omit<ManifestFile, 'path' | 'places'>): void {
    const source = { position, ...(facts.id !== undefined && { id: facts.id }) };
    if (typeof path !== 'string' || path === '') {
      this.addProblem({ kind: 'noPath', ...source });
      return;
    }
    const places = this.findPlaces(path);
    if (places === 'remote' && !this.isTransfer) return;
    if (typeof places === 'string') this.addProblem({ kind: places, path, ...source });
    else if (this.namedPaths.has(places[0] ?? path)) this.addProblem({ kind: 'repeated', path, ...source });
    else {
      this.namedPaths.add(places[0] ?? path);
      this.files.push({ path, places, ...facts });
    }
  }

  private readFacts(position: number, { bytes, hash, path }: JsonObject): Pick<ManifestFile, 'sizeBytes' | 'hash'> {
    const source = { position, ...(typeof path === 'string' && { path }) };
    const isSize = Number.isSafeInteger(bytes) && (bytes as number) >= 0;
    if (bytes !== undefined && bytes !== null && !isSize)
      this.addProblem({ kind: 'wrongType', field: 'bytes', ...source });
    const isText = typeof hash === 'string';
    if (hash !== undefined && hash !== null && !isText)
      this.addProblem({ kind: 'wrongType', field: 'hash', ...source });
    const declared = isText ? parseDeclaredHash(hash) : undefined;
    return { ...(isSize && { sizeBytes: bytes as number }), ...(declared && { hash: declared }) };
  }

  private addProblem(problem: ManifestProblem): void {
    this.problemCount += 1;
    if (this.problems.length < maxProblems) this.problems.push(problem);
  }
}

/**
 * Returns the possible paths of a file, or the problem with its path. In some paths, the public server writes `\:`
 * instead of a colon. The file itself can have either name.
 */
function resolvePlaces(path: string): readonly string[] | 'outsideFolder' | 'remote' {
  const plain = path.replaceAll('\\:', ':');
  if (parsePackagePath(plain)?.kind === 'remote') return 'remote';
  const places = listPackagePaths(plain);
  if (places.length === 0) return 'outsideFolder';
  if (!path.includes('\\:') || process.platform === 'win32') return places;
  const parts = path.split('/').filter((part) => part !== '' && part !== '.');
  return [...places, parts.join('/')];
}

function resolveOwnPlaces(path: string): ReturnType<typeof resolvePlaces> {
  const place = parseManifestPath(path);
  return place?.kind === 'file' ? [place.path] : resolvePlaces(path);
}

async function readText(file: string, signal?: AbortSignal): Promise<string> {
  const handle = await openForReading(file);
  try {
    const stats = await handle.stat();
    if (!stats.isFile()) throw new ManifestError('unreadable', stats.isDirectory() ? 'EISDIR' : 'EINVAL');
    if (stats.size > maxBytes) throw new ManifestError('tooLarge');
    const pieces: Buffer[] = [];
    const stream: AsyncIterable<Buffer> = handle.createReadStream({ end: maxBytes, autoClose: false });
    for await (const piece of stream) {
      signal?.throwIfAborted();
      pieces.push(piece);
    }
    return Buffer.concat(pieces).toString('utf8');
  } catch (error) {
    signal?.throwIfAborted();
    throw error instanceof ManifestError ? error : new ManifestError('unreadable', getErrorCode(error));
  } finally {
    await handle.close();
  }
}

async function openForReading(file: string): Promise<FileHandle> {
  try {
    return await open(file, constants.O_RDONLY | constants.O_NONBLOCK);
  } catch (error) {
    throw new ManifestError(isMissing(error) ? 'missing' : 'unreadable', getErrorCode(error));
  }
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text.replace(/^\uFEFF/, ''));
  } catch {
    throw new ManifestError('notJson');
  }
}
