import { createHash } from 'node:crypto';
import * as fs from 'node:fs/promises';
import * as nodePath from 'node:path';
import { settlesWithin, type Clock } from '../../core/util/clock.ts';
import { createFolder } from '../../core/util/createFolder.ts';
import { writeFileAtomically } from '../../core/util/durableFiles.ts';
import type { TransferRecord } from '../transfers/journal.ts';
import { TransferSuspension } from '../transfers/transferErrors.ts';
import type { ClusterConfig, ClusterSummary } from './clusterConfig.ts';
import { isAlive, Slurm } from './slurm.ts';
import { listFolder, TaskArray } from './taskFiles.ts';

/** Maximum time for ending the tasks of a transfer. Those that run look every second whether they still may. */
const cancelLimitMs = 10_000;
/** Maximum time for looking into a folder, whose disk may hang. */
const folderLimitMs = 1_000;
/** Names the folder of a transfer's arrays otherwise than that at the destination, whose place it must never take. */
const folderStart = 'tasks-';
const defaults = { tasks: 4, minBytes: 1_000_000_000, minFiles: 2_000 } as const;
/** The program of the tasks, beside the built service and, for a service that runs from its sources, in the build. */
const programs = ['../cluster/task.js', '../../../dist/cluster/task.js'] as const;

/** The cluster whose nodes run large transfers between folders. */
export class Cluster {
  readonly slurm: Slurm;
  readonly clock: Clock;
  private config: ClusterConfig['slurm'];

  constructor({ slurm }: ClusterConfig, clock: Clock) {
    this.config = slurm;
    this.clock = clock;
    this.slurm = new Slurm(clock);
  }

  /** Maximum number of tasks of one transfer at a time. */
  get parallelTasks(): number {
    return this.config.tasks ?? defaults.tasks;
  }

  /** The options that the configuration adds to those of each array. */
  get options(): readonly string[] {
    const { options = [], partition } = this.config;
    return [...options, ...(partition === undefined ? [] : [`--partition=${partition}`])];
  }

  get summary(): ClusterSummary {
    const { partition } = this.config;
    return { tasks: this.parallelTasks, ...(partition !== undefined && { partition }) };
  }

  /** The size of transfers that run on the cluster: at least one of the minimums. */
  get minimums(): { readonly minBytes: number; readonly minFiles: number } {
    const { minBytes = defaults.minBytes, minFiles = defaults.minFiles } = this.config;
    return { minBytes, minFiles };
  }

  /** Returns true if a transfer is large enough for the cluster. */
  isWorthwhile({ fileCount, sizeBytes }: TransferRecord): boolean {
    const { minBytes, minFiles } = this.minimums;
    return sizeBytes >= minBytes || fileCount >= minFiles;
  }

  /** Uses other options from now on. Their folder must be the same, because jobs and results are in it. */
  change({ slurm }: ClusterConfig): void {
    this.config = slurm;
  }

  /** The folder of all arrays. */
  get folder(): string {
    return this.config.folder;
  }

  /** Returns the folder of a transfer's arrays, which need not exist. */
  getTransferFolder(transferId: string): string {
    return nodePath.join(this.folder, `${folderStart}${transferId}`);
  }

  /** Returns the IDs of the transfers that have a folder of arrays; none if the folder of all doesn't exist. */
  async listTransfers(): Promise<readonly string[]> {
    const names = await listFolder(this.folder);
    return names.filter((name) => name.startsWith(folderStart)).map((name) => name.slice(folderStart.length));
  }

  /** Creates the folder of a transfer's arrays, and returns it. */
  async createTransferFolder(transferId: string): Promise<string> {
    await this.requireOwnFolder();
    const folder = this.getTransferFolder(transferId);
    await createFolder(folder, 0o700);
    return folder;
  }

  /** Copies the program of the tasks to where the nodes reach it, and returns the command that starts it. */
  async copyProgram(): Promise<readonly [node: string, program: string]> {
    await this.requireOwnFolder();
    const text = await readProgram();
    const hash = createHash('sha256').update(text).digest('hex').slice(0, 16);
    // Tasks may still use another version, which has another name. Old files may have been removed.
    const file = nodePath.join(this.config.folder, `task-${hash}.mjs`);
    await writeFileAtomically(file, text);
    return [this.config.node ?? process.execPath, file];
  }

  /** Returns the IDs of the arrays with tasks that wait or run. Throws `SlurmError`. */
  async findAlive(arrays: readonly TaskArray[]): Promise<readonly string[]> {
    if (arrays.length === 0) return [];
    const tasks = await this.slurm.findTasks(arrays.map(({ name }) => name));
    return [...new Set(tasks.filter(isAlive).map(({ arrayId }) => arrayId))];
  }

  /**
   * Ends the tasks of a transfer, also those of earlier runs of the service, and removes their folder. Returns false if
   * some may still work because Slurm doesn't respond. Never rejects.
   */
  async endTasks(transferId: string): Promise<boolean> {
    const ending = this.cancelTasks(transferId).catch(() => false);
    if (!(await settlesWithin(this.clock, cancelLimitMs, ending)) || !(await ending)) return false;
    await this.removeTransferFolder(transferId);
    return true;
  }

