import * as fs from 'node:fs/promises';
import * as os from 'node:os';
import * as nodePath from 'node:path';
import { ContractRig, type Answer, type FoundFile } from './contractRig.ts';
import { eventually } from './eventually.ts';
import { startLocalService, type StartedService } from './localService.ts';
import { StoreServers, type StoreKind, type StoreOptions } from './storeServers.ts';
import type { StatusBody } from './transferClient.ts';

interface DatabaseBody {
  readonly name: string;
  readonly url: string;
  readonly listing?: {
    readonly state: string;
    readonly files: number;
    readonly asOf?: string;
    readonly problem?: string;
    readonly leftOut?: Readonly<Record<string, number>>;
  };
}

interface StoreServiceOptions {
  readonly throttleBytesPerSecond?: number;
  readonly storeBytesPerSecond?: number;
  readonly rclone?: string;
  /** The path of the program to start, see {@link startLocalService}. */
  readonly program?: string;
  /** Additional databases. */
  readonly remotes?: readonly { readonly name: string; readonly remote?: string; readonly folder?: string }[];
  /** False to omit the store `gone`, which can't be reached; defaults to true. */
  readonly gone?: boolean;
  /** Additional environment variables of the service. */
  readonly environment?: Readonly<Record<string, string>>;
}

interface StoreRigOptions extends StoreOptions {
  /** Interval in milliseconds at which the rig polls transfers and initial scans; defaults to 10. */
  readonly intervalMs?: number;
  /** True to start no service yet. */
  readonly isIdle?: boolean;
}

/**
 * A service in another process. Its databases are one store of each kind, named after the kind; the folder `folder`;
 * and the unreachable store `gone`.
 */
export class StoreRig extends ContractRig {
  readonly servers: StoreServers;
  readonly folder: string;
  readonly data: string;
  private readonly kinds: readonly StoreKind[];
  private readonly root: string;
  private readonly intervalMs: number;
  private running: StartedService | undefined;
  /** The logs of the services that have ended. */
  private logs = '';

  private constructor(root: string, servers: StoreServers, kinds: readonly StoreKind[], intervalMs: number) {
    super();
    this.intervalMs = intervalMs;
    this.root = root;
    this.servers = servers;
    this.kinds = kinds;
    this.folder = nodePath.join(root, 'folder');
    this.data = nodePath.join(root, 'data');
  }

  static async start(
    kinds: readonly StoreKind[],
    files: Partial<Record<StoreKind, Readonly<Record<string, string | Buffer>>>> = {},
    options: StoreRigOptions = {},
  ): Promise<StoreRig> {
    const root = await fs.mkdtemp(nodePath.join(options.parent ?? os.tmpdir(), 'dts-store-rig-'));
    const rig = new StoreRig(root, await StoreServers.start(kinds, options), kinds, options.intervalMs ?? 10);
    try {
      await fs.mkdir(rig.folder);
      for (const kind of kinds) await rig.servers.write(kind, files[kind] ?? {});
      if (options.isIdle !== true) await rig.startService();
    } catch (error) {
      await rig.stop();
      throw error;
    }
    return rig;
  }

  override get service(): StartedService {
    if (this.running === undefined) throw new Error('The service does not run.');
    return this.running;
  }

  /** The logs of all services of this rig, including the running one. */
  get log(): string {
    return this.logs + (this.running?.log() ?? '');
  }

  async startService(more: StoreServiceOptions = {}): Promise<void> {
    const { remotes = [], program, gone = true, environment: variables, ...config } = more;
    const stores = this.kinds.map((kind) => ({ name: kind, remote: this.servers.remote(kind) }));
    const databases = [
      ...stores,
      { name: 'folder', folder: this.folder },
      ...(gone ? [{ name: 'gone', remote: 'gone:' }] : []),
      ...remotes,
    ];
    const environment = { ...this.servers.environment, ...variables };
    const options = { environment, ...(program !== undefined && { program }) };
    this.running = await startLocalService({ databases, dataFolder: this.data, ...config }, options);
  }

  async stopService(): Promise<void> {
    await this.running?.stop();
    this.forgetService();
  }

  /** Waits for the service to end after it has been sent a signal. */
  async waitForEnd(): Promise<void> {
    await this.running?.ended;
    this.forgetService();
  }

  async killService(): Promise<void> {
    await this.running?.kill();
    this.forgetService();
  }

  async stop(): Promise<void> {
    await this.stopService();
    await this.servers.stop();
    await fs.rm(this.root, { recursive: true, force: true });
  }

  /**
   * Sends a request like {@link ContractRig.call}, but closes the connection afterwards, so that tests can count the
   * service's open files. Replaces the headers in `init`.
   */
  override async call(method: string, path: string, body?: unknown, init: RequestInit = {}): Promise<Answer> {
    return await super.call(method, path, body, { ...init, headers: { connection: 'close' } });
  }

  /** Searches a database. For a store, waits until the initial scan has ended. */
  async find(database: string, query = '', more: object = {}): Promise<FoundFile[]> {
    await eventually(async () => {
      const { listing } = await this.describe(database);
      return listing && listing.asOf === undefined && listing.state !== 'failed' ? undefined : true;
    });
    return await this.search(database, query, more);
  }

  async findPaths(database: string, query = '', more: object = {}): Promise<string[]> {
    return (await this.find(database, query, more)).map(({ path }) => path);
  }

  async describe(database: string): Promise<DatabaseBody> {
    return (await this.call('GET', `/api/v1/databases/${database}`)).body as DatabaseBody;
  }

  /** Waits until the initial scan of a store has completed; resolves to the database. Rejects after five minutes. */
  async waitForListing(database: string): Promise<DatabaseBody> {
    return await eventually(
      async () => {
        const body = await this.describe(database);
        return body.listing?.asOf === undefined ? undefined : body;
      },
      300_000,
      this.getIntervalMs(),
    );
  }

  /** Scans a database again and waits until the scan has ended; resolves to the database. */
  async rescan(database: string): Promise<DatabaseBody> {
    const before = (await this.describe(database)).listing;
    await this.call('POST', `/databases/${database}/scans`);
    return await eventually(async () => {
      const now = await this.describe(database);
      if (now.listing?.state === 'scanning') return undefined;
      return now.listing?.asOf !== before?.asOf || now.listing?.state === 'failed' ? now : undefined;
    });
  }

  async submit(source: string, destination: string, ids: readonly string[]): Promise<string> {
    return await this.mustRequestTransfer({ source, destination, file_ids: ids });
  }

  /** Transfers files; resolves to the status once the transfer has succeeded or failed. */
  async transfer(source: string, destination: string, ids: readonly string[]): Promise<StatusBody> {
    return await this.waitForStatus(await this.submit(source, destination, ids), 'succeeded', 'failed');
  }

  protected override getLimitMs(): number {
    return 600_000;
  }

  protected override getIntervalMs(): number {
    return this.intervalMs;
  }

  private forgetService(): void {
    this.logs += this.running?.log() ?? '';
    this.running = undefined;
  }
}
