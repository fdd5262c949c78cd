import * as fs from 'node:fs';
import { constants, type BigIntStats } from 'node:fs';
import * as nodePath from 'node:path';
import { getErrorCode, isMissing } from '../../core/util/errorFacts.ts';
import type { DatabaseDocument } from '../../contract/contract.ts';
import { formatModified } from '../catalog/catalogFile.ts';
import type { JsonObject } from '../../core/util/json.ts';
import {
  getAlternateManifestName,
  getClaimName,
  getTransferFolderName,
  getUploadFolderName,
  manifestName,
} from '../../core/util/transferFolderNames.ts';
import { parseOrcid } from '../../core/util/userIdentity.ts';
import {
  createAttempt,
  createConflict,
  getPartEnd,
  getPartPath,
  hasOpenFiles,
  openFilesFolder,
  publishPart,
  removePart,
  restrictMode,
} from './destinationFiles.ts';
import { BadFile, type JobResult } from './fileJobs.ts';
import { isClaimed, isManifestOf, openTransferFolder } from './folderClaim.ts';
import type { TransferRecord, TransferRecordFile } from './journal.ts';
import { isSame } from './openFiles.ts';
import { findSystemCode, isFolder, toTransferError, TransferFailure, type FileAttempts } from './transferErrors.ts';

/** Number of resources to serialize at a time. A transfer can have too many files to serialize all of them at once. */
const pieceSize = 500;

const typicalResourceBytes = 1_000;

interface ManifestContent {
  readonly record: TransferRecord;
  readonly source: DatabaseDocument;
  readonly destination: DatabaseDocument;
  readonly files: readonly TransferRecordFile[];
}

/** Generates the text of the Data Package that describes the transferred files (D24: destination layout), in pieces. */
export function* generateManifest({ record, source, destination, files }: ManifestContent): Generator<string> {
  const document: JsonObject = {
    profile: 'data-package',
    name: 'manifest',
    id: record.id,
    folder: record.folderName,
    created: new Date(record.createdAtMs).toISOString(),
    keywords: ['dts', 'manifest'],
    description: record.description,
    instructions: record.instructions,
    // Users of the local service may be known by their login name only.
    orcid: parseOrcid(record.orcid) && record.orcid,
    source: { id: source.id, name: source.name },
    destination: { id: destination.id, name: destination.name },
  };
  const head = JSON.stringify(document, undefined, 2);
  yield `${head.slice(0, head.lastIndexOf('\n'))},\n  "resources": [\n`;
  const names = new Map<string, number>();
  for (let start = 0; start < files.length; start += pieceSize) {
    const piece = files.slice(start, start + pieceSize);
    const lines = piece.map((file) => `    ${JSON.stringify(toManifestResource(file, names))}`);
    yield `${start === 0 ? '' : ',\n'}${lines.join(',\n')}`;
  }
  yield '\n  ]\n}\n';
}

function toManifestResource(file: TransferRecordFile, names: Map<string, number>): JsonObject {
  const { resource, path, bytes, sha256 = '', storeHash = `sha256:${sha256}`, modifiedMs } = file;
  const content = { path, bytes, hash: storeHash, ...formatModified(modifiedMs) };
  return { ...resource, name: findFreeName(resource.name ?? 'file', names), ...content };
}

/** Returns a name unique in the Data Package and adds it to `names`, the suffixes tried for each. */
function findFreeName(name: string, names: Map<string, number>): string {
  let number = names.get(name) ?? 0;
  let free = name;
  while (names.has(free)) free = `${name}-${++number + 1}`;
  names.set(name, number);
  names.set(free, names.get(free) ?? 0);
  return free;
}

/** Returns the manifest's name, which differs from the usual one if a transferred file or folder has that name. */
export function chooseManifestName(transferId: string, files: readonly TransferRecordFile[]): string {
  // Approximately as case-insensitive file systems fold names, including letters such as `ſ`.
  const isTaken = files.some(({ path }) => path.split('/', 1)[0]?.normalize('NFKC').toLowerCase() === manifestName);
  return isTaken ? getAlternateManifestName(transferId) : manifestName;
}

interface ManifestOptions {
  readonly attempts: FileAttempts;
  /** Rejects if a file is missing. */
  requireFiles(): Promise<void>;
}

/**
 * Writes the manifest to the transfer's folder in `root` under a temporary name, and gives it its final name if all
 * files are there. Replaces the manifest of an earlier attempt, but no other file (D24: destination layout). Throws a
 * `TransferFailure` or `TransferSuspension` if the file system fails, or what `requireFiles` throws.
 */
