import * as fs from 'node:fs';
import { digestFile } from './digests.ts';
import { FileBytes } from './fileBytes.ts';
import type { DoneFile, FileToStage, CachedHash, JobResult, StageJob, JobSignal } from './fileJobs.ts';
import { runOperation, BadFile, processFiles } from './fileProcessing.ts';
import { SourceFiles } from './sourceFiles.ts';

/**
 * Stages files. Reads each file that has no valid cached hash, computes its SHA-256, and verifies any hash in its
 * metadata (D22: staged means hashed, D23: transfer states).
 */
export function stageFiles({ folder, files, signal }: StageJob): JobResult {
  let source: SourceFiles | undefined;
  return processFiles(files, signal, (file) =>
    runOperation('read', () => {
      source ??= new SourceFiles(folder);
      return source.open(file.path, (opened) => stageFile(opened, file, signal));
    }),
  );
}

function stageFile(opened: number, file: FileToStage, signal: JobSignal): DoneFile {
  const before = readFileStats(opened);
  const counter = new FileBytes(signal, before.bytes);
  const { cachedHash, declared } = file;
  if (cachedHash?.bytes === before.bytes && cachedHash.modifiedMs === before.modifiedMs) {
    counter.complete();
    return { position: file.position, ...cachedHash };
  }
  const options = { other: declared?.algorithm, counter };
  const { sha256, other, bytes } = digestFile(opened, before.bytes, signal, options);
  const after = readFileStats(opened);
  if (bytes !== before.bytes || after.bytes !== bytes || after.modifiedMs !== before.modifiedMs) {
    throw new BadFile('it changed while it was being read');
  }
  if (declared !== undefined && declared.hex !== other) {
    throw new BadFile(`it does not have the ${declared.algorithm} hash that its metadata states`);
  }
  return { position: file.position, ...before, sha256 };
}

function readFileStats(opened: number): Omit<CachedHash, 'sha256'> {
  const stats = fs.fstatSync(opened);
  return { bytes: stats.size, modifiedMs: stats.mtimeMs };
}
