import * as fs from 'node:fs';
import { setImmediate } from 'node:timers/promises';
import { settlesWithin, type Clock } from '../../core/util/clock.ts';
import type { Disposable } from '../../core/util/lifetime.ts';
import { isMissing } from '../../core/util/errorFacts.ts';
import type { Logger } from '../../core/util/logger.ts';
import type { LeftOutKind } from '../../core/util/leftOut.ts';
import type { DescribedFolder } from './folderFields.ts';
import {
  findHiddenPath,
  getParentFolder,
  isUncounted,
  sortPaths,
  type LeftOutName,
  type ScannedFile,
} from './catalogFile.ts';
import { inspectPaths, PackageCache, toScannedFile, type InspectedPath, type PackageScopes } from './packageScopes.ts';
import { inspectPath, isPlainFolder, toAbsolutePath } from './servedPaths.ts';

/** A batch of files from a walk. Across all batches, the files are in the order of `comparePaths`. */
export interface WalkBatch {
  readonly files: readonly ScannedFile[];
  /** In no particular order. */
  readonly folders: readonly string[];
  /** In no particular order. A name that isn't valid Unicode occurs as often as there are such names. */
  readonly leftOut: readonly LeftOutName[];
  /** Problems in Data Packages, each with the path of the package. */
  readonly warnings: readonly string[];
  readonly described: readonly DescribedFolder[];
}

interface OpenFolder {
  readonly path: string;
  readonly prefix: string;
  /** Sorted names; folder names end with `/`. */
  readonly names: readonly string[];
  next: number;
  readonly scopes: PackageScopes | undefined;
}

interface BatchBuilder {
  readonly files: ScannedFile[];
  readonly folders: string[];
  readonly leftOut: LeftOutName[];
  readonly described: DescribedFolder[];
}

const batchSize = 1_000;
/** The character that Node.js substitutes for invalid Unicode in a name. */
const replacementCharacter = '\uFFFD';

/**
 * Walks a folder tree and returns its files in batches, with metadata from Data Packages (D20: folders as databases).
 * Lists what it leaves out, such as hidden names, and links that do not lead to a file within the folder.
 */
class FolderWalk {
  private readonly root: string;
  private readonly packages: PackageCache;
  private readonly open: OpenFolder[] = [];
  private batch: BatchBuilder = createBatch();

  /** If `under` is empty, starts at the root, and throws if it is unreadable. */
  constructor(packages: PackageCache, under: string) {
    this.root = packages.root;
    this.packages = packages;
    const outer = under === '' ? undefined : this.packages.getScopes(getParentFolder(under));
    const names = under === '' ? this.listNames('') : undefined;
    this.enter(under, outer, names);
  }

  /** Returns the next batch; undefined after the last one. */
  next(): WalkBatch | undefined {
    this.closeReplacedFolders();
    while (this.batch.files.length + this.batch.leftOut.length < batchSize) {
      const folder = this.open.at(-1);
      if (folder === undefined) break;
      const name = folder.names[folder.next++];
      if (name === undefined) this.open.pop();
      else if (isHidden(name)) this.leaveOut(folder.prefix + name.replace(/\/$/, ''), 'hidden');
      else if (name.endsWith('/')) this.enter(folder.prefix + name.slice(0, -1), folder.scopes);
      else this.visit(folder, name);
    }
    const { files, folders, leftOut, described } = this.batch;
    if (files.length + folders.length + leftOut.length === 0) return undefined;
    this.batch = createBatch();
    return { files, folders, leftOut, described, warnings: this.packages.takeWarnings() };
  }

  private enter(path: string, outer: PackageScopes | undefined, knownNames?: readonly string[]): void {
    try {
      const names = knownNames ?? this.listNames(path);
      this.batch.folders.push(path);
      const scopes = this.packages.getScopesWithin(path, outer);
      const fields = this.packages.getFolderFields(path);
      if (fields !== undefined) this.batch.described.push({ folder: path, fields });
      this.open.push({ path, prefix: path === '' ? '' : `${path}/`, names, next: 0, scopes });
    } catch (error) {
      if (!isMissing(error)) this.leaveOut(path, 'unreadable');
      else if (path.includes(replacementCharacter)) this.leaveOut(path, 'invalidNames');
    }
  }

