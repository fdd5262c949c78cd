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
import { SlurmError, type Slurm } from './slurm.ts';
import { endedTaskCode, TaskArray, type TaskJob } from './taskFiles.ts';
import { TaskRun } from './taskRun.ts';

/** Waits until Slurm responds. The tasks go on meanwhile. */
class SlurmSuspension extends TransferSuspension {
  private readonly slurm: Slurm;

  constructor(slurm: Slurm, { message }: SlurmError) {
    super(`waiting: Slurm can't be used: ${message}`);
    this.slurm = slurm;
  }

  override async canContinue(): Promise<boolean> {
    return await this.slurm.responds();
  }
}

/** Transfers files between two folders with tasks on the nodes of a cluster, which reach both under the same paths. */
export class ClusterRoute extends FolderRoute {
  private readonly cluster: Cluster;
  /** All arrays of the transfer, to which each {@link TaskRun} adds its own; undefined until they have been read. */
  private arrays: TaskArray[] | undefined;
  private current: TaskRun | undefined;

  constructor(options: RouteOptions, cluster: Cluster) {
    super(options);
    this.cluster = cluster;
  }

  override get capabilities(): RouteCapabilities {
    // The route itself divides the files among tasks.
    const jobLimit = { files: Infinity, bytes: Infinity };
    return { ...super.capabilities, minStagedBytes: 0, mayWriteLate: true, parallelJobs: 1, jobLimit };
  }

  get activity(): string | undefined {
    return this.current?.activity;
  }

  getTaskState(position: number): 'transferring' | 'transferred' | undefined {
    return this.current?.getState(position);
  }

  override async prepare(): Promise<void> {
    const isMoving = await this.useSlurm(async () => {
      const moves = (await this.readArrays()).filter(({ kind }) => kind === 'move');
      return (await this.cluster.findAlive(moves)).length > 0;
    });
    // Otherwise, tasks of an earlier run still need their unfinished files.
    if (!isMoving) await super.prepare();
  }

  override async stage(files: readonly FileToStage[], signal: JobSignal): Promise<JobResult> {
    const { folder = '' } = this.options.source.location;
    return await this.useSlurm(async () => await this.runTasks({ kind: 'stage', job: { folder, files } }, signal));
  }

  override async move(files: readonly FileToMove[], signal: JobSignal): Promise<JobResult> {
    const { transferId, folderName, source, destination, destinationPlace } = this.options;
    const { throttleBytesPerSecond } = this.options;
    const sides = { source: { location: source.location }, destination: { location: destination.location } };
    const bytesPerSecond = throttleBytesPerSecond && throttleBytesPerSecond / this.cluster.parallelTasks;
    // Flushing the file system of this machine would say nothing about the nodes.
    const job = { transferId, folderName, ...sides, destinationPlace, bytesPerSecond, isFlushed: true, files };
    return await this.useSlurm(async () => await this.runTasks({ kind: 'move', job }, signal));
  }

  override async finish(transferred: TransferredFiles, signal: AbortSignal): Promise<boolean> {
    const isComplete = await super.finish(transferred, signal);
    await this.cluster.removeTransferFolder(this.options.transferId);
    this.arrays = undefined;
    return isComplete;
  }

  /** Also ends the tasks. Returns false if some may still write because Slurm doesn't respond. */
  override async discard(manifestName: string): Promise<boolean> {
    const isEnded = await this.endArrays();
    // What is written to a folder with a chosen name after the removal of its mark would remain.
    if (!isEnded && this.options.folderName !== undefined) return false;
    const isRemoved = await super.discard(manifestName);
    return isEnded && isRemoved;
  }

  async endTasks(): Promise<void> {
    await this.endArrays();
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

  private async endArrays(): Promise<boolean> {
    const isEnded = await this.cluster.endTasks(this.options.transferId);
    this.arrays = undefined;
    return isEnded;
  }

  private async useSlurm<T>(work: () => Promise<T>): Promise<T> {
    try {
      return await work();
    } catch (error) {
      if (error instanceof SlurmError) throw new SlurmSuspension(this.cluster.slurm, error);
      const code = findSystemCode(getErrorCode(error));
      throw code === undefined ? error : createFolderSuspension(code);
    }
  }
}
