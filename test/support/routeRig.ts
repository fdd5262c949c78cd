import { createHash, randomUUID } from 'node:crypto';
import * as fs from 'node:fs/promises';
import * as os from 'node:os';
import * as nodePath from 'node:path';
import { systemClock } from '../../src/core/util/clock.ts';
import type { DatabaseLocation } from '../../src/service/catalog/servedDatabases.ts';
import type { Cluster } from '../../src/service/cluster/cluster.ts';
import { RcloneDaemon } from '../../src/service/stores/rcloneDaemon.ts';
import { createJobSignal, type JobResult, type JobSignal } from '../../src/service/transfers/fileJobs.ts';
import { FileThreads } from '../../src/service/transfers/fileThreads.ts';
import type { TransferRoute } from '../../src/service/transfers/folderRoute.ts';
import type { TransferRecord, TransferRecordFile } from '../../src/service/transfers/journal.ts';
import { createRoute } from '../../src/service/transfers/storeRoute.ts';
import { MemoryLog } from './memoryLog.ts';
import { findServers, openKind, type OpenKind, type PlaceKind } from './placeKinds.ts';
import { StoreServers } from './storeServers.ts';

export type Contents = Readonly<Record<string, string>>;

/** One side of a route: its location, and access to its files that doesn't use the code under test. */
export class RoutePlace {
  readonly location: DatabaseLocation;
  /** The folder on this machine that has the files; undefined for objects. */
  readonly disk: string | undefined;
  private readonly servers: StoreServers;

  constructor(location: DatabaseLocation, servers: StoreServers, disk: string | undefined) {
    this.location = location;
    this.servers = servers;
    this.disk = disk;
  }

  /** Returns the path of a file on the disk of the place. */
  getFile(path: string): string {
    return nodePath.join(this.disk ?? '', path);
  }

  /** Sets the modification times of files, in RFC 3339. */
  async setModified(times: Readonly<Record<string, string>>): Promise<void> {
    const { remote = '' } = this.location;
    const isDav = remote.startsWith('dav:');
    for (const [path, time] of Object.entries(times)) {
      const seconds = String(Date.parse(time) / 1_000);
      if (this.disk !== undefined && !remote.startsWith('sftp:')) await fs.utimes(this.getFile(path), seconds, seconds);
      else this.servers.run(['touch', '-t', time.slice(0, -1), `${remote}/${path}`]);
    }
    if (!isDav || Object.keys(times).length === 0) return;
    // The server would report the times that it remembers.
    await this.servers.kill('dav');
    await this.servers.startServer('dav');
  }

  /** Returns the modification time of a file, in RFC 3339. */
  async getModified(path: string): Promise<string> {
    if (this.disk !== undefined) return (await fs.stat(this.getFile(path))).mtime.toISOString();
    const listed: unknown = JSON.parse(String(this.servers.run(['lsjson', `${this.location.remote}/${path}`])));
    return new Date((listed as { ModTime: string }[])[0]?.ModTime ?? '').toISOString();
  }

  async write(contents: Contents): Promise<void> {
    const { folder, remote } = this.location;
    if (remote === undefined) await writeFolder(folder, contents);
    else
      await withFolder(async (copy) => {
        await writeFolder(copy, contents);
        // The WebDAV server refuses to create a folder twice at once (423).
        this.servers.run(['copy', '--ignore-times', '--transfers', '1', copy, remote]);
      });
  }

  /** Returns the paths of all files, finished or not, sorted. */
  async list(): Promise<readonly string[]> {
    const { folder, remote } = this.location;
    return remote === undefined ? await listFolder(folder) : this.servers.list(remote);
  }

  async remove(path: string): Promise<void> {
    const { folder, remote } = this.location;
    if (remote !== undefined) this.servers.run(['deletefile', `${remote}/${path}`]);
    else await fs.rm(nodePath.join(folder, path));
  }

  /** Returns the content of every file below a folder, finished or not, by its path there. */
  async read(below = '.'): Promise<Contents> {
    const { folder, remote } = this.location;
    if (remote === undefined) return await readFolder(nodePath.join(folder, below));
    return await withFolder(async (copy) => {
      this.servers.run(['copy', nodePath.posix.join(remote, below), copy]);
      return await readFolder(copy);
    });
  }
}

/** The objects that all transfers of a rig use. */
interface SharedParts {
  readonly threads: FileThreads;
  readonly daemon: RcloneDaemon;
  readonly cluster?: Cluster | undefined;
}

