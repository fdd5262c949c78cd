import { createHash } from 'node:crypto';
import * as fs from 'node:fs/promises';
import * as nodePath from 'node:path';
import * as z from 'zod/mini';
import type { Clock } from '../../core/util/clock.ts';
import { createFolder } from '../../core/util/createFolder.ts';
import { writeFileAtomically } from '../../core/util/durableFiles.ts';
import type { TransferRecord } from '../transfers/journal.ts';
import { TransferSuspension } from '../transfers/transferErrors.ts';
import { isAlive, Slurm } from './slurm.ts';
import { TaskArray } from './taskFiles.ts';

/** The configuration of transfers that run as tasks on the nodes of a cluster. */
export const clusterSchema = z.strictObject({
  slurm: z.strictObject({
    /** A folder of this user that all nodes reach under the same path. */
    folder: z.string().check(z.minLength(1)),
    partition: z.optional(z.string().check(z.minLength(1))),
    /** Maximum number of tasks of one transfer at a time; 4 if absent. */
    tasks: z.optional(z.int().check(z.gte(1), z.lte(1_000))),
    /** More options of sbatch, such as `--account=lab`. */
    options: z.optional(z.array(z.string())),
    /** Path of Node.js on the nodes; the service's own if absent. */
    node: z.optional(z.string().check(z.minLength(1))),
    /** Size of a transfer, or its number of files, from which it runs on the cluster. */
    minBytes: z.optional(z.number().check(z.gte(0))),
    minFiles: z.optional(z.number().check(z.gte(0))),
  }),
});

/** See {@link clusterSchema}. */
export type ClusterConfig = z.infer<typeof clusterSchema>;

/** Maximum time to wait for the end of canceled tasks. Those that run look every second whether they still may. */
const cancelLimitMs = 10_000;
const defaults = { tasks: 4, minBytes: 1_000_000_000, minFiles: 2_000 } as const;
/** The program of the tasks, beside the built service and, for a service that runs from its sources, in the build. */
const programs = ['../cluster/task.js', '../../../dist/cluster/task.js'] as const;

/** The cluster whose nodes run large transfers between folders. */
export class Cluster {
  readonly slurm: Slurm;
  readonly clock: Clock;
  private readonly config: ClusterConfig['slurm'];

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

  /** Returns true if a transfer is large enough for the cluster. */
  isWorthwhile({ fileCount, sizeBytes }: TransferRecord): boolean {
    const { minBytes = defaults.minBytes, minFiles = defaults.minFiles } = this.config;
    return sizeBytes >= minBytes || fileCount >= minFiles;
  }

  /** Returns the folder of a transfer's arrays, which need not exist. */
  getTransferFolder(transferId: string): string {
    // The transfer's folder at the destination has another name, so that it is never removed in place of this one.
    return nodePath.join(this.config.folder, `tasks-${transferId}`);
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
    const isEnded = await this.cancelTasks(transferId).catch(() => false);
    if (isEnded) await this.removeTransferFolder(transferId);
    return isEnded;
  }

  /** Removes the folder of a transfer's arrays. Never rejects. */
  async removeTransferFolder(transferId: string): Promise<void> {
    const folder = this.getTransferFolder(transferId);
    await fs.rm(folder, { recursive: true, force: true, maxRetries: 3 }).catch(() => undefined);
  }

  private async cancelTasks(transferId: string): Promise<boolean> {
    const { slurm, clock } = this;
    const arrays = await TaskArray.list(this.getTransferFolder(transferId));
    await Promise.all(arrays.map(async (array) => await array.forbid()));
    await slurm.cancel(arrays.flatMap(({ id }) => id ?? []));
    for (const endMs = clock.now() + cancelLimitMs; clock.now() < endMs;) {
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

/** Creates the suspension of a transfer whose tasks can't use their folder. */
export function createFolderSuspension(reason: string): TransferSuspension {
  const setting = 'see cluster.slurm.folder in the configuration';
  return new TransferSuspension(`waiting: the folder of the cluster's tasks can't be used: ${reason} (${setting})`);
}

async function readProgram(): Promise<string> {
  const [built, ofSources] = programs.map((path) => nodePath.join(import.meta.dirname, path));
  return await fs.readFile(built ?? '', 'utf8').catch(async () => await fs.readFile(ofSources ?? '', 'utf8'));
}
