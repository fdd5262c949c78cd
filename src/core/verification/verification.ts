import { realpath } from 'node:fs/promises';
import { basename, dirname } from 'node:path';
import type { Clock } from '../util/clock.ts';
import { mapConcurrently } from '../util/concurrentCalls.ts';
import { findExtraFiles, type ExtraFiles } from './extraFiles.ts';
import { checkFile, type FileOutcome } from './fileCheck.ts';
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

  /**
   * Starts counting a file's bytes. Counts at most the declared size while the file is read, and the remainder when
   * `end` is called.
   */
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