/** A transfer over one route, of which every test has its own. */
export class RoutedTransfer {
  readonly id = randomUUID();
  readonly folderName: string;
  readonly source: RoutePlace;
  readonly destination: RoutePlace;
  readonly route: TransferRoute;
  private readonly chosen: string | undefined;

  constructor(source: RoutePlace, destination: RoutePlace, shared: SharedParts, chosen?: string) {
    this.chosen = chosen;
    this.folderName = chosen ?? `dts-${this.id}`;
    this.source = source;
    this.destination = destination;
    const describe = (id: string) => ({ id, name: id, organization: '', url: '' });
    this.route = createRoute({
      ...shared,
      transferId: this.id,
      folderName: chosen,
      source: { document: describe('from'), location: source.location },
      destination: { document: describe('to'), location: destination.location },
      destinationPlace: undefined,
      abandonment: new AbortController().signal,
      throttleBytesPerSecond: undefined,
      isFlushed: true,
    });
  }

  /** Writes files to the source, and stages them if the route does. */
  async stage(
    contents: Contents,
    modified: Readonly<Record<string, string>> = {},
  ): Promise<readonly TransferRecordFile[]> {
    await this.source.write(contents);
    await this.source.setModified(modified);
    return await this.stageSizes(Object.entries(contents).map(([path, content]) => [path, Buffer.byteLength(content)]));
  }

  /** Stages files that are on the disk of the source. */
  async stageFromDisk(paths: readonly string[]): Promise<readonly TransferRecordFile[]> {
    const stats = await Promise.all(paths.map(async (path) => await fs.stat(this.source.getFile(path))));
    return await this.stageSizes(paths.map((path, index) => [path, stats[index]?.size ?? 0]));
  }

  private async stageSizes(sizes: readonly (readonly [path: string, bytes: number])[]) {
    const files: readonly TransferRecordFile[] = sizes.map(([path, bytes], position) => {
      const resource = { id: path, name: path, path, format: '', media_type: '', bytes, hash: '' };
      return { position, path, resource, bytes, isTransferred: false };
    });
    if (!this.route.capabilities.isHashedFirst) return files;
    const { done } = await this.route.stage(files, createJobSignal());
    return files.map((file, index) => ({ ...file, sha256: done[index]?.sha256, modifiedMs: done[index]?.modifiedMs }));
  }

  /** Prepares a run, and moves files in it. */
  async move(files: readonly TransferRecordFile[], signal: JobSignal = createJobSignal()): Promise<JobResult> {
    await this.route.prepare();
    return await this.route.move(files.map(toFileToMove), signal);
  }

  async findLost(files: readonly TransferRecordFile[]): Promise<readonly number[] | undefined> {
    return (await this.route.findLost(files.map(toFileToMove), createJobSignal())).lost;
  }

  async finish(files: readonly TransferRecordFile[]): Promise<boolean> {
    const record: TransferRecord = {
      id: this.id,
      orcid: '',
      sourceId: 'from',
      destinationId: 'to',
      fileCount: files.length,
      sizeBytes: 0,
      createdAtMs: 0,
      message: '',
      movedCount: 0,
      isCancelRequested: false,
      status: 'finalizing',
      folderName: this.chosen,
    };
    const requireFiles = async (): Promise<void> => {
      if (((await this.findLost(files)) ?? []).length > 0) throw new Error('A file is missing.');
    };
    return await this.route.finish({ record, files, requireFiles }, new AbortController().signal);
  }

  /** Returns what the destination has in the transfer's folder, without the manifest. */
  async readMoved(): Promise<Contents> {
    const moved = Object.entries(await this.readFolder()).filter(([path]) => path !== 'manifest.json');
    return Object.fromEntries(moved);
  }

  /** Returns the text of the manifest; undefined if there is none. */
  async readManifest(): Promise<string | undefined> {
    return (await this.readFolder())['manifest.json'];
  }

  private async readFolder(): Promise<Contents> {
    const all = Object.entries(await this.destination.read());
    const ofThis = all.filter(([path]) => path.includes(this.id) || path.startsWith(`${this.folderName}/`));
    return Object.fromEntries(ofThis.map(([path, content]) => [path.replace(`${this.folderName}/`, ''), content]));
  }
}

/** Runs routes between folders and the stores of real servers, with the service's own threads and rclone. */
export class RouteRig {
  private readonly root: string;
  private readonly servers: StoreServers;
  private readonly configBefore = process.env['RCLONE_CONFIG'];
  private readonly threads = new FileThreads(systemClock);
  private readonly daemon: RcloneDaemon;
  private readonly cluster: Cluster | undefined;
  private readonly opened = new Map<PlaceKind, OpenKind>();
  private count = 0;