  /** Reports open folders that were removed or replaced by a link since the last batch as unreadable. */
  private closeReplacedFolders(): void {
    for (let folder = this.open.at(-1); folder && !isPlainFolder(this.root, folder.path); folder = this.open.at(-1)) {
      this.leaveOut(folder.path, 'unreadable');
      this.open.pop();
    }
  }

  private listNames(path: string): readonly string[] {
    const folder = fs.opendirSync(toAbsolutePath(this.root, path), { bufferSize: 1_024 });
    const names: string[] = [];
    try {
      // A link may have replaced the folder since its name was read.
      if (!isPlainFolder(this.root, path)) throw new Error('The path of the folder contains a link.');
      for (let entry = folder.readSync(); entry !== null; entry = folder.readSync()) {
        const { name } = entry;
        if (!isUncounted(name)) names.push(entry.isDirectory() ? `${name}/` : name);
      }
    } finally {
      folder.closeSync();
    }
    // Replacing invalid Unicode can make names identical.
    return sortPaths(names).filter((name, at, sorted) => {
      const isFirst = name !== sorted[at - 1];
      if (!isFirst) this.leaveOut(joinPath(path, name.replace(/\/$/, '')), isHidden(name) ? 'hidden' : 'invalidNames');
      return isFirst;
    });
  }

  private visit(folder: OpenFolder, name: string): void {
    const path = folder.prefix + name;
    const found = inspectPath(this.root, path);
    if (typeof found === 'string') this.leaveOut(path, found);
    else if (found?.isFile() === true) this.batch.files.push(toScannedFile(path, found, folder.scopes));
    else if (found === undefined && name.includes(replacementCharacter)) this.leaveOut(path, 'invalidNames');
  }

  private leaveOut(path: string, kind: LeftOutKind): void {
    this.batch.leftOut.push({ path, kind });
  }
}

function isHidden(name: string): boolean {
  return name.startsWith('.') && findHiddenPath(name) !== undefined;
}

function createBatch(): BatchBuilder {
  return { files: [], folders: [], leftOut: [], described: [] };
}

function joinPath(folder: string, name: string): string {
  return folder === '' ? name : `${folder}/${name}`;
}

/** Reads folders synchronously, on its own thread. */
export class FolderReader {
  private readonly packagesByFolder = new Map<string, PackageCache>();
  private readonly walks = new Map<number, FolderWalk>();
  private lastWalk = 0;

  /** Does nothing. Callers wait for the response, so that the thread's startup isn't counted as a scan. */
  ready(): void {
    // Callers only need the response.
  }

  /**
   * Starts walking a folder or, if `under` is not empty, only that subfolder. Returns an ID for {@link next}. Throws if
   * the folder does not exist. If `under` is empty, also throws if the folder is unreadable.
   */
  walk(folder: string, under: string): number {
    const walk = new FolderWalk(this.getPackages(folder), under);
    this.walks.set(++this.lastWalk, walk);
    return this.lastWalk;
  }

  /** Returns the next batch of a walk; undefined after the last one or after {@link stop}. */
  next(walk: number): WalkBatch | undefined {
    const batch = this.walks.get(walk)?.next();
    if (batch === undefined) this.walks.delete(walk);
    return batch;
  }

  stop(walk: number): void {
    this.walks.delete(walk);
  }

  /** Throws if the folder does not exist or cannot be reached. */
  inspectPaths(folder: string, paths: readonly string[]): readonly InspectedPath[] {
    return inspectPaths(this.getPackages(folder), paths);
  }

