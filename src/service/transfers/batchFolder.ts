import * as fs from 'node:fs';
import * as nodePath from 'node:path';
import { createFolderSync } from '../../core/util/createFolder.ts';
import type { ObjectList } from '../stores/storeBatches.ts';
import type { FileToMove, MoveJob } from './fileJobs.ts';

const maxBytes = 1024 * 1024;
/** Minimum number of files in a batch; fewer files transfer faster one by one. */
const minFiles = 3;
const parallelLists = 4;
/** Characters that rclone or a file system may replace in a name, and line terminators. */
const specialCharacters = /[\p{Cc}\\\u201B\u2400-\u243F\u2028\u2029\uFF00-\uFFEF\uFFFD]/u;
const specialEnd = /^\s|[\s.]$/u;

/**
 * Selects a job's small files that rclone can transfer in one batch. Selects none if there are too few or the job is
 * throttled.
 */
export function selectBatch({ files, bytesPerSecond }: MoveJob): readonly FileToMove[] {
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

  write(path: string, content: Buffer): void {
    const file = nodePath.join(this.files, path);
    createFolderSync(nodePath.dirname(file));
    fs.writeFileSync(file, content, { flag: 'wx' });
  }

  /** Returns the content of a file; undefined unless it has the expected size. */
  read({ path, bytes }: FileToMove): Buffer | undefined {
    try {
      const content = fs.readFileSync(nodePath.join(this.files, path));
      return content.length === bytes ? content : undefined;
    } catch {
      return undefined;
    }
  }

  /**
   * Moves a file of the expected size out of the folder. Returns false if that fails, for example because there is no
   * such file or the target is on another file system.
   */
  moveTo({ path, bytes }: FileToMove, target: string): boolean {
    const file = nodePath.join(this.files, path);
    try {
      const stats = fs.lstatSync(file);
      if (!stats.isFile() || stats.size !== bytes) return false;
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
