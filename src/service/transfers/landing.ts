import * as fs from 'node:fs/promises';
import * as nodePath from 'node:path';
import { TransferFailure } from './outcomes.ts';
import { landingFolderOf } from './transferRecord.ts';

/**
 * Makes a folder within the destination and returns its real path. It makes one level at a time and never the
 * destination itself: a disk that is away must not be replaced by a folder of its name. Throws when a link stands in the way.
 */
export async function makeFolder(destination: string, path: string): Promise<string> {
  let folder = await fs.realpath(destination);
  for (const part of path.split('/').filter((name) => name !== '')) {
    if (part === '..' || part === '.')
      throw new TransferFailure(`could not write ${path}: it leads out of the destination`);
    folder = nodePath.join(folder, part);
    await makeLevel(folder);
  }
  if ((await fs.realpath(folder)) === folder) return folder;
  throw new TransferFailure(`could not write ${path}: a link leads out of the destination`);
}

async function makeLevel(folder: string): Promise<void> {
  try {
    await fs.mkdir(folder);
  } catch (error) {
    if (!(error instanceof Error && 'code' in error && error.code === 'EEXIST')) throw error;
  }
}

/** The name of an unfinished copy, beside the final one; short enough for every file system. */
export function partPathOf(finalPath: string, transferId: string): string {
  const start = Array.from(nodePath.basename(finalPath)).slice(0, 48).join('');
  return nodePath.join(nodePath.dirname(finalPath), `${start}.part-${transferId}`);
}

/** Removes what a transfer left unfinished at a destination, and its manifest; whole files stay. Never rejects. */
export async function discardLanding(destination: string, transferId: string, manifestName: string): Promise<void> {
  const folder = nodePath.join(destination, landingFolderOf(transferId));
  const stats = await fs.lstat(folder).catch(() => undefined);
  if (stats?.isDirectory() !== true) return;
  await fs.rm(nodePath.join(folder, manifestName), { force: true }).catch(() => undefined);
  await removeLeftovers(folder, transferId);
}

/** Removes what an ended transfer left unfinished: its part files and the folders that are empty. Never rejects. */
async function removeLeftovers(folder: string, transferId: string): Promise<void> {
  try {
    for (const entry of await fs.readdir(folder, { withFileTypes: true })) {
      const path = nodePath.join(folder, entry.name);
      if (entry.isDirectory()) await removeLeftovers(path, transferId);
      else if (entry.name.endsWith(`.part-${transferId}`)) await fs.rm(path, { force: true });
    }
    await fs.rmdir(folder);
  } catch {
    // Not empty, not there or not reachable: then there is nothing to remove.
  }
}