  private getPackages(folder: string): PackageCache {
    // Must match `isPlainFolder`, which also uses the native variant, because the default one doesn't resolve mapped
    // drives.
    const root = fs.realpathSync.native(folder);
    const known = this.packagesByFolder.get(folder);
    if (known?.root === root) return known;
    const packages = new PackageCache(root);
    this.packagesByFolder.set(folder, packages);
    return packages;
  }
}

/** The interface of a {@link FolderReader} as seen from another thread. */
export type AsyncFolderReader = {
  readonly [K in 'ready' | 'walk' | 'next' | 'stop' | 'inspectPaths']: (
    ...args: Parameters<FolderReader[K]>
  ) => Promise<ReturnType<FolderReader[K]>>;
};

/** A reader on a thread of its own, which the caller ends. */
export interface ThreadReader extends AsyncFolderReader {
  end(): void;
}

/** Number of batches requested in advance, so that reading and writing overlap. */
const batchesAhead = 4;

/** Yields the batches of a walk. Throws the same errors as {@link FolderReader.walk}. */
export async function* walkAhead(reader: AsyncFolderReader, folder: string, under: string): AsyncGenerator<WalkBatch> {
  const walk = await reader.walk(folder, under);
  const requestBatch = (): Promise<WalkBatch | undefined> => {
    const batch = reader.next(walk);
    // A batch requested in advance may fail before it is awaited.
    batch.catch(() => undefined);
    return batch;
  };
  const requested = Array.from({ length: batchesAhead }, requestBatch);
  try {
    for (let next = requested.shift(); next !== undefined; next = requested.shift()) {
      const batch = await next;
      if (batch === undefined) continue;
      requested.push(requestBatch());
      // The request is sent in the next turn of the event loop. Without waiting for it, batches that have already
      // arrived would be written first, and the reader would be idle meanwhile.
      await setImmediate();
      yield batch;
    }
  } finally {
    await Promise.allSettled([reader.stop(walk), ...requested]);
  }
}

/** Thrown for a call behind a hanging one for another folder. A retry uses another thread. */
export class ReadingDelayedError extends Error {
  constructor() {
    super('Another folder is blocking the thread.');
  }
}

const checkIntervalMs = 500;
/** Number of checks, over a total of ten seconds, after which a call counts as hanging. */
const maxChecks = 20;
const maxThreads = 8;
const idleMs = 60_000;

interface PendingCall {
  readonly folder: string;
  readonly result: Promise<unknown>;
  readonly reject: (error: Error) => void;
}

interface ReadingEvents {
  onHang(folder: string): void;
  onIdle(): void;
}

/** A thread that reads folders and handles calls one by one, in the order in which they were made. */
class ReadingThread {
  hangingFolder: string | undefined;
  private readonly reader: ThreadReader;
  private readonly clock: Clock;
  private readonly events: ReadingEvents;
  private readonly calls = new Set<PendingCall>();
  private isChecking = false;
  private idle: Disposable | undefined;

  constructor(reader: ThreadReader, clock: Clock, events: ReadingEvents) {
    this.reader = reader;
    this.clock = clock;
    this.events = events;
  }

  /** Rejects with {@link ReadingDelayedError} if a call for another folder hangs. */
  async call<T>(folder: string, call: (reader: AsyncFolderReader) => Promise<T>): Promise<T> {
    this.idle?.dispose();
    return await new Promise<T>((resolve, reject) => {
      const result = call(this.reader);
      result.then(resolve, reject);
      this.calls.add({ folder, result, reject });
      if (!this.isChecking) void this.checkCalls();
    });
  }

  /** Waits for each call in turn. Waits in short steps, so that responses don't seem late if this thread is busy. */
  private async checkCalls(): Promise<void> {
    this.isChecking = true;
    for (const call of this.calls) {
      for (let checks = 1; !(await settlesWithin(this.clock, checkIntervalMs, call.result)); checks += 1)
        if (checks % maxChecks === 0) this.handleHang(call.folder);
      this.calls.delete(call);
      this.hangingFolder = undefined;
    }
    this.isChecking = false;
    this.idle = this.clock.after(idleMs, () => this.events.onIdle());
  }

