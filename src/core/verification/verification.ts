import { createHash, type Hash } from 'node:crypto';
import { constants, type Dirent, type Stats } from 'node:fs';
import { open, opendir, realpath, type FileHandle } from 'node:fs/promises';
import { basename, dirname, isAbsolute, join, relative, sep } from 'node:path';
import type { Clock } from '../util/clock.ts';
import { mapConcurrently } from '../util/concurrentCalls.ts';
import { getErrorCode, isMissing } from '../util/errorFacts.ts';
import type { ManifestFile, TransferManifest } from './transferManifest.ts';

/** The progress of a verification. The byte counts include only files with a declared size and hash. */
export interface VerificationProgress {
  readonly fileCount: number;
  readonly checkedFileCount: number;
  readonly sizeBytes: number;
  readonly readBytes: number;
}

/** The result of a verification. */
export interface VerificationReport {
  readonly manifest: TransferManifest;
  readonly intactCount: number;
  /** All files that are not `intact`, in manifest order. */
  readonly findings: readonly { readonly file: ManifestFile; readonly outcome: FileOutcome }[];
  readonly extra: ExtraFiles;
}

/**
 * Returns true if a verification found nothing to warn about and at least one file is intact. Ignores extra files,
 * inaccessible folders, and files without a usable hash. `unlistedCount` is the number of requested files that the
 * manifest doesn't list.
 */
export function isVerified({ findings, manifest, intactCount }: VerificationReport, unlistedCount: number): boolean {
  const areFine = findings.every(({ outcome }) => outcome.kind === 'notCompared');
  return areFine && intactCount > 0 && unlistedCount === 0 && manifest.problemCount === 0;
}

interface VerificationOptions {
  readonly clock: Clock;
  readonly signal: AbortSignal;
  onProgress(progress: VerificationProgress): void;
}

/** Number of files to check in parallel: the default size of Node.js's thread pool. */
const maxParallelChecks = 4;

const progressMs = 200;

/**
 * Checks all files that a manifest lists, and finds files that it does not list. Includes problems with individual
 * files in the report. Rejects immediately when the signal is aborted, even if a disk does not respond.
 */
export async function verifyTransfer(
  manifest: TransferManifest,
  options: VerificationOptions,
): Promise<VerificationReport> {
  const { signal } = options;
  signal.throwIfAborted();
  let abort: () => void = () => undefined;
  const aborted = new Promise<never>((_, reject) => {
    abort = () => reject(signal.reason as Error);
    signal.addEventListener('abort', abort);
  });
  try {
    return await Promise.race([verify(manifest, options), aborted]);
  } finally {
    signal.removeEventListener('abort', abort);
  }
}

async function verify(manifest: TransferManifest, options: VerificationOptions): Promise<VerificationReport> {
  const folder = await realpath(dirname(manifest.file)).catch(() => dirname(manifest.file));
  const outcomes = await checkFiles(manifest.files, folder, options);
  const listed = new Set(manifest.files.flatMap(({ places }) => places).map(normalizePath));
  listed.add(normalizePath(basename(manifest.file)));
  const extra = await findExtraFiles(folder, (path) => listed.has(normalizePath(path)), options.signal);
  const findings = manifest.files.flatMap((file, index) => {
    const outcome = outcomes[index];
    return outcome === undefined || outcome.kind === 'intact' ? [] : [{ file, outcome }];
  });
  return { manifest, intactCount: manifest.files.length - findings.length, findings, extra };
}

/** Normalizes a path to NFC, because some file systems return names in a different Unicode form. */
function normalizePath(path: string): string {
  return path.normalize('NFC');
}

