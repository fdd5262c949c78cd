import * as fs from 'node:fs/promises';
import * as os from 'node:os';
import * as nodePath from 'node:path';
import { systemClock } from '../../src/core/util/clock.ts';
import { RcloneDaemon } from '../../src/service/stores/rcloneDaemon.ts';
import { StoreError } from '../../src/service/stores/storeError.ts';
import { StoreRestore } from '../../src/service/stores/storeRestore.ts';
import { FileThreads } from '../../src/service/transfers/fileThreads.ts';
import type { FoundFile } from './contractRig.ts';
import { eventually } from './eventually.ts';
import { MemoryLog } from './memoryLog.ts';
import { findServers, openKind, placeKinds, type KindOfPlace, type OpenKind, type PlaceKind } from './placeKinds.ts';
import { createPlace, RoutedTransfer, type RoutePlace } from './routeRig.ts';
import { canMountDisks, mountDiskIn, resizeDisk, unmountDisk } from './smallDisk.ts';
import { StoreRig } from './storeRig.ts';
import { mustFindRclone } from './storeServers.ts';
import type { StatusBody } from './transferClient.ts';

/**
 * A service whose databases are an empty place of a kind and, if it has a disk and one can be mounted, a second one on a
 * disk of 2 MB.
 */
export class KindRig {
  readonly kind: PlaceKind;
  readonly stores: StoreRig;
  private readonly root: string;
  private readonly places = new Map<string, RoutePlace>();
  private readonly smallDisks: string[] = [];
  private readonly configBefore = process.env['RCLONE_CONFIG'];
  private readonly threads = new FileThreads(systemClock);
  private readonly daemon: RcloneDaemon;
  private opened: OpenKind | undefined;

  private constructor(kind: PlaceKind, stores: StoreRig, root: string) {
    this.kind = kind;
    this.stores = stores;
    this.root = root;
    process.env['RCLONE_CONFIG'] = stores.servers.configFile;
    const stagingFolder = nodePath.join(root, 'staging');
    this.daemon = new RcloneDaemon({ rclone: undefined, clock: systemClock, logger: new MemoryLog(), stagingFolder });
  }

  static async start(kind: PlaceKind): Promise<KindRig> {
    const root = await fs.realpath(await fs.mkdtemp(nodePath.join(os.tmpdir(), 'dts-kinds-')));
    await fs.chmod(root, 0o711);
    const rig = new KindRig(kind, await StoreRig.start(findServers([kind]), {}, { isIdle: true }), root);
    try {
      await rig.open();
      await rig.startService();
    } catch (error) {
      await rig.stop();
      throw error;
    }
    return rig;
  }

  /** Starts the service, which then copies at most the given number of bytes per second. */
  async startService(throttleBytesPerSecond?: number): Promise<void> {
    await this.stores.stopService();
    const remotes = [...this.places].map(([name, { location }]) => {
      return location.remote === undefined ? { name, folder: location.folder } : { name, remote: location.remote };
    });
    const throttle = throttleBytesPerSecond === undefined ? {} : { throttleBytesPerSecond };
    await this.stores.startService({ remotes, gone: false, ...throttle });
  }

  async stop(): Promise<void> {
    await this.daemon.close();
    await this.threads.end();
    await this.stores.stopService();
    for (const folder of this.smallDisks) unmountDisk(folder);
    await this.opened?.close?.();
    await this.stores.stop();
    if (this.configBefore === undefined) delete process.env['RCLONE_CONFIG'];
    else process.env['RCLONE_CONFIG'] = this.configBefore;
    await fs.rm(this.root, { recursive: true });
  }

  /** The place that is the database {@link usual}. */
  get place(): RoutePlace {
    return this.getPlace(usual);
  }

  /** The place that is the database {@link small}. */
  get smallPlace(): RoutePlace {
    return this.getPlace(small);
  }

  private getPlace(name: string): RoutePlace {
    const place = this.places.get(name);
    if (place === undefined) throw new Error(`There is no place ${name}.`);
    return place;
  }

  /** Makes the small disk large. */
  enlarge(): void {
    resizeDisk(this.smallPlace.getFile(''), 32);
  }

