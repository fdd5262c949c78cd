import * as fs from 'node:fs/promises';
import { constants } from 'node:fs';
import * as nodePath from 'node:path';
import { wait, type Clock } from '../../core/util/clock.ts';
import { digestFile, resolveInside } from './hashing.ts';
import { makeFolder, partPathOf } from './landing.ts';
import { meaningOf, TransferFailure } from './outcomes.ts';
import { landingFolderOf, type TransferFile } from './transferRecord.ts';

/** From where to where the files of a transfer go. */
interface MoveRoute {
  readonly transferId: string;
  readonly sourceFolder: string;
  readonly destinationFolder: string;
  readonly clock: Clock;
  readonly throttleBytesPerSecond?: number;
}

const chunkBytes = 1024 * 1024;

/**
 * Copies a staged file: written beside its final name, read back and compared with the staged hash, then renamed (D24).
 * What is already there with the right hash stays. Throws a failure or a suspension; on every throw, also of an abort,
 * the unfinished copy is gone.
 */
export async function moveFile(route: MoveRoute, file: TransferFile, signal: AbortSignal): Promise<void> {
  const source = await reading(route, file, async () => await resolveInside(route.sourceFolder, file.path));
  try {
    const path = `${landingFolderOf(route.transferId)}/${file.path}`;
    const folder = await makeFolder(route.destinationFolder, nodePath.posix.dirname(path));
    const finalPath = nodePath.join(folder, nodePath.posix.basename(path));
    if (await isThere(finalPath, file, signal)) return;
    await copyVerified(route, source, finalPath, file, signal);
  } catch (error) {
    const what = { act: 'write', path: file.path, root: route.destinationFolder, bytes: file.bytes } as const;
    throw await meaningOf(error, what);
  }
}

/** Says of what goes wrong at the source that it was there, also when the source goes away in the middle of a copy. */
async function reading<T>(route: MoveRoute, file: TransferFile, act: () => Promise<T>): Promise<T> {
  try {
    return await act();
  } catch (error) {
    throw await meaningOf(error, { act: 'read', path: file.path, root: route.sourceFolder, bytes: file.bytes });
  }
}

async function isThere(finalPath: string, file: TransferFile, signal: AbortSignal): Promise<boolean> {
  const stats = await fs.lstat(finalPath).catch(() => undefined);
  if (stats === undefined) return false;
  if (stats.isFile() && (await digestFile(finalPath, signal)).sha256 === file.sha256) return true;
  throw new TransferFailure(`could not write ${file.path}: something else is already there`);
}

async function copyVerified(
  route: MoveRoute,
  source: string,
  finalPath: string,
  file: TransferFile,
  signal: AbortSignal,
): Promise<void> {
  const part = partPathOf(finalPath, route.transferId);
  try {
    await fs.rm(part, { force: true });
    if (route.throttleBytesPerSecond !== undefined || !(await cloned(source, part))) {
      await copyInChunks(route, source, part, file, signal);
    }
    const written = await digestFile(part, signal);
    if (written.sha256 !== file.sha256) {
      throw new TransferFailure(`could not copy ${file.path}: it changed while it was being transferred`);
    }
    signal.throwIfAborted();
    await fs.rename(part, finalPath);
  } catch (error) {
    await fs.rm(part, { force: true }).catch(() => undefined);
    throw error;
  }
}

/** Shares the blocks where the file system can, which takes no time; false where it cannot. */
async function cloned(source: string, part: string): Promise<boolean> {
  try {
    await fs.copyFile(source, part, constants.COPYFILE_EXCL | constants.COPYFILE_FICLONE_FORCE);
    return true;
  } catch {
    await fs.rm(part, { force: true });
    return false;
  }
}

async function copyInChunks(
  route: MoveRoute,
  source: string,
  part: string,
  file: TransferFile,
  signal: AbortSignal,
): Promise<void> {
  const rate = route.throttleBytesPerSecond;
  const size = rate === undefined ? chunkBytes : Math.min(chunkBytes, Math.max(1, Math.ceil(rate / 10)));
  await using from = await reading(route, file, async () => await fs.open(source, 'r'));
  await using to = await fs.open(part, 'wx');
  const buffer = Buffer.alloc(size);
  for (;;) {
    signal.throwIfAborted();
    const { bytesRead } = await reading(route, file, async () => await from.read(buffer, 0, size));
    if (bytesRead === 0) break;
    await to.writeFile(buffer.subarray(0, bytesRead));
    if (rate !== undefined) await wait(route.clock, (bytesRead / rate) * 1_000, signal);
  }
  await to.sync();
}
