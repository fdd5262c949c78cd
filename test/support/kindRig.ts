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
import { findServers, openKind, placeKinds, type PlaceKind } from './placeKinds.ts';
import { createPlace, RoutedTransfer, type RoutePlace } from './routeRig.ts';
import { mountDiskIn, resizeDisk, unmountDisk } from './smallDisk.ts';
import { StoreRig } from './storeRig.ts';
import { mustFindRclone } from './storeServers.ts';
import type { StatusBody } from './transferClient.ts';

/**
 * A service whose databases are an empty place of each kind, and for each with a disk a second one of 2 MB, if it can be
 * mounted.
 */
export class KindRig {
  readonly stores: StoreRig;
  private readonly root: string;
  private readonly places = new Map<string, RoutePlace>();
  private readonly smallDisks: string[] = [];
  private readonly configBefore = process.env['RCLONE_CONFIG'];
  private readonly threads = new FileThreads(systemClock);
  private readonly daemon: RcloneDaemon;

  private constructor(stores: StoreRig, root: string) {
    this.stores = stores;
    this.root = root;
    process.env['RCLONE_CONFIG'] = stores.servers.configFile;
    const stagingFolder = nodePath.join(root, 'staging');
    this.daemon = new RcloneDaemon({ rclone: undefined, clock: systemClock, logger: new MemoryLog(), stagingFolder });
  }

  static async start(kinds: readonly PlaceKind[]): Promise<KindRig> {
    const root = await fs.realpath(await fs.mkdtemp(nodePath.join(os.tmpdir(), 'dts-kinds-')));
    await fs.chmod(root, 0o711);
    const stores = await StoreRig.start(findServers(kinds));
    const rig = new KindRig(stores, root);
    try {
      await stores.stopService();
      for (const kind of kinds) await rig.open(kind);
      await rig.startService();
    } catch (error) {
      await rig.stop();
      throw error;
    }
    return rig;
  }

  private async startService(): Promise<void> {
    const remotes = [...this.places].map(([name, { location }]) => {
      return location.remote === undefined ? { name, folder: location.folder } : { name, remote: location.remote };
    });
    await this.stores.startService({ remotes, gone: false });
  }

  async stop(): Promise<void> {
    await this.daemon.close();
    await this.threads.end();
    await this.stores.stopService();
    for (const folder of this.smallDisks) unmountDisk(folder);
    await this.stores.stop();
    if (this.configBefore === undefined) delete process.env['RCLONE_CONFIG'];
    else process.env['RCLONE_CONFIG'] = this.configBefore;
    await fs.rm(this.root, { recursive: true });
  }

  /** Returns the place of a database. */
  getPlace(name: string): RoutePlace {
    const place = this.places.get(name);
    if (place === undefined) throw new Error(`There is no place ${name}.`);
    return place;
  }

  /** Makes the small disk of a kind large. */
  enlarge(kind: PlaceKind): void {
    resizeDisk(this.getPlace(getSmallName(kind)).getFile(''), 32);
  }

  /** Returns the files below a folder once there are as many as expected, after another scan of a store. */
  async find(name: string, folder: string, count: number): Promise<readonly FoundFile[]> {
    if (this.getPlace(name).location.remote !== undefined) {
      await this.stores.waitForListing(name);
      const { listing } = await this.stores.rescan(name);
      if (listing?.state !== 'listed') throw new Error(`The scan ${listing?.state}: ${listing?.problem}`);
      return await this.stores.search(name, `path:${folder}/`);
    }
    return await eventually(async () => {
      // A search during the first scan of a folder is refused.
      const found = await this.stores.search(name, `path:${folder}/`).catch(() => []);
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
  async copiesWithin(kind: PlaceKind): Promise<boolean> {
    const { threads, daemon } = this;
    const { route } = new RoutedTransfer(this.getPlace(getName(kind)), this.getPlace(getName(kind)), {
      threads,
      daemon,
    });
    await route.prepare();
    return !route.capabilities.canCountBytes;
  }

  /** Returns true if rclone has a command that restores an object of the place. */
  async restores(kind: PlaceKind, path: string): Promise<boolean> {
    const { remote } = this.getPlace(getName(kind)).location;
    if (remote === undefined) return false;
    const file = nodePath.join(this.root, 'restored.txt');
    await fs.writeFile(file, `${path}\n`);
    const store = { program: mustFindRclone(), remote, createList: () => ({ file, count: 1 }) };
    const error = await new StoreRestore(store, new AbortController().signal)
      .request([path], { days: 1 })
      .catch((thrown: unknown) => thrown);
    return !(error instanceof StoreError) || !error.message.startsWith('rclone has no command');
  }

  private async open(kind: PlaceKind): Promise<void> {
    const opened = openKind(kind, this.stores.servers, this.root);
    const place = await createPlace(opened, `${kind}-place`, this.stores.servers);
    this.places.set(getName(kind), place);
    if (place.disk !== undefined) await fs.chmod(place.disk, 0o777);
    if (place.disk === undefined) return;
    const small = await createPlace(opened, `${kind}-small`, this.stores.servers);
    if (!mountDiskIn(small.getFile(''), 2)) return;
    this.smallDisks.push(small.getFile(''));
    this.places.set(getSmallName(kind), small);
  }
}

/** Returns the name of the database of a kind. */
export function getName(kind: PlaceKind): string {
  return `${kind} place`;
}

/** Returns the name of the database of a kind whose disk is small. */
export function getSmallName(kind: PlaceKind): string {
  return `${kind} small`;
}

/** Returns true if the kind is a folder for the service. */
export function isFolder(kind: PlaceKind): boolean {
  return placeKinds[kind].server === undefined;
}
