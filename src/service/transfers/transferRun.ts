import { declaredHashOf } from '../../core/util/declaredHash.ts';
import { landingFolderOf } from '../../core/util/landedNames.ts';
import type { ServedDatabase } from '../catalog/databases.ts';
import {
  doneCount,
  jobSign,
  raise,
  type FileToMove,
  type FileTrouble,
  type JobResult,
  type JobSign,
} from './fileJobs.ts';
import type { FileThreads } from './fileThreads.ts';
import { discardLanding } from './landing.ts';
import { manifestNameOf, writeManifest } from './manifest.ts';
import { meaningOfTrouble } from './outcomes.ts';
import { syncFileSystem } from './syncFileSystem.ts';
import { describeAmount, type TransferFile, type TransferRecord, type TransferStatusWord } from './transferRecord.ts';

/** Who is told how far a transfer has come. */
export interface RunProgress {
  record(): TransferRecord;
  enter(status: TransferStatusWord, text: string): void;
  /** These files are staged now, or have landed. */
  advanced(files: readonly TransferFile[]): void;
  /** These files had landed, and are no longer there. */
  lost(files: readonly TransferFile[]): void;
}

/** What a run works with. */
export interface RunOptions {
  readonly source: ServedDatabase;
  readonly destination: ServedDatabase;
  readonly threads: FileThreads;
  readonly throttleBytesPerSecond?: number;
}

/** One job takes so many files, or so many bytes of more than one: little enough that counts move and others get a turn. */
const batchFiles = 256;
const batchBytes = 16 * 1024 * 1024;
/** How many jobs of one transfer are worked on at once. */
const lanes = 2;
/** Up to so many files are written through to the disk one by one; of more, the system is told to once. */
const flushedFiles = 100;

/**
 * Takes one transfer through its states: staging, active, finalizing (D23). It can be run again after a suspension or a
 * restart: what was staged or has landed is not done twice.
 */
export class TransferRun {
  private readonly options: RunOptions;
  private readonly progress: RunProgress;
  /** By their position. */
  private readonly files: TransferFile[];
  /** Of the jobs that copy now. */
  private readonly moving = new Set<JobSign>();

  constructor(options: RunOptions, progress: RunProgress, files: readonly TransferFile[]) {
    this.options = options;
    this.progress = progress;
    this.files = [...files];
  }

  /** Files that have landed in jobs that are not over. */
  get movingCount(): number {
    return [...this.moving].reduce((sum, sign) => sum + doneCount(sign), 0);
  }

  /** Resolves when the manifest is written. Rejects with a failure, a suspension, or the signal's reason. */
  async run(signal: AbortSignal): Promise<void> {
    await this.stage(signal);
    const { catalog } = this.options.destination;
    const landing = landingFolderOf(this.progress.record().id);
    await catalog.unsettle(landing);
    try {
      await this.move(signal);
      await this.finalize(signal);
    } finally {
      await catalog.settle(landing);
    }
    signal.throwIfAborted();
  }

  /** Removes what is unfinished at the destination, and the manifest; files that have landed stay. Never rejects. */
  async discard(): Promise<void> {
    const { id } = this.progress.record();
    await discardLanding(this.options.destination.folder, id, manifestNameOf(id, this.files));
  }

  private get isFlushed(): boolean {
    return this.files.length <= flushedFiles;
  }

  private get amount(): string {
    const { fileCount, sizeBytes } = this.progress.record();
    return describeAmount(fileCount, sizeBytes);
  }

  private async stage(signal: AbortSignal): Promise<void> {
    const { source, threads } = this.options;
    const unstaged = this.files.filter((file) => file.sha256 === undefined);
    if (unstaged.length === 0) return;
    threads.prepare(lanes);
    this.progress.enter('staging', `staging ${this.amount}`);
    await this.inBatches(unstaged, signal, async (batch, sign) => {
      const held = await source.catalog.heldHashes(batch.map(({ path }) => path));
      const files = batch.map(({ position, path, resource }, index) => {
        const declared = declaredHashOf(resource.hash);
        const known = held[index];
        return { position, path, ...(declared && { declared }), ...(known && { held: known }) };
      });
      const result = await threads.stage({ folder: source.folder, files, sign });
      this.takeStaged(result);
      await source.catalog.holdHashes(this.freshlyRead(result, held));
      return result;
    });
  }

  private takeStaged({ done }: JobResult): void {
    const staged = done.map(({ position, bytes, sha256 }) => this.change(position, { bytes, sha256 }));
    this.progress.advanced(staged);
  }

  private freshlyRead(
    { done }: JobResult,
    held: readonly ({ readonly path: string; readonly sha256: string } | undefined)[],
  ): { path: string; bytes: number; modifiedMs: number; sha256: string }[] {
    const known = new Map(held.flatMap((hash) => (hash === undefined ? [] : [[hash.path, hash.sha256]])));
    return done.flatMap(({ position, bytes, modifiedMs, sha256 }) => {
      const path = this.at(position).path;
      return modifiedMs === undefined || known.get(path) === sha256 ? [] : [{ path, bytes, modifiedMs, sha256 }];
    });
  }

