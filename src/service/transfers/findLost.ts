import * as fs from 'node:fs';
import { isMissing } from '../../core/util/errorFacts.ts';
import { getTransferFolderName } from '../../core/util/transferFolderNames.ts';
import type { JobResult, TransferredFilesJob } from './fileJobs.ts';
import { runOperation, processFiles } from './fileProcessing.ts';

/** Finds transferred files that are missing or have a different size, for example after a power failure. */
export function findLost({ transferId, destinationFolder, files, signal }: TransferredFilesJob): JobResult {
  const lost: number[] = [];
  let realFolder: string | undefined;
  const result = processFiles(files, signal, (file) =>
    runOperation('write', () => {
      realFolder ??= fs.realpathSync.native(destinationFolder);
      if (!isFilePresent(`${realFolder}/${getTransferFolderName(transferId)}/${file.path}`, file.bytes)) {
        // If the destination has disappeared, its files aren't lost.
        fs.realpathSync.native(destinationFolder);
        lost.push(file.position);
      }
      return file;
    }),
  );
  return { ...result, lost };
}

function isFilePresent(path: string, bytes: number): boolean {
  try {
    const stats = fs.lstatSync(path);
    return stats.isFile() && stats.size === bytes;
  } catch (error) {
    if (isMissing(error)) return false;
    throw error;
  }
}