  /** Returns the files below a folder once there are as many as expected, after another scan of a store. */
  async find(folder: string, count: number): Promise<readonly FoundFile[]> {
    if (!isFolder(this.kind)) {
      await this.stores.waitForListing(usual);
      const { listing } = await this.stores.rescan(usual);
      if (listing?.state !== 'listed') throw new Error(`The scan ${listing?.state}: ${listing?.problem}`);
      return await this.stores.search(usual, `path:${folder}/`);
    }
    return await eventually(async () => {
      // A search during the first scan of a folder is refused.
      const found = await this.stores.search(usual, `path:${folder}/`).catch(() => []);
      return found.length === count ? found : undefined;
    });
  }

  /** Writes a file to the common source, and submits its transfer. */
  async send(to: string, path: string, content: Buffer | string, modified?: string): Promise<string> {
    const file = nodePath.join(this.stores.folder, path);
    await fs.mkdir(nodePath.dirname(file), { recursive: true });
    await fs.writeFile(file, content);
    if (modified !== undefined) await fs.utimes(file, new Date(modified), new Date(modified));
    const found = await eventually(async () => (await this.stores.search('folder', `path:${path}`).catch(() => []))[0]);
    return await this.stores.submit('folder', to, [found.id]);
  }

  async waitForSuccess(id: string): Promise<StatusBody> {
    const status = await this.stores.waitForStatus(id, 'succeeded', 'failed');
    if (status.status === 'failed') throw new Error(status.message);
    return status;
  }

  /** Returns true if a transfer within the remote leaves the content in the store. */
  async copiesWithin(): Promise<boolean> {
    const { threads, daemon } = this;
    const { route } = new RoutedTransfer(this.place, this.place, { threads, daemon });
    await route.prepare();
    return !route.capabilities.canCountBytes;
  }

  /** Returns true if rclone has a command that restores an object of the place. */
  async restores(path: string): Promise<boolean> {
    const { remote } = this.place.location;
    if (remote === undefined) return false;
    const file = nodePath.join(this.root, 'restored.txt');
    await fs.writeFile(file, `${path}\n`);
    const store = { program: mustFindRclone(), remote, createList: () => ({ file, count: 1 }) };
    const error = await new StoreRestore(store, new AbortController().signal)
      .request([path], { days: 1 })
      .catch((thrown: unknown) => thrown);
    return !(error instanceof StoreError) || !error.message.startsWith('rclone has no command');
  }

  private async open(): Promise<void> {
    this.opened = await openKind(this.kind, this.stores.servers, this.root);
    const place = await createPlace(this.opened, usual, this.stores.servers);
    this.places.set(usual, place);
    if (place.disk === undefined) return;
    await fs.chmod(place.disk, 0o777);
    if (findSmallDiskObstacle(this.kind) !== undefined) return;
    const smallPlace = await createPlace(this.opened, small, this.stores.servers);
    const folder = smallPlace.getFile('');
    if (!mountDiskIn(folder, 2)) throw new Error(`No disk can be mounted in ${folder}.`);
    this.smallDisks.push(folder);
    this.places.set(small, smallPlace);
  }
}

/** The names of the databases. */
export const usual = 'usual';
export const small = 'small';

const canMount = canMountDisks();

/** Returns true if the kind is a folder for the service. */
export function isFolder(kind: PlaceKind): boolean {
  return placeKinds[kind].server === undefined;
}

/** Returns why the files of a kind can't be changed on a disk. */
export function findDiskObstacle(kind: PlaceKind): string | undefined {
  const { server, wrap, hasSameNames } = placeKinds[kind];
  const hasOtherNames = server === 's3' || (wrap !== undefined && hasSameNames !== true);
  return hasOtherNames ? 'its files have other names on the disk' : undefined;
}

/** Returns why a place of the kind can't be on a small disk. */
export function findSmallDiskObstacle(kind: PlaceKind): string | undefined {
  const { fileSystem, isMounted }: KindOfPlace = placeKinds[kind];
  if (fileSystem !== undefined || isMounted === true) return 'the small disk of another kind is the same';
  return findDiskObstacle(kind) ?? (canMount ? undefined : 'mounting a file system needs root on Linux');
}
