import * as fs from 'node:fs/promises';
import { getErrorCode } from '../../core/util/errorFacts.ts';
import {
  isStopRequested,
  JobStopped,
  type FileFailure,
  type FileToMove,
  type FileToStage,
  type JobResult,
  type JobSignal,
} from '../transfers/fileJobs.ts';
import {
  FolderRoute,
  type RouteCapabilities,
  type RouteOptions,
  type TransferredFiles,
} from '../transfers/folderRoute.ts';
import type { TransferRecordFile } from '../transfers/journal.ts';
import { findSystemCode, TransferFailure, TransferSuspension } from '../transfers/transferErrors.ts';
import { createFolderSuspension, type Cluster } from './cluster.ts';
import { isAlive, SlurmError } from './slurm.ts';
import { TaskArray, type TaskJob } from './taskFiles.ts';
import { endedTaskCode, TaskRun } from './taskRun.ts';

/** Maximum time to wait for the end of canceled tasks. Those that run look every second whether they still may. */
const cancelLimitMs = 10_000;

/** Transfers files between two folders with tasks on the nodes of a cluster, which reach both under the same paths. */
export class ClusterRoute extends FolderRoute {
  private readonly cluster: Cluster;
  /** The arrays of the transfer, also those of earlier runs of the service; undefined until they have been read. */
  private arrays: TaskArray[] | undefined;
  private current: TaskRun | undefined;

  constructor(options: RouteOptions, cluster: Cluster) {
    super(options);
    this.cluster = cluster;
  }

  override get capabilities(): RouteCapabilities {
    // The route itself divides the files among tasks.
    const jobLimit = { files: Infinity, bytes: Infinity };
    return { ...super.capabilities, mayWriteLate: true, parallelJobs: 1, jobLimit };
  }

  get activity(): string | undefined {
    return this.current?.activity;
  }

  override async prepare(): Promise<void> {
    const isMoving = await this.useSlurm(async () => {
      const moves = (await this.readArrays()).filter(({ kind }) => kind === 'move');
      return (await this.findAlive(moves)).length > 0;
    });
    // Otherwise, tasks of an earlier run still need their unfinished files.
    if (!isMoving) await super.prepare();
  }

  override async stage(files: readonly FileToStage[], signal: JobSignal): Promise<JobResult> {
    const { folder = '' } = this.options.source.location;
    return await this.useSlurm(async () => await this.runTasks({ kind: 'stage', job: { folder, files } }, signal));
  }

  override async move(files: readonly FileToMove[], signal: JobSignal): Promise<JobResult> {
    const { transferId, source, destination, destinationPlace, throttleBytesPerSecond } = this.options;
    const sides = { source: { location: source.location }, destination: { location: destination.location } };
    const bytesPerSecond = throttleBytesPerSecond && throttleBytesPerSecond / this.cluster.parallelTasks;
    // Flushing the file system of this machine would say nothing about the nodes.
    const job = { transferId, ...sides, destinationPlace, bytesPerSecond, isFlushed: true, files };
    return await this.useSlurm(async () => await this.runTasks({ kind: 'move', job }, signal));
  }

  override async finish(transferred: TransferredFiles, signal: AbortSignal): Promise<boolean> {
    const isComplete = await super.finish(transferred, signal);
    await this.removeArrays();
    return isComplete;
  }

  /** Also ends the tasks. Returns false if some may still write because Slurm doesn't respond. */
  override async discard(manifestName: string): Promise<boolean> {
    const isEnded = await this.endTasks().catch(() => false);
    const isRemoved = await super.discard(manifestName);
    if (isEnded) await this.removeArrays();
    return isEnded && isRemoved;
  }

  override async toTransferError(failure: FileFailure, file: TransferRecordFile): Promise<unknown> {
    if (failure.code !== endedTaskCode) return await super.toTransferError(failure, file);
    const text = failure.text ?? '';
    const mayRepeat = this.attempts.countFailure(`task of ${file.path}`);
    return mayRepeat ? new TransferSuspension(`waiting to try again: ${text}`) : new TransferFailure(text);
  }

  private async runTasks(task: TaskJob, signal: JobSignal): Promise<JobResult> {
    if (isStopRequested(signal)) return { done: [], isStopped: true };
    const { cluster } = this;
    const { transferId } = this.options;
    const run = new TaskRun({ cluster, transferId, arrays: await this.readArrays(), task, signal });
    this.current = run;
    try {
      const done = await run.adopt();
      if (task.kind === 'move' && done.size > 0) {
        const moved = task.job.files.filter(({ position }) => done.has(position));
        run.forget((await this.findLost(moved, signal)).lost ?? []);
      }
      return await run.run();
    } catch (error) {
      if (error instanceof JobStopped) return { done: run.listDone(), isStopped: true };
      throw error;
    } finally {
      this.current = undefined;
    }
  }

  private async readArrays(): Promise<TaskArray[]> {
    this.arrays ??= await TaskArray.list(this.cluster.getTransferFolder(this.options.transferId));
    return this.arrays;
  }

  private async findAlive(arrays: readonly TaskArray[]): Promise<readonly string[]> {
    if (arrays.length === 0) return [];
    const tasks = await this.cluster.slurm.findTasks(arrays.map(({ name }) => name));
    return [...new Set(tasks.filter(isAlive).map(({ arrayId }) => arrayId))];
  }

  private async endTasks(): Promise<boolean> {
    const { slurm, clock } = this.cluster;
    const arrays = await this.readArrays();
    await Promise.all(arrays.map(async (array) => await array.forbid()));
    await slurm.cancel(arrays.flatMap(({ id }) => id ?? []));
    for (const endMs = clock.now() + cancelLimitMs; clock.now() < endMs;) {
      const alive = await this.findAlive(arrays);
      if (alive.length === 0) return true;
      await slurm.cancel(alive);
    }
    return false;
  }

  private async removeArrays(): Promise<void> {
    const folder = this.cluster.getTransferFolder(this.options.transferId);
    await fs.rm(folder, { recursive: true, force: true, maxRetries: 3 }).catch(() => undefined);
    this.arrays = undefined;
  }

  private async useSlurm<T>(work: () => Promise<T>): Promise<T> {
    try {
      return await work();
    } catch (error) {
      // The tasks go on meanwhile.
      if (error instanceof SlurmError) throw new TransferSuspension(`waiting: Slurm can't be used: ${error.message}`);
      const code = findSystemCode(getErrorCode(error));
      throw code === undefined ? error : createFolderSuspension(code);
    }
  }
}
