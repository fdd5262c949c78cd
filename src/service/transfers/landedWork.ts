import * as fs from 'node:fs';
import { landingFolderOf } from '../../core/util/landedNames.ts';
import type { JobResult, LandedJob } from './fileJobs.ts';
import { at, workThrough } from './fileWork.ts';

/**
 * Looks which of the files that had landed are no longer there: these are done again. The content is not read: what is
 * looked for is a disk that came back as another one, or lost what it had not yet written.
 */
export function findLost({ transferId, destinationFolder, files, sign }: LandedJob): JobResult {
  const lost: number[] = [];
  let place: string | undefined;
  const result = workThrough(files, sign, (file) =>
    at('write', () => {
      place ??= fs.realpathSync.native(destinationFolder);
      if (!isThere(`${place}/${landingFolderOf(transferId)}/${file.path}`, file.bytes)) lost.push(file.position);
      return file;
    }),
  );
  return { ...result, lost };
}

function isThere(path: string, bytes: number): boolean {
  try {
    const stats = fs.lstatSync(path);
    return stats.isFile() && stats.size === bytes;
  } catch {
    return false;
  }
}
