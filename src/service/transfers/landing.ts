import { createHash } from 'node:crypto';
import * as fs from 'node:fs';
import * as nodePath from 'node:path';
import { landingFolderOf } from '../../core/util/landedNames.ts';
import { BadFile } from './fileWork.ts';

/**
 * The folders within a destination that a transfer lands in. They are made one level at a time, and the destination
 * itself never is: a disk that is away must not be replaced by a folder of its name. Throws {@link BadFile} where a link
 * stands in the way, or the file system's own error. Links that led to `place` all the time do not.
 */
export class LandingFolders {
  private readonly base: string;
  private readonly made = new Set<string>();

  constructor(destination: string, landing: string, place?: string) {
    this.base = fs.realpathSync.native(destination);
    if (place !== undefined && this.base !== place) this.check(destination);
    this.base = this.level(this.base, landing);
  }

  /**
   * Makes the folder at a path below the landing folder (`.` is itself), and returns where it is. One that was made
   * before is looked at again: a link may stand there by now.
   */
  make(path: string): string {
    let folder = this.base;
    for (const part of path.split('/').filter((name) => name !== '' && name !== '.')) {
      if (part === '..') throw new BadFile('it leads out of the destination');
      folder = this.level(folder, part);
    }
    this.check(folder);
    return folder;
  }

  /** Throws when a folder is no longer where it was made: a link was put into its way. */
  check(folder: string): void {
    if (fs.realpathSync.native(folder) !== nodePath.normalize(folder)) {
      throw new BadFile('a link leads out of the destination');
    }
  }

  private level(parent: string, name: string): string {
    const folder = `${parent}/${name}`;
    if (this.made.has(folder)) return folder;
    this.check(parent);
    try {
      fs.mkdirSync(folder);
    } catch (error) {
      if (!(error instanceof Error && 'code' in error && error.code === 'EEXIST')) throw error;
    }
    this.check(folder);
    this.made.add(folder);
    return folder;
  }
}

const longestStart = 40;

/**
 * The name of an unfinished copy, beside the final one; short enough for every file system. Each file has one of its
 * own: several of a transfer are copied at once.
 */
export function partPathOf(finalPath: string, transferId: string): string {
  const name = nodePath.basename(finalPath);
  const signs = Array.from(name);
  const start = signs.length > longestStart ? `${signs.slice(0, longestStart).join('')}-${shortHash(name)}` : name;
  return nodePath.join(nodePath.dirname(finalPath), `${start}.part-${transferId}`);
}

function shortHash(text: string): string {
  return createHash('sha256').update(text).digest('hex').slice(0, 32);
}

/** Removes what a transfer left unfinished at a destination, and its manifest; whole files stay. Never rejects. */
export async function discardLanding(destination: string, transferId: string, manifestName: string): Promise<void> {
  const folder = nodePath.join(destination, landingFolderOf(transferId));
  const stats = await fs.promises.lstat(folder).catch(() => undefined);
  if (stats?.isDirectory() !== true) return;
  await fs.promises.rm(nodePath.join(folder, manifestName), { force: true }).catch(() => undefined);
  await removeLeftovers(folder, transferId);
}

/** Removes what an ended transfer left unfinished: its part files and the folders that are empty. Never rejects. */
async function removeLeftovers(folder: string, transferId: string): Promise<void> {
  try {
    for (const entry of await fs.promises.readdir(folder, { withFileTypes: true })) {
      const path = nodePath.join(folder, entry.name);
      if (entry.isDirectory()) await removeLeftovers(path, transferId);
      else if (entry.name.endsWith(`.part-${transferId}`)) await fs.promises.rm(path, { force: true });
    }
    await fs.promises.rmdir(folder);
  } catch {
    // Not empty, not there or not reachable: then there is nothing to remove.
  }
}
