import * as fs from 'node:fs';
import * as nodePath from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { createFolderSync } from '../../core/util/createFolder.ts';
import type { StoreClient, StoreObject } from './storeClient.ts';
import { StoreError } from './storeError.ts';
import { findKnownTime } from './storeFeatures.ts';

const pollsPerLimit = 10;

/**
 * Sends a request. Aborts it with a {@link StoreError} if no request in its group has been active or made progress for
 * `limitMs`. Looking up objects does not count as activity. Without this limit, a request with a list of objects could
 * wait forever, because rclone 1.60 never responds if the store's server goes away.
 */
async function abortWhenStalled<T>(
  client: StoreClient,
  request: (signal: AbortSignal) => Promise<T>,
  signal: AbortSignal,
  limitMs: number,
): Promise<T> {
  const [stall, end] = [new AbortController(), new AbortController()];
  const abort = (): void => stall.abort(new StoreError('unreachable', 'rclone no longer responds'));
  // If polling fails, the request itself is expected to fail too.
  void waitForStall(client, limitMs, end.signal).then(abort, () => undefined);
  try {
    return await request(AbortSignal.any([signal, stall.signal]));
  } finally {
    end.abort();
  }
}

/** Resolves when the client's group has stood still for `limitMs`. Rejects on abort or failed polling. */
async function waitForStall(client: StoreClient, limitMs: number, signal: AbortSignal): Promise<void> {
  let previous: string | undefined;
  for (let unchanged = 0; unchanged < pollsPerLimit; unchanged += 1) {
    await setTimeout(limitMs / pollsPerLimit, undefined, { signal });
    const { isActive, progress } = await client.getStats();
    if (isActive || progress !== previous) unchanged = 0;
    previous = progress;
  }
}

/** A list of the objects in a batch, as paths relative to their remote. */
export interface ObjectList {
  /** Path of the local file from which rclone reads the list, one path per line. */
  readonly file: string;
  readonly count: number;
}

/** Time without progress after which a request counts as stalled: a base plus an allowance for each object. */
const defaultStallLimit = { ms: 60_000, msPerObject: 250 };

/** Options that make rclone skip its checks of the destination and of checksums; the caller verifies the objects. */
const batchConfig = {
  NoTraverse: true,
  NoCheckDest: true,
  IgnoreChecksum: true,
  Transfers: 4,
  Checkers: 4,
} as const;

/** Copies, renames and describes many small objects with few requests to rclone (D62: stores through rclone). */
export class StoreBatches {
  private readonly client: StoreClient;
  private readonly signal: AbortSignal;
  private readonly stallLimit: typeof defaultStallLimit;

  constructor(client: StoreClient, signal: AbortSignal, stallLimit = defaultStallLimit) {
    this.client = client;
    this.signal = signal;
    this.stallLimit = stallLimit;
  }

  /**
   * Copies objects between a remote and a local folder, or between two folders of a store. Objects that can't be copied
   * are missing from `to` afterwards. Throws {@link StoreError} if the store can't be reached, or if rclone exited and
   * may have left an incomplete file.
   */
  async copy(from: string, to: string, list: ObjectList): Promise<void> {
    await this.call('sync/copy', { srcFs: from, dstFs: to }, list).catch((error: unknown) => {
      if (!(error instanceof StoreError) || error.kind === 'unreachable') throw error;
    });
  }

  /** Moves objects between two folders of a store, not overlapping. Throws {@link StoreError}. */
  async rename(from: string, to: string, list: ObjectList): Promise<void> {
    await this.call('sync/move', { srcFs: from, dstFs: to }, list);
  }

  /**
   * Returns the listed objects keyed by path, each with the requested hash, if any. Omits objects that can't be
   * described. Pass multiple lists to describe them in parallel, because an SFTP server computes the hashes for a
   * single list one at a time.
   */
  async describe(
    remote: string,
    lists: readonly ObjectList[],
    hash: string | undefined,
  ): Promise<ReadonlyMap<string, StoreObject>> {
    const requests = lists.map(async (list) => {
      const options = { hash, more: toOptions(list) };
      return await this.watch(list, async (signal) => await this.client.list(remote, '', options, signal));
    });
    const objects = (await Promise.allSettled(requests)).flatMap((one) =>
      one.status === 'fulfilled' ? one.value : [],
    );
    return new Map(objects.map((object) => [object.path, object]));
  }

  private async call(method: string, sides: object, list: ObjectList): Promise<void> {
    const body = { ...sides, ...toOptions(list) };
    await this.watch(list, async (signal) => await this.client.call(method, body, signal));
  }

  private async watch<T>({ count }: ObjectList, request: (signal: AbortSignal) => Promise<T>): Promise<T> {
    const { ms, msPerObject } = this.stallLimit;
    return await abortWhenStalled(this.client, request, this.signal, ms + count * msPerObject);
  }
}

function toOptions({ file }: ObjectList): object {
  return { _config: batchConfig, _filter: { FilesFromRaw: [file] } };
}

interface BatchedFile {
  readonly path: string;
  readonly bytes: number;
}