async function checkFiles(
  files: readonly ManifestFile[],
  folder: string,
  { clock, signal, onProgress }: VerificationOptions,
): Promise<readonly FileOutcome[]> {
  const meter = new ProgressMeter(files, clock, onProgress);
  const outcomes = await mapConcurrently(files, maxParallelChecks, async (file) => {
    const fileMeter = meter.start(file);
    const outcome = await checkFile(file, { folder, signal, onRead: fileMeter.read });
    signal.throwIfAborted();
    fileMeter.end();
    return outcome;
  });
  meter.report();
  return outcomes;
}

/** Counts the checked files and the bytes that were read, and reports both at intervals. */
class ProgressMeter {
  private readonly clock: Clock;
  private readonly onProgress: (progress: VerificationProgress) => void;
  private readonly fileCount: number;
  private readonly sizeBytes: number;
  private checkedFileCount = 0;
  private readBytes = 0;
  private reportedAt = 0;

  constructor(files: readonly ManifestFile[], clock: Clock, onProgress: (progress: VerificationProgress) => void) {
    this.clock = clock;
    this.onProgress = onProgress;
    this.fileCount = files.length;
    this.sizeBytes = files.reduce((sum, file) => sum + getReadSize(file), 0);
  }

  /** Counts a file's bytes: at most the declared size while it is read, the remainder with `end`. */
  start(file: ManifestFile): { read(bytes: number): void; end(): void } {
    let remaining = getReadSize(file);
    const count = (bytes: number): void => {
      const counted = Math.min(bytes, remaining);
      remaining -= counted;
      this.readBytes += counted;
      if (this.clock.now() - this.reportedAt >= progressMs) this.report();
    };
    const end = (): void => {
      this.checkedFileCount += 1;
      count(remaining);
    };
    return { read: count, end };
  }

  report(): void {
    this.reportedAt = this.clock.now();
    const { fileCount, checkedFileCount, sizeBytes, readBytes } = this;
    this.onProgress({ fileCount, checkedFileCount, sizeBytes, readBytes });
  }
}

function getReadSize({ hash, sizeBytes }: ManifestFile): number {
  return hash === undefined ? 0 : (sizeBytes ?? 0);
}

/**
 * The result of checking a file against the manifest. `changing`: the file was written, replaced or removed while it
 * was being read. `outsideFolder`: a link points outside the folder and was not opened. `notCompared`: the file exists
 * and has the declared size, if there is one, but the manifest has no usable hash.
 */
export type FileOutcome =
  | { readonly kind: 'intact' | 'missing' | 'changing' | 'outsideFolder' | 'notCompared' }
  | { readonly kind: 'size'; readonly stated: number; readonly found: number }
  | { readonly kind: 'hash'; readonly algorithm: string; readonly stated: string; readonly found: string }
  | { readonly kind: 'unreadable'; readonly code: string };

interface FileCheckOptions {
  /** The transferred folder, with symbolic links resolved. */
  readonly folder: string;
  readonly signal: AbortSignal;
  /** Called for each chunk that was read, with its size in bytes. */
  onRead(bytes: number): void;
}

/** Checks a file's size and hash. Never opens a file outside the folder. Rejects only with the signal's reason. */
async function checkFile(file: ManifestFile, options: FileCheckOptions): Promise<FileOutcome> {
  try {
    const path = await resolvePath(file, options.folder);
    if (path === undefined) return { kind: 'missing' };
    if (!isWithin(options.folder, path)) return { kind: 'outsideFolder' };
    return await compare(path, file, options);
  } catch (error) {
    options.signal.throwIfAborted();
    return isMissing(error) ? { kind: 'missing' } : { kind: 'unreadable', code: getErrorCode(error) };
  }
}

/** Returns the real path of a file; undefined if it is missing, or if a link points outside the folder. */
export async function findFile(file: Pick<ManifestFile, 'places'>, folder: string): Promise<string | undefined> {
  const path = await resolvePath(file, folder);
  return path !== undefined && isWithin(folder, path) ? path : undefined;
}