  end(): void {
    this.reader.end();
  }

  private handleHang(folder: string): void {
    if (this.hangingFolder === undefined) this.events.onHang(folder);
    this.hangingFolder = folder;
    for (const call of this.calls) if (call.folder !== folder) call.reject(new ReadingDelayedError());
  }
}

interface ReadingThreadsDependencies {
  readonly start: () => ThreadReader;
  readonly clock: Clock;
  readonly logger: Logger;
}

/**
 * Reads all folders on one thread, until a disk hangs (D42: hanging disks). From then on, other folders are read on
 * another thread, and their calls that are queued behind the hanging one reject with {@link ReadingDelayedError}. Ends
 * a thread that has been idle for a minute.
 */
export class ReadingThreads implements AsyncFolderReader {
  private readonly dependencies: ReadingThreadsDependencies;
  private readonly threads: ReadingThread[] = [];
  private readonly walks = new Map<number, { thread: ReadingThread; folder: string; walk: number }>();
  private lastWalk = 0;
  /** Folders that were logged as not responding; once each, because every part of one may take long. */
  private readonly reported = new Set<string>();

  constructor(dependencies: ReadingThreadsDependencies) {
    this.dependencies = dependencies;
  }

  async ready(): Promise<void> {
    await this.getThread('').call('', async (reader) => await reader.ready());
  }

  async walk(folder: string, under: string): Promise<number> {
    const thread = this.getThread(folder);
    const walk = thread.call(folder, async (reader) => {
      const started = await reader.walk(folder, under);
      // Nobody waits for a walk that starts after its call was rejected.
      walk.catch(() => void reader.stop(started));
      return started;
    });
    const started = { thread, folder, walk: await walk };
    this.walks.set(++this.lastWalk, started);
    return this.lastWalk;
  }

  async next(walk: number): Promise<WalkBatch | undefined> {
    const started = this.walks.get(walk);
    return await started?.thread.call(started.folder, async (reader) => await reader.next(started.walk));
  }

  /** Doesn't wait, because the walk's thread may be blocked. */
  async stop(walk: number): Promise<void> {
    const started = this.walks.get(walk);
    this.walks.delete(walk);
    started?.thread.call(started.folder, async (reader) => await reader.stop(started.walk)).catch(() => undefined);
    await Promise.resolve();
  }

  async inspectPaths(folder: string, paths: readonly string[]): Promise<readonly InspectedPath[]> {
    return await this.getThread(folder).call(folder, async (reader) => await reader.inspectPaths(folder, paths));
  }

  /** Prefers the thread that a hanging call for the folder blocks, then an unblocked one. */
  private getThread(folder: string): ReadingThread {
    const blocked = this.threads.find(({ hangingFolder }) => hangingFolder === folder);
    const usable = blocked ?? this.threads.find(({ hangingFolder }) => hangingFolder === undefined);
    if (usable) return usable;
    const last = this.threads.at(-1);
    return last && this.threads.length === maxThreads ? last : this.startThread();
  }

  private startThread(): ReadingThread {
    const { start, clock, logger } = this.dependencies;
    const thread: ReadingThread = new ReadingThread(start(), clock, {
      onHang: (folder) => {
        if (folder === '') logger.warn("A thread that reads folders hasn't started within 10 s.");
        else if (!this.reported.has(folder)) logger.warn(`The folder ${folder} hasn't responded for 10 s.`);
        this.reported.add(folder);
      },
      onIdle: () => this.endThread(thread),
    });
    this.threads.push(thread);
    return thread;
  }

  private endThread(thread: ReadingThread): void {
    // When its walk stops, the thread becomes idle again.
    if ([...this.walks.values()].some((walk) => walk.thread === thread)) return;
    this.threads.splice(this.threads.indexOf(thread), 1);
    thread.end();
  }
}