/** Maximum size of a file in a batch. */
const maxBytes = 1024 * 1024;
/** Minimum number of files in a batch; fewer files transfer faster one by one. */
const minFiles = 3;
const parallelLists = 4;
/** Characters that rclone or a file system may replace in a name, and line terminators. */
const specialCharacters = /[\p{Cc}\\\u201B\u2400-\u243F\u2028\u2029\uFF00-\uFFEF\uFFFD]/u;
const specialEnd = /^\s|[\s.]$/u;

/** Selects small files for rclone to transfer in one batch; none if they are few or the job throttled. */
export function selectBatch<T extends BatchedFile>(
  files: readonly T[],
  bytesPerSecond: number | undefined,
): readonly T[] {
  if (bytesPerSecond !== undefined) return [];
  const names = new Set<string>();
  const isOnlyOne = (path: string): boolean => {
    // If a file system ignores case or normalization, one staged file would replace another.
    const { size } = names;
    return names.add(foldPath(path)).size > size;
  };
  const isSmall = (bytes: number): boolean => bytes > 0 && bytes <= maxBytes;
  const batch = files.filter(({ path, bytes }) => isSmall(bytes) && hasPlainName(path) && isOnlyOne(path));
  return batch.length < minFiles ? [] : batch;
}

/** Returns true for a path that means the same to rclone, every store and, except on Windows, this file system. */
export function hasPlainName(path: string): boolean {
  return !specialCharacters.test(path) && !path.split('/').some((part) => part === '' || specialEnd.test(part));
}

/** Converts a path to lowercase NFC, so that paths compare equal if a file system or store might conflate them. */
export function foldPath(path: string): string {
  return path.normalize('NFC').toLowerCase();
}

/** A private folder for one batch's files, which rclone reads or writes. It is created on first use. */
export class BatchFolder {
  private readonly parent: string | BatchFolder;
  private root: string | undefined;
  private listCount = 0;

  constructor(parent: string | BatchFolder) {
    this.parent = parent;
  }

  /** Absolute path of the subfolder that contains the files. */
  get files(): string {
    return nodePath.join(this.ensureRoot(), 'files');
  }

  /** Writes a list of paths to a file for rclone. */
  createList(paths: readonly string[]): ObjectList {
    this.listCount += 1;
    const file = nodePath.join(this.ensureRoot(), `list-${this.listCount}`);
    fs.writeFileSync(file, paths.map((path) => `${path}\n`).join(''));
    return { file, count: paths.length };
  }

  /** Distributes paths across multiple lists, which rclone can process in parallel. */
  createLists(paths: readonly string[]): ObjectList[] {
    const size = Math.ceil(paths.length / parallelLists);
    const lists: ObjectList[] = [];
    for (let at = 0; at < paths.length; at += size) lists.push(this.createList(paths.slice(at, at + size)));
    return lists;
  }

  /** Returns a new batch folder for other copies of the files. The new folder is removed together with this one. */
  createSubfolder(): BatchFolder {
    return new BatchFolder(this);
  }

  /** Writes a file. rclone gives its copies the time of the file. */
  write(path: string, content: Buffer, modifiedMs?: number): void {
    const file = nodePath.join(this.files, path);
    createFolderSync(nodePath.dirname(file));
    fs.writeFileSync(file, content, { flag: 'wx' });
    // As a number, Node.js would replace a time before 1970 with the current one.
    if (modifiedMs !== undefined) fs.utimesSync(file, new Date(), String(modifiedMs / 1_000));
  }

  /** Returns the modification time that rclone gave a file, in milliseconds since 1970; undefined if it is unknown. */
  findModified({ path }: BatchedFile): number | undefined {
    const stats = fs.lstatSync(nodePath.join(this.files, path), { throwIfNoEntry: false });
    return stats && findKnownTime(stats.mtimeMs);
  }

  /** Returns the content of a file; undefined unless it has the expected size. */
  read({ path, bytes }: BatchedFile): Buffer | undefined {
    try {
      const content = fs.readFileSync(nodePath.join(this.files, path));
      return content.length === bytes ? content : undefined;
    } catch {
      return undefined;
    }
  }

  /**
   * Moves a file of the expected size out of the folder. Returns false if that fails, for example because there is no
   * such file or the target is on another file system. Without a modification time, which rclone then has made up, the
   * file gets the current one.
   */
  moveTo({ path, bytes }: BatchedFile, target: string, modifiedMs: number | undefined): boolean {
    const file = nodePath.join(this.files, path);
    try {
      const stats = fs.lstatSync(file);
      if (!stats.isFile() || stats.size !== bytes) return false;
      if (modifiedMs === undefined) fs.utimesSync(file, new Date(), new Date());
      fs.renameSync(file, target);
      return true;
    } catch {
      return false;
    }
  }

  /** Removes the folder. Never throws. Files that can't be removed now are removed with the staging folder. */
  remove(): void {
    try {
      if (this.root !== undefined) fs.rmSync(this.root, { recursive: true, force: true });
    } catch {
      // A stopped rclone may still be writing to the folder.
    }
  }

  private ensureRoot(): string {
    const parent = typeof this.parent === 'string' ? this.parent : this.parent.ensureRoot();
    if (this.root !== undefined) return this.root;
    this.root = fs.mkdtempSync(nodePath.join(parent, 'batch-'));
    fs.mkdirSync(this.files);
    return this.root;
  }
}
