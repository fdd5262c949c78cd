import * as fs from 'node:fs';
import { digestFile } from './digests.ts';
import type { DoneFile, FileToStage, HeldHash, JobResult, StageJob, JobSign } from './fileJobs.ts';
import { at, BadFile, workThrough } from './fileWork.ts';
import { SourceFiles } from './sourceFiles.ts';

/**
 * Makes files ready to be copied: the SHA-256 of each is known and agrees with the hash in its metadata (D23). A file is
 * read only when no hash is held of it as it is now (D22).
 */
export function stageFiles({ folder, files, sign }: StageJob): JobResult {
  let source: SourceFiles | undefined;
  return workThrough(files, sign, (file) =>
    at('read', () => {
      source ??= new SourceFiles(folder);
      return source.open(file.path, (opened) => stageFile(opened, file, sign));
    }),
  );
}

function stageFile(opened: number, file: FileToStage, sign: JobSign): DoneFile {
  const before = seen(opened);
  const { held, declared } = file;
  if (held?.bytes === before.bytes && held.modifiedMs === before.modifiedMs)
    return { position: file.position, ...held };
  const { sha256, other, bytes } = digestFile(opened, before.bytes, sign, declared?.algorithm);
  const after = seen(opened);
  if (bytes !== before.bytes || after.bytes !== bytes || after.modifiedMs !== before.modifiedMs) {
    throw new BadFile('it changed while it was being read');
  }
  if (declared !== undefined && declared.hex !== other) {
    throw new BadFile(`it does not have the ${declared.algorithm} hash that its metadata states`);
  }
  return { position: file.position, ...before, sha256 };
}

function seen(opened: number): Omit<HeldHash, 'sha256'> {
  const stats = fs.fstatSync(opened);
  return { bytes: stats.size, modifiedMs: stats.mtimeMs };
}
