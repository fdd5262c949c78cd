import * as fs from 'node:fs';
import { isInside } from '../catalog/fileSight.ts';
import { digestFile } from './digests.ts';
import type { DoneFile, FileToStage, HeldHash, JobResult, StageJob, JobSign } from './fileJobs.ts';
import { at, BadFile, withFile, workThrough } from './fileWork.ts';

/**
 * Makes files ready to be copied: the SHA-256 of each is known and agrees with the hash in its metadata (D23). A file is
 * read only when no hash is held of it as it is now (D22).
 */
export function stageFiles({ folder, files, sign }: StageJob): JobResult {
  return workThrough(files, sign, (file) => at('read', () => stageFile(fs.realpathSync(folder), file, sign)));
}

function stageFile(realFolder: string, file: FileToStage, sign: JobSign): DoneFile {
  return withSource(realFolder, file.path, (opened) => {
    const before = seen(opened);
    const { held } = file;
    if (held?.bytes === before.bytes && held.modifiedMs === before.modifiedMs) {
      return { position: file.position, ...held };
    }
    const { declared } = file;
    const { sha256, other, bytes } = digestFile(opened, sign, declared?.algorithm);
    const after = seen(opened);
    if (bytes !== before.bytes || after.bytes !== bytes || after.modifiedMs !== before.modifiedMs) {
      throw new BadFile('it changed while it was being read');
    }
    if (declared !== undefined && declared.hex !== other) {
      throw new BadFile(`it does not have the ${declared.algorithm} hash that its metadata states`);
    }
    return { position: file.position, ...before, sha256 };
  });
}

function seen(opened: number): Omit<HeldHash, 'sha256'> {
  const { size, mtimeMs } = fs.fstatSync(opened);
  return { bytes: size, modifiedMs: mtimeMs };
}

/**
 * Opens a file of a database. What was opened is then held against the place that the path leads to, so that a link put
 * there in between leads nowhere; a pipe or a device is not waited for.
 */
export function withSource<T>(realFolder: string, path: string, work: (opened: number) => T): T {
  const flags = fs.constants.O_RDONLY | fs.constants.O_NONBLOCK;
  const place = `${realFolder}/${path}`;
  return withFile(place, flags, (opened) => {
    const realPath = fs.realpathSync.native(place);
    if (!isInside(realFolder, realPath)) throw new BadFile("it leads out of the database's folder");
    const there = fs.statSync(realPath);
    const mine = fs.fstatSync(opened);
    if (there.ino !== mine.ino || there.dev !== mine.dev) throw new BadFile('it changed while it was being read');
    if (!mine.isFile()) throw new BadFile('it is no file');
    return work(opened);
  });
}