  private async move(signal: AbortSignal): Promise<void> {
    const { source, destination, threads, throttleBytesPerSecond } = this.options;
    const { id: transferId, destinationPlace } = this.progress.record();
    const route = {
      transferId,
      sourceFolder: source.folder,
      destinationFolder: destination.folder,
      ...(destinationPlace === undefined ? {} : { destinationPlace }),
      isFlushed: this.isFlushed,
      ...(throttleBytesPerSecond === undefined ? {} : { bytesPerSecond: throttleBytesPerSecond }),
    };
    this.progress.enter('active', `transferring ${this.amount}`);
    await this.findLost(signal);
    const waiting = this.files.filter((file) => !file.isLanded);
    await this.inBatches(waiting, signal, async (batch, sign) => {
      this.moving.add(sign);
      const result = await threads
        .move({ ...route, files: batch.map(toMove), sign })
        .finally(() => this.moving.delete(sign));
      this.progress.advanced(result.done.map(({ position }) => this.change(position, { isLanded: true })));
      if (result.trouble?.act === 'copy') await this.forgetHash(this.at(result.trouble.position).path);
      return result;
    });
  }

  /** What was copied has not the hash that was held: the file is to be read again, even if it looks as it did then. */
  private async forgetHash(path: string): Promise<void> {
    const { catalog } = this.options.source;
    const held = await catalog.heldHashes([path]);
    await catalog.holdHashes(held.flatMap((file) => (file === undefined ? [] : [{ ...file, sha256: null }])));
  }

  /** Of a transfer that goes on: a disk may have come back as another one, or have lost what it had not yet written. */
  private async findLost(signal: AbortSignal): Promise<void> {
    const { destination, threads } = this.options;
    const place = { transferId: this.progress.record().id, destinationFolder: destination.folder };
    const landed = this.files.filter((file) => file.isLanded);
    await this.inBatches(landed, signal, async (batch, sign) => {
      const result = await threads.findLost({ ...place, files: batch.map(toMove), sign });
      this.progress.lost((result.lost ?? []).map((position) => this.change(position, { isLanded: false })));
      return result;
    });
  }

  private async finalize(signal: AbortSignal): Promise<void> {
    const { source, destination } = this.options;
    signal.throwIfAborted();
    this.progress.enter('finalizing', 'finalizing');
    const record = this.progress.record();
    const ends = { source: nameOf(source), destination: nameOf(destination) };
    if (!this.isFlushed) await syncFileSystem(destination.folder, signal);
    await writeManifest(destination.folder, record, ends, this.files);
  }

  /** Works on some batches at once. Whatever ends one, ends all; the first reason is thrown. */
  private async inBatches(
    files: readonly TransferFile[],
    signal: AbortSignal,
    doJob: (batch: readonly TransferFile[], sign: JobSign) => Promise<JobResult>,
  ): Promise<void> {
    const signs = new Set<JobSign>();
    const stopAll = (): void => signs.forEach(raise);
    const batches = batchesOf(files);
    const reasons: unknown[] = [];
    const workOn = async (): Promise<void> => {
      for (let batch = batches.next(); batch.done !== true && reasons.length === 0; batch = batches.next()) {
        signal.throwIfAborted();
        const sign = jobSign();
        signs.add(sign);
        const { trouble } = await doJob(batch.value, sign);
        signs.delete(sign);
        if (trouble !== undefined) throw await this.meaning(trouble);
        signal.throwIfAborted();
      }
    };
    signal.addEventListener('abort', stopAll);
    const count = this.options.throttleBytesPerSecond === undefined ? lanes : 1;
    const work = Array.from({ length: count }, async () => {
      await workOn().catch((error: unknown) => {
        reasons.push(error);
        stopAll();
      });
    });
    await Promise.all(work);
    signal.removeEventListener('abort', stopAll);
    if (reasons.length > 0) throw reasons[0];
  }

  private async meaning(trouble: FileTrouble): Promise<unknown> {
    const { source, destination } = this.options;
    const { path, bytes } = this.at(trouble.position);
    const root = trouble.act === 'read' ? source.folder : destination.folder;
    return await meaningOfTrouble(trouble, { path, bytes, root });
  }

  private at(position: number): TransferFile {
    const file = this.files[position];
    if (file === undefined) throw new RangeError(`There is no file at position ${position}`);
    return file;
  }

  private change(position: number, change: Partial<TransferFile>): TransferFile {
    const file = { ...this.at(position), ...change };
    this.files[position] = file;
    return file;
  }
}

function* batchesOf(files: readonly TransferFile[]): Generator<readonly TransferFile[], undefined> {
  let batch: TransferFile[] = [];
  let bytes = 0;
  for (const file of files) {
    if (batch.length > 0 && (batch.length === batchFiles || bytes + file.bytes > batchBytes)) {
      yield batch;
      batch = [];
      bytes = 0;
    }
    batch.push(file);
    bytes += file.bytes;
  }
  if (batch.length > 0) yield batch;
  return undefined;
}

function toMove({ position, path, bytes, sha256 = '' }: TransferFile): FileToMove {
  return { position, path, bytes, sha256 };
}

function nameOf(database: ServedDatabase): { id: string; name: string } {
  return { id: database.document.id, name: database.document.name };
}