async function resolvePath({ places }: Pick<ManifestFile, 'places'>, folder: string): Promise<string | undefined> {
  for (const place of places) {
    try {
      return await realpath(join(folder, place));
    } catch (error) {
      if (!isMissing(error)) throw error;
    }
  }
  return undefined;
}

function isWithin(folder: string, path: string): boolean {
  const relativePath = relative(folder, path);
  return relativePath !== '..' && !relativePath.startsWith(`..${sep}`) && !isAbsolute(relativePath);
}

async function compare(path: string, file: ManifestFile, options: FileCheckOptions): Promise<FileOutcome> {
  // Nonblocking, because the path may have become a pipe without a writer.
  const handle = await open(path, constants.O_RDONLY | constants.O_NONBLOCK | constants.O_NOFOLLOW);
  try {
    const before = await handle.stat();
    if (!before.isFile()) return { kind: 'unreadable', code: before.isDirectory() ? 'EISDIR' : 'EINVAL' };
    if (file.sizeBytes !== undefined && file.sizeBytes !== before.size) {
      return { kind: 'size', stated: file.sizeBytes, found: before.size };
    }
    if (!file.hash) return { kind: 'notCompared' };
    const { algorithm, hex } = file.hash;
    const found = await digest(handle, before.size, createHash(algorithm), options);
    if (hasChanged(before, await handle.stat())) return { kind: 'changing' };
    return found === hex ? { kind: 'intact' } : { kind: 'hash', algorithm, stated: hex, found };
  } finally {
    await handle.close();
  }
}

const chunkBytes = 256 * 1024;

async function digest(handle: FileHandle, size: number, hash: Hash, options: FileCheckOptions): Promise<string> {
  const piece = Buffer.allocUnsafe(Math.min(size + 1, chunkBytes));
  for (;;) {
    options.signal.throwIfAborted();
    const { bytesRead } = await handle.read(piece, 0, piece.length, null);
    if (bytesRead === 0) return hash.digest('hex');
    hash.update(piece.subarray(0, bytesRead));
    options.onRead(bytesRead);
  }
}

/** Returns true if a file was written, replaced or removed (its link count is 0) while it was open. */
function hasChanged(before: Stats, after: Stats): boolean {
  return before.size !== after.size || before.mtimeMs !== after.mtimeMs || after.nlink === 0;
}

/** The files in a transferred folder that its manifest does not list. */
export interface ExtraFiles {
  /** Paths relative to the folder, sorted. */
  readonly paths: readonly string[];
  /** True if the scan stopped because it found more than {@link maxExtraFiles} files. */
  readonly isTruncated: boolean;
  readonly unreadableFolders: readonly { readonly path: string; readonly code: string }[];
}

const maxExtraFiles = 10_000;

/** Finds files and links that aren't in the manifest. Follows no links. Rejects only with the signal's reason. */
export async function findExtraFiles(
  folder: string,
  isListed: (path: string) => boolean,
  signal: AbortSignal,
): Promise<ExtraFiles> {
  const paths: string[] = [];
  const unreadableFolders: { path: string; code: string }[] = [];
  const pending = [''];
  const addEntry = (inFolder: string, entry: Dirent): void => {
    const path = inFolder === '' ? entry.name : `${inFolder}/${entry.name}`;
    if (entry.isDirectory()) pending.push(path);
    else if (!isListed(path)) paths.push(path);
  };
  for (let next = pending.pop(); next !== undefined; next = pending.pop()) {
    try {
      for await (const entry of await opendir(join(folder, next), { bufferSize: 256 })) {
        signal.throwIfAborted();
        addEntry(next, entry);
        if (paths.length > maxExtraFiles)
          return { paths: paths.slice(0, maxExtraFiles).sort(), isTruncated: true, unreadableFolders };
      }
    } catch (error) {
      signal.throwIfAborted();
      unreadableFolders.push({ path: next, code: getErrorCode(error) });
    }
  }
  return { paths: paths.sort(), isTruncated: false, unreadableFolders };
}