export async function writeManifest(
  content: ManifestContent,
  root: string,
  { attempts, requireFiles }: ManifestOptions,
): Promise<void> {
  const { record, files } = content;
  const name = chooseManifestName(record.id, files);
  try {
    const { id: transferId, folderName, destinationPlace } = record;
    const folders = openTransferFolder(root, { transferId, folderName, destinationPlace });
    const folder = folders.ensureFolder('.');
    const finalPath = `${folder}/${name}`;
    const part = getPartPath(finalPath, createAttempt(), record.id);
    try {
      const mode = restrictMode(0o666, fs.statSync(folder).mode);
      await fs.promises.writeFile(part, generateManifest(content), { flush: true, flag: 'wx', mode });
      await requireFiles();
      folders.checkUnmoved(folder);
      await removeEarlier(finalPath, record.id);
      publishPart(part, finalPath, isPresent);
    } catch (error) {
      removePart(part);
      throw error;
    }
  } catch (error) {
    if (error instanceof BadFile) throw new TransferFailure(`could not write ${name}: ${error.message}`);
    const code = getErrorCode(error);
    if (findSystemCode(code) === undefined) throw error;
    const bytes = files.length * typicalResourceBytes;
    throw await toTransferError({ operation: 'write', code }, { path: name, root, bytes }, attempts);
  }
}

/** Removes the manifest that an earlier attempt wrote before it was killed. Another program's file remains. */
async function removeEarlier(path: string, transferId: string): Promise<void> {
  try {
    if (await isManifestOf(path, transferId)) await fs.promises.rm(path, { force: true });
  } catch (error) {
    if (!isMissing(error)) throw error;
  }
}

function isPresent(path: string): false {
  if (fs.lstatSync(path, { throwIfNoEntry: false }) !== undefined) throw createConflict();
  return false;
}

interface PartsJob {
  readonly transferId: string;
  readonly folderName?: string | undefined;
  readonly destinationFolder: string;
}

/**
 * Removes a transfer's unfinished files and its manifest from a destination; complete files remain, and so does a
 * folder with the chosen name that isn't this transfer's. Returns false if the destination is unavailable, or if an
 * unfinished file or the manifest may remain. Never rejects.
 */
export async function discardTransfer(
  destination: string,
  transferId: string,
  manifestName: string,
  folderName?: string,
): Promise<boolean> {
  if (!(await isFolder(destination))) return false;
  const folder = nodePath.join(destination, getTransferFolderName(transferId, folderName));
  const isComplete =
    folderName === undefined
      ? await discardFolder(folder, transferId, manifestName)
      : await discardChosenFolder(folder, transferId, manifestName);
  // If the destination has disappeared, nothing was found in it.
  return isComplete && (await isFolder(destination));
}

/** Removes the part files of all attempts of a transfer, such as those of a killed service. Never rejects. */
export async function removeParts({ transferId, folderName, destinationFolder }: PartsJob): Promise<JobResult> {
  const folder = nodePath.join(destinationFolder, getTransferFolderName(transferId, folderName));
  await useFolder(folder, undefined, async (opened) => await removeLeftovers(opened, transferId, false));
  return { done: [] };
}

async function discardFolder(folder: string, transferId: string, manifestName: string): Promise<boolean> {
  const isComplete = await useFolder(folder, undefined, async (opened) => {
    const isManifestRemoved = await removeManifest(opened, transferId, manifestName);
    return (await removeLeftovers(opened, transferId, true)) && isManifestRemoved;
  });
  // Fails if the folder isn't empty, or if a link has replaced it.
  await fs.promises.rmdir(folder).catch(() => undefined);
  return isComplete;
}

async function discardChosenFolder(folder: string, transferId: string, manifestName: string): Promise<boolean> {
  const unclaimed = nodePath.join(nodePath.dirname(folder), getUploadFolderName(transferId));
  try {
    await removeClaim(unclaimed, transferId);
    await fs.promises.rmdir(unclaimed).catch(() => undefined);
    if (!(await isClaimed(folder, transferId))) return true;
  } catch (error) {
    return isMissing(error);
  }
  if (!(await discardFolder(folder, transferId, manifestName))) return false;
  // The mark comes last, so that an interrupted removal is continued.
  const isRemoved = await removeClaim(folder, transferId);
  await fs.promises.rmdir(folder).catch(() => undefined);
  return isRemoved;
}

/**
 * Removes the mark of an unfinished transfer from a folder whose name was chosen, once its manifest is there. Returns
 * false if it may remain. Never rejects.
 */
export async function releaseFolder(destination: string, { id, folderName }: TransferRecord): Promise<boolean> {
  return folderName === undefined || (await removeClaim(nodePath.join(destination, folderName), id));
}

