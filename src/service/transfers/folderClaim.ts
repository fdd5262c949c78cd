import * as fs from 'node:fs';
import { isMissing } from '../../core/util/errorFacts.ts';
import {
  getClaimName,
  getManifestNames,
  getTransferFolderName,
  getUploadFolderName,
} from '../../core/util/transferFolderNames.ts';
import { DestinationFolders } from './destinationFiles.ts';
import { BadFile, toFileFailure, toOperationError, type JobResult } from './fileJobs.ts';

/** The folder of a transfer in a destination. */
interface TransferFolder {
  readonly transferId: string;
  /** The chosen name of the folder; undefined for the usual one. */
  readonly folderName?: string | undefined;
  /** Resolved path of the destination's folder at submission, if known. */
  readonly destinationPlace?: string | undefined;
}

/** Completes a sentence about the name of a folder that a transfer would have to create. */
export const nameTaken = 'it already exists at the destination';

interface ClaimJob extends TransferFolder {
  readonly folderName: string;
  readonly destinationFolder: string;
  /** The folder that has the sources, if they aren't in a store. */
  readonly sourceFolder: string | undefined;
}

/**
 * Creates the folder with a chosen name, and marks it as this transfer's until its manifest is complete. Fails if
 * anything has the name, unless this transfer created the folder. Never rejects.
 */
export async function claimFolder(job: ClaimJob): Promise<JobResult> {
  try {
    await claim(job);
    return { done: [] };
  } catch (error) {
    return { done: [], failure: toFileFailure(0, toOperationError('write', error)) };
  }
}

async function claim({ transferId, folderName, destinationFolder, destinationPlace, sourceFolder }: ClaimJob) {
  const base = fs.realpathSync.native(destinationFolder);
  const folder = `${base}/${folderName}`;
  if (await isClaimed(folder, transferId)) {
    writeClaim(folder, transferId);
    return;
  }
  if (isTaken(folder)) throw new BadFile(nameTaken);
  // Marked before it is named: a crash leaves no folder without a mark, and no renaming replaces one that has a mark.
  const unclaimed = getUploadFolderName(transferId);
  const marked = new DestinationFolders(destinationFolder, unclaimed, destinationPlace, sourceFolder).ensureFolder('.');
  writeClaim(marked, transferId);
  try {
    if (isTaken(folder)) throw new BadFile(nameTaken);
    fs.renameSync(marked, folder);
  } catch (error) {
    // Over a network, a renaming can succeed and report an error.
    if (await isClaimed(folder, transferId)) return;
    if (error instanceof BadFile || !isTaken(folder)) throw error;
    throw new BadFile(nameTaken);
  }
}

function isTaken(path: string): boolean {
  return fs.lstatSync(path, { throwIfNoEntry: false }) !== undefined;
}

function writeClaim(folder: string, transferId: string): void {
  const path = `${folder}/${getClaimName(transferId)}`;
  const stats = fs.lstatSync(path, { throwIfNoEntry: false });
  if (stats?.isFile() !== true) fs.writeFileSync(path, transferId, { flag: 'wx', mode: 0o600, flush: true });
}

/**
 * Returns true if a folder with a chosen name is this transfer's: it has the mark of the unfinished transfer or its
 * manifest. Never follows a link. Rejects if the folder can't be read.
 */
export async function isClaimed(folder: string, transferId: string): Promise<boolean> {
  const stats = await unlessMissing(fs.promises.lstat(folder));
  if (stats?.isDirectory() !== true) return false;
  const mark = await unlessMissing(fs.promises.lstat(`${folder}/${getClaimName(transferId)}`));
  if (mark?.isFile() === true) return true;
  for (const name of getManifestNames(transferId))
    if ((await unlessMissing(isManifestOf(`${folder}/${name}`, transferId))) === true) return true;
  return false;
}

async function unlessMissing<T>(found: Promise<T>): Promise<T | undefined> {
  return await found.catch((error: unknown) => {
    if (isMissing(error)) return undefined;
    throw error;
  });
}

/**
 * Opens the folder of a transfer in a destination. Creates it unless its name was chosen: such a folder must have the
 * mark that {@link claimFolder} gave it. Throws {@link BadFile} if it doesn't, or as {@link DestinationFolders} does.
 */
export function openTransferFolder(
  destination: string,
  { transferId, folderName, destinationPlace }: TransferFolder,
  source?: string,
): DestinationFolders {
  const name = getTransferFolderName(transferId, folderName);
  if (folderName !== undefined) requireClaim(`${fs.realpathSync.native(destination)}/${name}`, transferId);
  return new DestinationFolders(destination, name, destinationPlace, source);
}

function requireClaim(folder: string, transferId: string): void {
  const stats = fs.lstatSync(folder);
  const isMarked = fs.lstatSync(`${folder}/${getClaimName(transferId)}`, { throwIfNoEntry: false })?.isFile() === true;
  if (!stats.isDirectory() || !isMarked) throw new BadFile('another program replaced its folder in the destination');
}

/** The ID comes within the first lines of a manifest. */
const headBytes = 1024;

/** Returns true for this transfer's manifest, of any attempt. Follows no link. Rejects if it can't be read. */
export async function isManifestOf(path: string, transferId: string): Promise<boolean> {
  if (!(await fs.promises.lstat(path)).isFile()) return false;
  const { O_RDONLY, O_NOFOLLOW, O_NONBLOCK } = fs.constants;
  const file = await fs.promises.open(path, O_RDONLY | O_NOFOLLOW | O_NONBLOCK);
  try {
    const { buffer, bytesRead } = await file.read(Buffer.alloc(headBytes), 0, headBytes, 0);
    return buffer.toString('utf8', 0, bytesRead).includes(`"id": "${transferId}"`);
  } finally {
    await file.close();
  }
}
