import * as fs from 'node:fs/promises';
import * as os from 'node:os';
import * as nodePath from 'node:path';
import type { Logger } from '../../src/core/util/logger.ts';
import { startService, type RunningService } from '../../src/service/startService.ts';
import { parseConfig, type ServiceConfig } from '../../src/service/config.ts';
import { ContractRig, type Answer } from './contractRig.ts';
import { eventually } from './eventually.ts';
import { TestLease, type LeasedFolder, type LeasedStore } from './heldLease.ts';
import { waitForScans } from './waitForScans.ts';

interface RigOptions extends Partial<Omit<Parameters<typeof startService>[1], 'logger'>> {
  readonly retentionDays?: number;
  readonly throttleBytesPerSecond?: number;
  readonly trustedHosts?: readonly string[];
  readonly cluster?: ServiceConfig['cluster'];
  /** By default, follow-ups are allowed as in a shared service. */
  readonly followUps?: boolean | 'unset';
  readonly port?: number;
  /** Name of a database to omit from the configuration. */
  readonly without?: string;
  /** Name of a database to configure as read-only. */
  readonly readOnly?: string;
  /** Configures no databases and runs the service like the one that all windows share (D29: shared service). */
  readonly shared?: boolean;
  /** Configures both folders even if the service is shared. */
  readonly configured?: boolean;
  /** Called after the service has ended and before it is started again. */
  readonly whileStopped?: () => void;
}

/** Runs a service in this process. It serves two new folders, `source` and `target`, as `Source Data` and `Target`. */
export class ServiceRig extends ContractRig {
  readonly root: string;
  readonly logged: string[] = [];
  /** Called with each message before it is added to {@link logged}, while the service waits. */
  onLog: (message: string) => void = () => undefined;
  private running: RunningService | undefined;

  private constructor(root: string) {
    super();
    this.root = root;
  }

  /** Creates the folders, writes the files (path to content) to the source, and starts the service. */
  static async start(files: Readonly<Record<string, string>>, options: RigOptions = {}): Promise<ServiceRig> {
    const rig = new ServiceRig(await fs.mkdtemp(nodePath.join(os.tmpdir(), 'dts-rig-')));
    await fs.mkdir(rig.target, { recursive: true });
    await rig.write(files);
    await rig.restart(options);
    return rig;
  }

  get source(): string {
    return nodePath.join(this.root, 'source');
  }

  get target(): string {
    return nodePath.join(this.root, 'target');
  }

  /** Both folders, in the form of a lease request. */
  get folders(): readonly LeasedFolder[] {
    return [
      { name: 'Source Data', folder: this.source, organization: 'Lab' },
      { name: 'Target', folder: this.target },
    ];
  }

  override get service(): RunningService {
    if (this.running === undefined) throw new Error('The service does not run.');
    return this.running;
  }

  async write(files: Readonly<Record<string, string>>): Promise<void> {
    await fs.mkdir(this.source, { recursive: true });
    for (const [path, content] of Object.entries(files)) {
      const file = nodePath.join(this.source, path);
      await fs.mkdir(nodePath.dirname(file), { recursive: true });
      await fs.writeFile(file, content);
    }
  }

  /** Stops the service if it is running, starts it with the given options, and waits until it has scanned its folders. */
  async restart(options: RigOptions = {}): Promise<void> {
    await this.running?.close();
    const {
      retentionDays,
      throttleBytesPerSecond,
      trustedHosts,
      cluster,
      followUps = true,
      port,
      without,
      readOnly,
      shared,
      configured = shared !== true,
      whileStopped,
      ...rest
    } = options;
    whileStopped?.();
    const served = this.folders.map((folder) => (folder.name === readOnly ? { ...folder, readOnly: true } : folder));
    const databases = configured ? served.filter(({ name }) => name !== without) : [];
    const limits = { retentionDays, throttleBytesPerSecond, trustedHosts };
    const config = {
      dataFolder: 'data',
      databases,
      ...limits,
      shared,
      cluster,
      port,
      followUps: followUps === 'unset' ? undefined : followUps,
    };
    const note = (message: string): void => {
      this.onLog(message);
      this.logged.push(message);
    };
    const logger: Logger = { trace: note, debug: note, info: note, warn: note, error: note };
    this.running = await startService(parseConfig(JSON.stringify(config), this.root), { ...rest, logger });
    await waitForScans(this.running);
  }

  async stop(): Promise<void> {
    await this.running?.close();
    await fs.rm(this.root, { recursive: true, force: true });
  }

  /** Returns the paths of the files that a search of the source finds, in the order of the results. */
  async find(query: string, more: object = {}): Promise<string[]> {
    return (await this.search('Source Data', query, more)).map((resource) => resource.path);
  }

  /** Waits until a search of the source finds `count` files. Needed after files are added or removed. */
  async reachesFiles(query: string, count: number): Promise<void> {
    await eventually(async () => ((await this.find(query)).length === count ? true : undefined));
  }

  async submit(fileIds: readonly string[], more: object = {}): Promise<Answer> {
    return await this.requestTransfer(describeTransfer(fileIds, more));
  }

  /** Submits a transfer and returns its ID. Throws if the transfer isn't accepted. */
  async mustSubmit(fileIds: readonly string[], more: object = {}): Promise<string> {
    return await this.mustRequestTransfer(describeTransfer(fileIds, more));
  }

  /**
   * Opens a lease on the given databases, by default both folders, and waits until their folders are scanned; see
   * {@link TestLease}.
   */
  async lease(
    databases: readonly (LeasedFolder | LeasedStore)[] = this.folders,
    more: object = {},
  ): Promise<TestLease> {
    const lease = await TestLease.open(this.service, databases, more);
    await waitForScans(this.service);
    return lease;
  }

  /** Returns the names of all databases that are currently served. */
  async names(): Promise<string[]> {
    const { body } = await this.call('GET', '/api/v1/databases');
    return (body as { name: string }[]).map(({ name }) => name);
  }

  /** Returns the relative paths of all files below the target, sorted. */
  async listReceivedFiles(): Promise<string[]> {
    const entries = await fs.readdir(this.target, { recursive: true, withFileTypes: true });
    const files = entries.filter((entry) => entry.isFile());
    return files.map((file) => nodePath.relative(this.target, nodePath.join(file.parentPath, file.name))).sort();
  }
}

function describeTransfer(fileIds: readonly string[], more: object): object {
  return { source: 'Source Data', destination: 'Target', file_ids: fileIds, ...more };
}
