import * as fs from 'node:fs';
import {
  BadFile,
  createChangedFileError,
  type DoneFile,
  type FileBytes,
  type FileToStage,
  type JobSignal,
} from './fileJobs.ts';
import { digestFile, type OpenFile } from './openFiles.ts';

const second = 1_000_000_000n;

interface StageReading {
  /** Counts the bytes that are read. */
  readonly counter?: FileBytes;
  /** Receives the content of a small file, see {@link digestFile}. */
  readonly content?: Buffer;
}

/** A file with its hash, and the stats of the content that was hashed. */
interface StagedFile {
  readonly done: DoneFile;
  readonly stats: fs.BigIntStats;
}

/**
 * Computes the SHA-256 of an open file, unless it has a valid cached hash, and verifies any hash in its metadata. Throws
 * {@link BadFile} if they differ, or if the file changes meanwhile (D22: staged means hashed).
 */
export function stageFile(
  { file: opened, stats }: OpenFile,
  { position, cachedHash, declared }: FileToStage,
  signal: JobSignal,
  { counter, content }: StageReading = {},
): StagedFile {
  const before = { bytes: Number(stats.size), modifiedMs: toMilliseconds(stats.mtimeNs) };
  if (cachedHash?.bytes === before.bytes && cachedHash.modifiedMs === before.modifiedMs) {
    counter?.complete();
    return { done: { position, ...cachedHash }, stats };
  }
  const options = { other: declared?.algorithm, counter, content };
  const { sha256, other, bytes } = digestFile(opened, before.bytes, signal, options);
  const after = fs.fstatSync(opened, { bigint: true });
  if (bytes !== before.bytes || after.size !== stats.size) throw createChangedFileError();
  if (after.mtimeNs !== stats.mtimeNs) requireContent({ file: opened, stats: after }, sha256, signal, counter);
  if (declared !== undefined && declared.hex !== other) {
    throw new BadFile(`it does not have the ${declared.algorithm} hash that its metadata states`);
  }
  return { done: { position, bytes, modifiedMs: toMilliseconds(after.mtimeNs), sha256 }, stats: after };
}

function requireContent({ file, stats }: OpenFile, sha256: string, signal: JobSignal, counter?: FileBytes): void {
  // A mount by rclone changes the time of a file when it uploads it to a store that keeps none.
  counter?.reset();
  const again = digestFile(file, Number(stats.size), signal, { counter });
  const { size, mtimeNs } = fs.fstatSync(file, { bigint: true });
  if (again.sha256 !== sha256 || size !== stats.size || mtimeNs !== stats.mtimeNs) throw createChangedFileError();
}

/** Returns what Node.js has as `mtimeMs`, to the last digit. */
function toMilliseconds(nanoseconds: bigint): number {
  const fraction = ((nanoseconds % second) + second) % second;
  return Number((nanoseconds - fraction) / second) * 1_000 + Number(fraction) / 1_000_000;
}