async function removeClaim(folder: string, transferId: string): Promise<boolean> {
  return await useFolder(folder, undefined, async (opened) => await removeFile(opened, getClaimName(transferId)));
}

/** Removes the manifest unless another program wrote it. */
async function removeManifest(folder: OpenFolder, transferId: string, manifestName: string): Promise<boolean> {
  if (manifestName === '') return true;
  try {
    if (!(await isManifestOf(folder.getPath(manifestName), transferId))) return true;
  } catch (error) {
    return isMissing(error);
  }
  return await removeFile(folder, manifestName);
}

/** Removes part files and, if `removesFolders`, empty subfolders. False if some may remain. Never rejects. */
async function removeLeftovers(folder: OpenFolder, transferId: string, removesFolders: boolean): Promise<boolean> {
  const isPart = (name: string): boolean => name.endsWith(getPartEnd(transferId)) && name !== getClaimName(transferId);
  let isComplete = true;
  try {
    for (const entry of await fs.promises.readdir(folder.path, { withFileTypes: true })) {
      if (entry.isDirectory()) {
        const removeInside = async (inner: OpenFolder): Promise<boolean> =>
          await removeLeftovers(inner, transferId, removesFolders);
        isComplete = (await useFolder(folder.getPath(entry.name), folder, removeInside)) && isComplete;
        // Fails if the folder isn't empty, or if a link has replaced it.
        if (removesFolders) await folder.remove(entry.name, fs.promises.rmdir).catch(() => undefined);
      } else if (isPart(entry.name)) isComplete = (await removeFile(folder, entry.name)) && isComplete;
    }
  } catch (error) {
    return isMissing(error);
  }
  return isComplete;
}

/** Removes a file. Returns false if the file remains. If the path is a folder, keeps the folder and returns true. */
async function removeFile(folder: OpenFolder, name: string): Promise<boolean> {
  try {
    await folder.remove(name, async (path) => await fs.promises.rm(path, { force: true }));
    return true;
  } catch (error) {
    return isMissing(error) || getErrorCode(error) === 'ERR_FS_EISDIR';
  }
}

/**
 * Runs `work` with a folder, without following a link in its place. Returns true if there is no such folder, and false
 * if it can't be opened. Never rejects.
 */
async function useFolder(
  path: string,
  parent: OpenFolder | undefined,
  work: (folder: OpenFolder) => Promise<boolean>,
): Promise<boolean> {
  let folder: OpenFolder;
  try {
    const stats = await fs.promises.lstat(path, { bigint: true });
    if (!stats.isDirectory()) return true;
    folder = await OpenFolder.open(path, stats, parent);
  } catch (error) {
    // A link or a file has replaced the folder.
    return isMissing(error) || ['ELOOP', 'ENOTDIR'].includes(getErrorCode(error));
  }
  return await work(folder).finally(async () => await folder.close());
}

/**
 * A folder in which files are removed. On Linux, an open descriptor leads to it even if somebody replaces it or a
 * folder above it by a link. Elsewhere, it is checked again before each removal.
 */
class OpenFolder {
  readonly path: string;
  private readonly stats: BigIntStats;
  private readonly parent: OpenFolder | undefined;
  private readonly handle: fs.promises.FileHandle | undefined;

  private constructor(
    path: string,
    stats: BigIntStats,
    parent: OpenFolder | undefined,
    handle: fs.promises.FileHandle | undefined,
  ) {
    this.path = handle === undefined ? path : `${openFilesFolder}/${handle.fd}`;
    this.stats = stats;
    this.parent = parent;
    this.handle = handle;
  }

  static async open(path: string, stats: BigIntStats, parent: OpenFolder | undefined): Promise<OpenFolder> {
    const { O_RDONLY, O_DIRECTORY, O_NOFOLLOW } = constants;
    const handle = hasOpenFiles ? await fs.promises.open(path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW) : undefined;
    return new OpenFolder(path, stats, parent, handle);
  }

  getPath(name: string): string {
    return `${this.path}/${name}`;
  }

  async remove(name: string, remove: (path: string) => Promise<void>): Promise<void> {
    if (this.handle === undefined) await this.requireUnmoved();
    await remove(this.getPath(name));
  }

  async close(): Promise<void> {
    await this.handle?.close().catch(() => undefined);
  }

  private async requireUnmoved(): Promise<void> {
    await this.parent?.requireUnmoved();
    const stats = await fs.promises.lstat(this.path, { bigint: true });
    if (!isSame(stats, this.stats)) throw Object.assign(new Error('The folder was replaced.'), { code: 'EBUSY' });
  }
}
