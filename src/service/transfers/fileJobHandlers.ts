import { createHash } from 'node:crypto';
import * as fs from 'node:fs';
import { isMissing } from '../../core/util/errorFacts.ts';
import { getTransferFolderName } from '../../core/util/transferFolderNames.ts';
import {
  FileBytes,
  processFiles,
  SharedCopy,
  type JobResult,
  type ReadBackJob,
  type StageJob,
  type TransferredFilesJob,
} from './fileJobs.ts';
import { readFolderContent } from '../content/folderContent.ts';
import { moveFiles } from './moveFiles.ts';
import { claimFolder } from './folderClaim.ts';
import { removeParts } from './manifest.ts';
import { readPieces, readRange, SourceFiles } from './openFiles.ts';
import { stageFile } from './stageFile.ts';

/** The jobs that a file thread can run. */
export const fileJobHandlers = {
  stage: stageFiles,
  move: moveFiles,
  readBack: readBackCopy,
  findLost,
  removeParts,
  claimFolder,
  readContent: readFolderContent,
};

/**
 * Stages files. Reads each file that has no valid cached hash, computes its SHA-256, and verifies any hash in its
 * metadata (D22: staged means hashed, D23: transfer states).
 */
export async function stageFiles({ folder, files, signal }: StageJob): Promise<JobResult> {
  let source: SourceFiles | undefined;
  return await processFiles('read', files, signal, (file) => {
    source ??= new SourceFiles(folder);
    return source.open(file.path, (opened) => {
      const counter = new FileBytes(signal, Number(opened.stats.size));
      return stageFile(opened, file, signal, { counter }).done;
    });
  });
}

/** Finds transferred files that are missing or have a different size, for example after a power failure. */
export async function findLost(job: TransferredFilesJob): Promise<JobResult> {
  const { transferId, folderName, destinationFolder, files, signal } = job;
  const lost: number[] = [];
  let realFolder: string | undefined;
  const result = await processFiles('write', files, signal, (file) => {
    realFolder ??= fs.realpathSync.native(destinationFolder);
    const path = `${realFolder}/${getTransferFolderName(transferId, folderName)}/${file.path}`;
    let stats: fs.Stats | undefined;
    try {
      stats = fs.lstatSync(path);
    } catch (error) {
      if (!isMissing(error)) throw error;
    }
    if (stats?.isFile() !== true || stats.size !== file.bytes) {
      // If the destination has disappeared, its files aren't lost.
      fs.realpathSync.native(destinationFolder);
      lost.push(file.position);
    }
    return file;
  });
  return { ...result, lost };
}

/** Reads a large copy back while another thread writes it (D68: read back while copying). */
function readBackCopy(job: ReadBackJob): JobResult {
  const copy = new SharedCopy(job.sharedCopy);
  if (copy.startReading()) {
    const counter = new FileBytes(job.signal, job.bytes);
    const digest = tryDigest(copy, job, counter);
    if (digest === undefined) counter.reset();
    copy.finishReading(digest);
  }
  return { done: [] };
}

/**
 * Returns the digest of the copy; undefined if the copy ended early or cannot be read. The copying thread then reports
 * the failure or reads the copy itself.
 */
function tryDigest(copy: SharedCopy, job: ReadBackJob, counter: FileBytes): Uint8Array | undefined {
  try {
    return digestGrowing(copy, job, counter);
  } catch {
    return undefined;
  }
}

function digestGrowing(copy: SharedCopy, { bytes, signal }: ReadBackJob, counter: FileBytes): Uint8Array | undefined {
  const digest = createHash('sha256');
  const update = (piece: Buffer): void => {
    digest.update(piece);
    counter.addRead(piece.length);
  };
  for (let offset = 0; ;) {
    const written = copy.waitForMore(offset);
    if (written === 'ended') return undefined;
    if (written === 'whole') {
      readPieces(copy.file, { from: offset, expectedBytes: bytes }, signal, update);
      return digest.digest();
    }
    offset = readRange(copy.file, { from: offset, to: written }, signal, update);
    if (offset < written) return undefined;
  }
}
