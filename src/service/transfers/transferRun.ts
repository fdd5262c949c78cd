import type { Clock } from '../../core/util/clock.ts';
import type { ServedDatabase } from '../catalog/databases.ts';
import { discardLanding } from './landing.ts';
import { manifestNameOf, manifestOf, writeManifest } from './manifest.ts';
import { moveFile } from './mover.ts';
import { stageFile } from './stager.ts';
import {
  describeAmount,
  landingFolderOf,
  type TransferFile,
  type TransferRecord,
  type TransferStatusWord,
} from './transferRecord.ts';

/** Where a run tells how far it is. */
export interface RunProgress {
  /** The record as it stands. */
  record(): TransferRecord;
  /** Enters a state; `text` is the message without whose it is. */
  enter(status: TransferStatusWord, text: string): void;
  /** A file is whole and verified at the destination. */
  landed(file: TransferFile): void;
}

/** What a run works with. */
export interface RunOptions {
  readonly source: ServedDatabase;
  readonly destination: ServedDatabase;
  readonly clock: Clock;
  readonly throttleBytesPerSecond?: number;
}

/**
 * Takes one transfer through its states: staging, active, finalizing (D23). It can be run again after a suspension or a
 * restart: what was staged or has landed is not done twice.
 */
export class TransferRun {
  private readonly options: RunOptions;
  private readonly progress: RunProgress;
  private readonly files: TransferFile[];

  constructor(options: RunOptions, progress: RunProgress, files: readonly TransferFile[]) {
    this.options = options;
    this.progress = progress;
    this.files = [...files];
  }

  /** Resolves when the manifest is written. Rejects with a failure, a suspension, or the signal's reason. */
  async run(signal: AbortSignal): Promise<void> {
    await this.stage(signal);
    await this.move(signal);
    await this.finalize(signal);
  }

  /** Removes what is unfinished at the destination, and the manifest; files that have landed stay. Never rejects. */
  async discard(): Promise<void> {
    const { id } = this.progress.record();
    await discardLanding(this.options.destination.folder, id, manifestNameOf(id, this.files));
  }

  private get amount(): string {
    const { fileCount, sizeBytes } = this.progress.record();
    return describeAmount(fileCount, sizeBytes);
  }

  private async stage(signal: AbortSignal): Promise<void> {
    if (this.files.every((file) => file.sha256 !== undefined)) return;
    this.progress.enter('staging', `staging ${this.amount}`);
    for (const [index, file] of this.files.entries()) {
      signal.throwIfAborted();
      if (file.sha256 === undefined) this.files[index] = await stageFile(this.options.source, file, signal);
    }
  }

  private async move(signal: AbortSignal): Promise<void> {
    const { source, destination, clock, throttleBytesPerSecond } = this.options;
    const route = {
      transferId: this.progress.record().id,
      sourceFolder: source.folder,
      destinationFolder: destination.folder,
      clock,
      ...(throttleBytesPerSecond === undefined ? {} : { throttleBytesPerSecond }),
    };
    this.progress.enter('active', `transferring ${this.amount}`);
    for (const [index, file] of this.files.entries()) {
      signal.throwIfAborted();
      if (file.isLanded) continue;
      await moveFile(route, file, signal);
      const landed = { ...file, isLanded: true };
      this.files[index] = landed;
      this.progress.landed(landed);
    }
  }

  private async finalize(signal: AbortSignal): Promise<void> {
    const { source, destination } = this.options;
    signal.throwIfAborted();
    this.progress.enter('finalizing', 'finalizing');
    const record = this.progress.record();
    const ends = { source: nameOf(source), destination: nameOf(destination) };
    await writeManifest(destination.folder, record, manifestOf(record, ends, this.files), this.files);
    await destination.catalog.rescan(landingFolderOf(record.id));
    signal.throwIfAborted();
  }
}

function nameOf(database: ServedDatabase): { id: string; name: string } {
  return { id: database.document.id, name: database.document.name };
}
