import { statSync, watch, type FSWatcher } from 'node:fs';
import { readdir, stat } from 'node:fs/promises';
import { homedir } from 'node:os';
import { basename, isAbsolute, join } from 'node:path';
import type { Clock } from '../util/clock.ts';
import { createFolder } from '../util/createFolder.ts';
import { isRemoteFolder } from '../util/fileSystem.ts';
import type { Disposable } from '../util/lifetime.ts';

/**
 * The folders in the ledger that contain records. `removed` contains the records of removed transfers while they can be
 * restored.
 */
export const recordFolders = ['running', 'ended', 'removed'] as const;

/** One of {@link recordFolders}. */
export type RecordFolder = (typeof recordFolders)[number];

const suffix = '.json';

/** Returns the file name of a transfer's record. */
export function toRecordName(key: string): string {
  return `${key}${suffix}`;
}

/** Returns the transfer key in a record's file name; undefined for any other file name. */
export function parseRecordKey(name: string): string | undefined {
  return name.endsWith(suffix) ? name.slice(0, -suffix.length) : undefined;
}

const folderNames = ['data-transfer-explorer', 'transfers'];

/**
 * Returns the folder for transfer records, shared by all of a user's windows and commands (D63: shared ledger folder).
 */
export function getUserLedgerFolder(environment: NodeJS.ProcessEnv, platform: NodeJS.Platform): string {
  return join(getDataFolder(environment, platform), ...folderNames);
}

function getDataFolder(environment: NodeJS.ProcessEnv, platform: NodeJS.Platform): string {
  if (platform === 'win32') return environment['LOCALAPPDATA'] || join(homedir(), 'AppData', 'Local');
  const chosen = getChosenFolder(environment);
  // The XDG specification requires relative paths to be ignored.
  if (chosen !== undefined && isAbsolute(chosen)) return chosen;
  return platform === 'darwin' ? join(homedir(), 'Library', 'Application Support') : join(homedir(), '.local', 'share');
}

/**
 * Returns `XDG_DATA_HOME` as the user set it. If the editor is installed as a snap, the snap sets the variable to a
 * revision-specific folder, which programs outside the snap don't use.
 */
function getChosenFolder(environment: NodeJS.ProcessEnv): string | undefined {
  const { XDG_DATA_HOME: chosen, SNAP_USER_DATA: ofSnap } = environment;
  const isOfSnap = ofSnap !== undefined && chosen !== undefined && `${chosen}/`.startsWith(`${ofSnap}/`);
  return isOfSnap ? environment['XDG_DATA_HOME_VSCODE_SNAP_ORIG'] : chosen;
}

/** Watches a folder, but not its subfolders, for changes. */
export class FolderWatch implements Disposable {
  private readonly folder: string;
  private readonly onChange: (name: string | undefined) => void;
  private watcher: FSWatcher | undefined;
  private isDisposed = false;

  /** `onChange` receives the name of the changed file if the system reports it. */
  constructor(folder: string, onChange: (name: string | undefined) => void) {
    this.folder = folder;
    this.onChange = onChange;
  }

  /**
   * Starts watching. Returns false if the folder is missing, cannot be watched, or is on a network file system, or
   * after `dispose`. Calls `onFail` if watching ends with an error, or because the folder was deleted or replaced. If
   * already watching, does nothing and returns true.
   */
  start(onFail: () => void = () => undefined): boolean {
    if (this.watcher) return true;
    if (this.isDisposed || isRemoteFolder(this.folder)) return false;
    try {
      const before = getIdentity(this.folder);
      const watcher = watch(this.folder, { persistent: false }, (_event, name) => {
        // If the folder is deleted or replaced, the system reports a change with the folder's own name, and then
        // nothing more.
        const mayHaveEnded = name === null || name === basename(this.folder);
        if (mayHaveEnded && getIdentity(this.folder) !== before) this.end(onFail);
        else this.onChange(name ?? undefined);
      });
      this.watcher = watcher;
      watcher.on('error', () => this.end(onFail));
      return true;
    } catch {
      return false;
    }
  }

  dispose(): void {
    this.isDisposed = true;
    this.watcher?.close();
    this.watcher = undefined;
  }

  private end(onFail: () => void): void {
    if (!this.watcher) return;
    this.watcher.close();
    this.watcher = undefined;
    onFail();
  }
}

function getIdentity(folder: string): string | undefined {
  const stats = statSync(folder, { throwIfNoEntry: false });
  return stats && [stats.dev, stats.ino, stats.birthtimeMs].join(' ');
}

/** The precision of modification times on the least precise file system, FAT. */
const precisionMs = 2_000;

/** Returns the time at which a folder was last modified, in milliseconds since 1970; undefined if it can't be read. */
export async function readModificationTime(folder: string): Promise<number | undefined> {
  const stats = await stat(folder).catch(() => undefined);
  return stats?.mtimeMs;
}

/**
 * Returns true if any later change will give the folder a different modification time; false if the time is unknown.
 */
export function isDistinctTime(modifiedAt: number | undefined, clock: Clock): modifiedAt is number {
  return modifiedAt !== undefined && modifiedAt < clock.now() - precisionMs;
}

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
    // The watch may have been disposed while the folder was read.
    if (this.isDisposed) return;
    if (this.preparedAt !== undefined && this.preparedAt !== now) this.notify(undefined);
    if (!isWatching) this.checkLater(now);
  }

  dispose(): void {
    this.isDisposed = true;
    this.watch.dispose();
    this.waiting?.dispose();
  }

  /** Checks the folder regularly from now on, because the system no longer reports its changes. */
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
      if (now !== before && !this.isDisposed) this.notify(undefined);
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
