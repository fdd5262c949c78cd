import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import type { Clock } from '../util/clock.ts';
import { createFolder } from '../util/createFolder.ts';
import { FolderWatch } from '../util/folderWatch.ts';
import type { Disposable } from '../util/lifetime.ts';
import { isDistinctTime, parseRecordKey, readModificationTime } from './recordFolders.ts';

const checkIntervalMs = 5_000;

/**
 * Reports changes to records in a folder. Checks the folder every five seconds if the operating system does not report
 * changes.
 */
export class RecordFolderWatch implements Disposable {
  private readonly folder: string;
  private readonly clock: Clock;
  private readonly notify: (key: string | undefined) => void;
  private readonly watch: FolderWatch;
  private waiting: Disposable | undefined;
  /**
   * The folder's modification time when `prepare` was called; NaN if that time can't show whether the folder has
   * changed since.
   */
  private preparedAt: number | undefined;
  private isDisposed = false;

  /** `notify` receives the transfer's key, or undefined if any record may have changed. */
  constructor(folder: string, clock: Clock, notify: (key: string | undefined) => void) {
    this.folder = folder;
    this.clock = clock;
    this.notify = notify;
    this.watch = new FolderWatch(folder, (name) => {
      const key = name === undefined ? undefined : parseRecordKey(name);
      if (name === undefined || key !== undefined) notify(key);
    });
  }

  /** Remembers the folder's modification time, so that `start` also reports changes made since then. */
  async prepare(): Promise<void> {
    const modifiedAt = await readModificationTime(this.folder);
    this.preparedAt = isDistinctTime(modifiedAt, this.clock) ? modifiedAt : Number.NaN;
  }

  /**
   * Starts watching, and creates the folder if it doesn't exist. Reports all changes made after the returned promise
   * resolves and, if `prepare` was called, those made since that call.
   */
  async start(): Promise<void> {
    await createFolder(this.folder, 0o700).catch(() => undefined);
    const isWatching = this.watch.start(() => this.checkInstead());
    const now = await readModificationTime(this.folder);
    if (this.preparedAt !== undefined && this.preparedAt !== now) this.notify(undefined);
    if (!isWatching) this.checkLater(now);
  }

  dispose(): void {
    this.isDisposed = true;
    this.watch.dispose();
    this.waiting?.dispose();
  }

  /** Checks the folder periodically from now on, because the system no longer reports its changes. */
  private checkInstead(): void {
    this.notify(undefined);
    this.checkLater(undefined);
  }

  /**
   * Schedules periodic checks of the folder's modification time, which changes whenever a record is written, moved or
   * deleted.
   */
  private checkLater(before: number | undefined): void {
    if (this.isDisposed) return;
    const check = async (): Promise<void> => {
      const now = await readModificationTime(this.folder);
      if (now !== before) this.notify(undefined);
      this.checkLater(now);
    };
    this.waiting = this.clock.after(checkIntervalMs, () => void check());
  }
}

/** Options for {@link FirstFileWatch}. */
interface FirstFileOptions {
  /** Returns true if the folder contains a file that the watch waits for. `names` lists the files in the folder. */
  hasMatch(names: readonly string[]): boolean | Promise<boolean>;
  onFound(): void;
}

/** Calls `onFound` once, as soon as a folder of the ledger contains a matching file. Does not read any files. */
export class FirstFileWatch implements Disposable {
  private readonly folder: string;
  private readonly options: FirstFileOptions;
  private readonly watch: RecordFolderWatch;
  private isWaiting = true;

  constructor(folder: string, clock: Clock, options: FirstFileOptions) {
    this.folder = folder;
    this.options = options;
    this.watch = new RecordFolderWatch(folder, clock, () => void this.check());
  }

  /** Checks the folder now and after every change. Resolves after the first check. Never rejects. */
  async start(): Promise<void> {
    await this.watch.start();
    await this.check();
  }

  dispose(): void {
    this.isWaiting = false;
    this.watch.dispose();
  }

  private async check(): Promise<void> {
    const names = await readdir(this.folder).catch(() => []);
    const hasMatch = await this.options.hasMatch(names);
    if (!this.isWaiting || !hasMatch) return;
    this.dispose();
    this.options.onFound();
  }
}

/** Calls `onFound` once, as soon as the ledger has a running transfer. Does not read any records. */
export class FirstTransferWatch extends FirstFileWatch {
  constructor(ledgerFolder: string, clock: Clock, onFound: () => void) {
    const hasMatch = (names: readonly string[]): boolean => names.some((name) => parseRecordKey(name) !== undefined);
    super(join(ledgerFolder, 'running'), clock, { hasMatch, onFound });
  }
}