  /** Resolves to true if a transfer has a folder of arrays; to false if that isn't known within a second. */
  async hasTasks(transferId: string): Promise<boolean> {
    const found = fs.stat(this.getTransferFolder(transferId)).then(
      () => true,
      () => false,
    );
    return (await settlesWithin(this.clock, folderLimitMs, found)) && (await found);
  }

  /** Removes the folder of a transfer's arrays. Never rejects. */
  async removeTransferFolder(transferId: string): Promise<void> {
    const folder = this.getTransferFolder(transferId);
    await fs.rm(folder, { recursive: true, force: true, maxRetries: 3 }).catch(() => undefined);
  }

  private async cancelTasks(transferId: string): Promise<boolean> {
    const { slurm, clock } = this;
    const endMs = clock.now() + cancelLimitMs;
    const arrays = await TaskArray.list(this.getTransferFolder(transferId));
    await Promise.all(arrays.map(async (array) => await array.forbid()));
    await slurm.cancel(arrays.flatMap(({ id }) => id ?? []));
    while (clock.now() < endMs) {
      const alive = await this.findAlive(arrays);
      if (alive.length === 0) return true;
      await slurm.cancel(alive);
    }
    return false;
  }

  private async requireOwnFolder(): Promise<void> {
    const { folder } = this.config;
    await createFolder(folder, 0o700);
    const { mode, uid } = await fs.stat(folder);
    const isOwn = uid === process.getuid?.() && (mode & 0o022) === 0;
    // Others could replace the program.
    if (!isOwn) throw createFolderSuspension('only the user of the service may own it and write to it');
  }
}

/** The cluster that new transfers use, if there is one; it can change while the service runs. */
export class ClusterChoice {
  private readonly clock: Clock;
  private configured: string | undefined;
  private last: Cluster | undefined;
  /** All clusters since the start of the service, by folder. */
  private readonly clusters = new Map<string, Cluster>();
  /** The clusters of transfers that wait for their databases. */
  private readonly kept = new Map<string, Cluster>();

  constructor(config: ClusterConfig | undefined, clock: Clock) {
    this.clock = clock;
    this.configure(config);
  }

  get current(): Cluster | undefined {
    return this.configured === undefined ? undefined : this.last;
  }

  /** The current cluster or, if there is none, the one before, which may have tasks to end. */
  get latest(): Cluster | undefined {
    return this.last;
  }

  /** Applies a configuration. Transfers that run on a cluster stay there. Returns false if nothing has changed. */
  configure(config: ClusterConfig | undefined): boolean {
    const text = config && JSON.stringify(config);
    if (text === this.configured) return false;
    this.configured = text;
    if (config === undefined) return true;
    const { folder } = config.slurm;
    const known = this.clusters.get(folder);
    this.last = known ?? new Cluster(config, this.clock);
    this.last.change(config);
    this.clusters.set(folder, this.last);
    return true;
  }

  /**
   * Applies a configuration as {@link configure} does. Also the transfers with tasks of an earlier start, which may wait
   * for their databases, stay on the cluster that is replaced.
   */
  async replace(config: ClusterConfig | undefined): Promise<boolean> {
    const { last } = this;
    if (last !== undefined && last.folder !== config?.slurm.folder) {
      const listing = last.listTransfers().catch(() => []);
      const ids = (await settlesWithin(this.clock, folderLimitMs, listing)) ? await listing : [];
      for (const id of ids) this.keep(id, last);
    }
    return this.configure(config);
  }

  /** Ends the commands of Slurm that run, so that none that hangs delays the end of the service. */
  close(): void {
    for (const { slurm } of this.clusters.values()) slurm.close();
  }

  /** Has a transfer go on with its cluster, where it may have tasks, when {@link take} asks for it. */
  keep(transferId: string, cluster: Cluster | undefined): void {
    if (cluster !== undefined) this.kept.set(transferId, cluster);
  }

  /** Returns the cluster of {@link keep} and forgets it; undefined if there is none. */
  take(transferId: string): Cluster | undefined {
    const cluster = this.kept.get(transferId);
    this.kept.delete(transferId);
    return cluster;
  }

  /**
   * Ends the tasks of a transfer on every cluster since the start of the service, as {@link Cluster.endTasks} does. A
   * former cluster counts for the result only if the transfer has tasks there, because its disk may be gone for good.
   */
  async endTasks(transferId: string): Promise<boolean> {
    const counted = [this.take(transferId), this.last];
    const results = [...this.clusters.values()].map(async (cluster) => {
      if (await cluster.endTasks(transferId)) return true;
      return !counted.includes(cluster) && !(await cluster.hasTasks(transferId));
    });
    return !(await Promise.all(results)).includes(false);
  }
}

/** Creates the suspension of a transfer whose tasks can't use their folder. */
export function createFolderSuspension(reason: string): TransferSuspension {
  const setting = 'see cluster.slurm.folder in the configuration';
  return new TransferSuspension(`waiting: the folder of the cluster's tasks can't be used: ${reason} (${setting})`);
}

async function readProgram(): Promise<string> {
  const [built, ofSources] = programs.map((path) => nodePath.join(import.meta.dirname, path));
  return await fs.readFile(built ?? '', 'utf8').catch(async () => await fs.readFile(ofSources ?? '', 'utf8'));
}