  private constructor(root: string, servers: StoreServers, cluster: Cluster | undefined) {
    this.root = root;
    this.servers = servers;
    this.cluster = cluster;
    process.env['RCLONE_CONFIG'] = servers.configFile;
    const stagingFolder = nodePath.join(root, 'staging');
    this.daemon = new RcloneDaemon({ rclone: undefined, clock: systemClock, logger: new MemoryLog(), stagingFolder });
  }

  /**
   * Starts the servers of the kinds of places that the routes connect. With a cluster, its nodes move the files between
   * folders.
   */
  static async start(kinds: readonly PlaceKind[], cluster?: Cluster): Promise<RouteRig> {
    const root = await fs.realpath(await fs.mkdtemp(nodePath.join(os.tmpdir(), 'dts-routes-')));
    const rig = new RouteRig(root, await StoreServers.start(findServers(kinds)), cluster);
    for (const kind of kinds) rig.opened.set(kind, await openKind(kind, rig.servers, root));
    return rig;
  }

  async stop(): Promise<void> {
    await this.daemon.close();
    await this.threads.end();
    for (const { close } of this.opened.values()) await close?.();
    await this.servers.stop();
    if (this.configBefore === undefined) delete process.env['RCLONE_CONFIG'];
    else process.env['RCLONE_CONFIG'] = this.configBefore;
    await fs.rm(this.root, { recursive: true });
  }

  /** Creates a transfer between two empty places; with `chosen`, to a folder with this name. */
  async createTransfer(from: PlaceKind, to: PlaceKind, chosen?: string): Promise<RoutedTransfer> {
    this.count += 1;
    const { threads, daemon, cluster } = this;
    const [source, destination] = [await this.createPlace(from, 'from'), await this.createPlace(to, 'to')];
    return new RoutedTransfer(source, destination, { threads, daemon, cluster }, chosen);
  }

  /** Creates another transfer between the places of one, to a folder with the name `chosen`. */
  createRival({ source, destination }: RoutedTransfer, chosen: string): RoutedTransfer {
    const { threads, daemon, cluster } = this;
    return new RoutedTransfer(source, destination, { threads, daemon, cluster }, chosen);
  }

  private async createPlace(kind: PlaceKind, side: string): Promise<RoutePlace> {
    return await createPlace(this.opened.get(kind), `${side}${this.count}`, this.servers);
  }
}

/** Creates an empty place of a kind. */
export async function createPlace(
  kind: OpenKind | undefined,
  name: string,
  servers: StoreServers,
): Promise<RoutePlace> {
  if (kind === undefined) throw new Error('The kind of place is not open.');
  const disk = kind.disk === undefined ? undefined : nodePath.join(kind.disk, name);
  if (kind.prefix === undefined) {
    await fs.mkdir(disk ?? '');
    return new RoutePlace({ folder: disk ?? '' }, servers, disk);
  }
  const remote = kind.prefix + name;
  if (!remote.startsWith('s3:')) servers.run(['mkdir', remote]);
  return new RoutePlace({ remote }, servers, disk);
}

function toFileToMove({ position, path, bytes, sha256 = '', modifiedMs }: TransferRecordFile) {
  return { position, path, bytes, sha256, modifiedMs };
}

async function writeFolder(folder: string, contents: Contents): Promise<void> {
  for (const [path, content] of Object.entries(contents)) {
    await fs.mkdir(nodePath.dirname(nodePath.join(folder, path)), { recursive: true });
    await fs.writeFile(nodePath.join(folder, path), content);
  }
}

async function readFolder(folder: string): Promise<Contents> {
  const contents: Record<string, string> = {};
  for (const path of await listFolder(folder)) contents[path] = await fs.readFile(nodePath.join(folder, path), 'utf8');
  return contents;
}

async function listFolder(folder: string): Promise<readonly string[]> {
  const entries = await fs.readdir(folder, { recursive: true, withFileTypes: true });
  const files = entries.filter((one) => one.isFile());
  return files.map((one) => nodePath.relative(folder, nodePath.join(one.parentPath, one.name))).sort();
}

async function withFolder<T>(work: (folder: string) => Promise<T>): Promise<T> {
  const folder = await fs.mkdtemp(nodePath.join(os.tmpdir(), 'dts-route-copy-'));
  try {
    return await work(folder);
  } finally {
    await fs.rm(folder, { recursive: true });
  }
}

/** Returns the SHA-256 of a text, in hex. */
export function sha256(text: string): string {
  return createHash('sha256').update(text).digest('hex');
}
