import { constants } from 'node:fs';
import { open, type FileHandle } from 'node:fs/promises';
import { basename, dirname, resolve } from 'node:path';
import { declaredHashOf, type DeclaredHash } from '../util/declaredHash.ts';
import { isJsonObject, type JsonObject } from '../util/json.ts';
import { isOwnManifest } from '../util/landedNames.ts';
import { landedPath, packagePath } from '../util/packagePath.ts';
import { codeOf } from './fileErrors.ts';

/** A file that a manifest names, within its folder. */
export interface LandedFile {
  /** As the manifest has it. */
  readonly path: string;
  /** Where it may lie: relative to the manifest's folder, parted by `/`, never upwards. */
  readonly places: readonly string[];
  /** The source's id of the file. */
  readonly id?: string;
  readonly sizeBytes?: number;
  readonly hash?: DeclaredHash;
}

/** What of a manifest makes no sense; `path` and `field` are its own words. */
export interface ManifestTrouble {
  readonly kind: 'noObject' | 'noPath' | 'leadsOut' | 'elsewhere' | 'repeated' | 'wrongType';
  /** Which of the manifest's resources, from 0. */
  readonly position: number;
  readonly path?: string;
  readonly field?: string;
  /** The source's id of the file. */
  readonly id?: string;
}

/** What a manifest says of the files that landed beside it (D24). */
export interface LandedManifest {
  /** The manifest's own path. */
  readonly file: string;
  /** Of the transfer, where the service writes it. */
  readonly id?: string;
  readonly created?: string;
  readonly files: readonly LandedFile[];
  /** The first of them; {@link troubleCount} says how many there are. */
  readonly troubles: readonly ManifestTrouble[];
  readonly troubleCount: number;
}

/** Why a manifest cannot be used. */
export class ManifestFault extends Error {
  override readonly name = 'ManifestFault';
  readonly kind: 'missing' | 'unreadable' | 'tooLarge' | 'notJson' | 'notPackage';
  /** The system's code: `EACCES`. */
  readonly code?: string;

  constructor(kind: ManifestFault['kind'], code?: string) {
    super(code === undefined ? kind : `${kind} (${code})`);
    this.kind = kind;
    if (code !== undefined) this.code = code;
  }
}

/** The largest manifest that is read: parsing more would hold up everything else for seconds. */
const mostBytes = 64 * 1024 * 1024;

/** The most files of a manifest. */
const mostFiles = 1_000_000;

/** How many troubles are told one by one. */
const mostTroubles = 1_000;

/**
 * Reads the manifest of a landed transfer: a Data Package, as the local service and the public one write it. Rejects with
 * a {@link ManifestFault}, or with the signal's reason. Nothing of what it names is looked at.
 */
export async function readManifest(file: string, signal?: AbortSignal): Promise<LandedManifest> {
  const json = parse(await readText(file, signal));
  if (!isJsonObject(json) || !Array.isArray(json['resources'])) throw new ManifestFault('notPackage');
  const resources: readonly unknown[] = json['resources'];
  if (resources.length > mostFiles) throw new ManifestFault('tooLarge');
  const folderName = basename(dirname(resolve(file)));
  const reading = new ManifestReading(isOwnManifest(folderName, json['id']) ? ownPlacesOf : placesOf);
  for (const [position, resource] of resources.entries()) reading.add(position, resource);
  const { files, troubles, troubleCount } = reading;
  const { id, created } = json;
  return {
    file,
    ...(typeof id === 'string' && { id }),
    ...(typeof created === 'string' && { created }),
    files,
    troubles,
    troubleCount,
  };
}

/** Takes the resources of a manifest one after the other. */
class ManifestReading {
  readonly files: LandedFile[] = [];
  readonly troubles: ManifestTrouble[] = [];
  troubleCount = 0;
  private readonly named = new Set<string>();
  private readonly placesOf: typeof placesOf;

  /** Takes the function that says where the file of a path may lie. */
  constructor(findPlaces: typeof placesOf) {
    this.placesOf = findPlaces;
  }

  add(position: number, resource: unknown): void {
    if (!isJsonObject(resource)) {
      this.note({ kind: 'noObject', position });
      return;
    }
    const { path, data } = resource;
    const id = typeof resource['id'] === 'string' ? { id: resource['id'] } : {};
    if (path === undefined && data !== undefined) return;
    if (Array.isArray(path)) for (const part of path as unknown[]) this.addPath(position, part, id);
    else this.addPath(position, path, { ...id, ...this.factsOf(position, resource) });
  }

  private addPath(position: number, path: unknown, facts: Omit<LandedFile, 'path' | 'places'>): void {
    const whose = { position, ...(facts.id !== undefined && { id: facts.id }) };
    if (typeof path !== 'string' || path === '') {
      this.note({ kind: 'noPath', ...whose });
      return;
    }
    const places = this.placesOf(path);
    if (typeof places === 'string') this.note({ kind: places, path, ...whose });
    else if (places.some((place) => this.named.has(place))) this.note({ kind: 'repeated', path, ...whose });
    else {
      for (const place of places) this.named.add(place);
      this.files.push({ path, places, ...facts });
    }
  }

  private factsOf(position: number, { bytes, hash, path }: JsonObject): Pick<LandedFile, 'sizeBytes' | 'hash'> {
    const which = { position, ...(typeof path === 'string' && { path }) };
    const isSize = Number.isSafeInteger(bytes) && (bytes as number) >= 0;
    if (bytes !== undefined && bytes !== null && !isSize) this.note({ kind: 'wrongType', field: 'bytes', ...which });
    const isText = typeof hash === 'string';
    if (hash !== undefined && hash !== null && !isText) this.note({ kind: 'wrongType', field: 'hash', ...which });
    const declared = isText ? declaredHashOf(hash) : undefined;
    return { ...(isSize && { sizeBytes: bytes as number }), ...(declared && { hash: declared }) };
  }

  private note(trouble: ManifestTrouble): void {
    this.troubleCount += 1;
    if (this.troubles.length < mostTroubles) this.troubles.push(trouble);
  }
}

/** The public service writes `\:` for a colon in some paths, and lands the file under either name. */
function placesOf(path: string): readonly string[] | 'leadsOut' | 'elsewhere' {
  const place = packagePath(path.replaceAll('\\:', ':'));
  if (place?.kind !== 'file') return place?.kind === 'remote' ? 'elsewhere' : 'leadsOut';
  if (!path.includes('\\:') || process.platform === 'win32') return [place.path];
  return [place.path, withoutEmptyParts(path)];
}

function ownPlacesOf(path: string): ReturnType<typeof placesOf> {
  const place = landedPath(path);
  return place?.kind === 'file' ? [place.path] : placesOf(path);
}

function withoutEmptyParts(path: string): string {
  return path
    .split('/')
    .filter((part) => part !== '' && part !== '.')
    .join('/');
}

async function readText(file: string, signal?: AbortSignal): Promise<string> {
  const handle = await openForReading(file);
  try {
    const stats = await handle.stat();
    if (!stats.isFile()) throw new ManifestFault('unreadable', 'EISDIR');
    if (stats.size > mostBytes) throw new ManifestFault('tooLarge');
    const pieces: Buffer[] = [];
    const stream: AsyncIterable<Buffer> = handle.createReadStream({ end: mostBytes, autoClose: false });
    for await (const piece of stream) {
      signal?.throwIfAborted();
      pieces.push(piece);
    }
    return Buffer.concat(pieces).toString('utf8');
  } catch (error) {
    signal?.throwIfAborted();
    throw error instanceof ManifestFault ? error : new ManifestFault('unreadable', codeOf(error));
  } finally {
    await handle.close();
  }
}

async function openForReading(file: string): Promise<FileHandle> {
  try {
    return await open(file, constants.O_RDONLY | constants.O_NONBLOCK);
  } catch (error) {
    const code = codeOf(error);
    throw new ManifestFault(code === 'ENOENT' || code === 'ENOTDIR' ? 'missing' : 'unreadable', code);
  }
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text.replace(/^\uFEFF/, ''));
  } catch {
    throw new ManifestFault('notJson');
  }
}
