import { realpath } from 'node:fs/promises';
import { basename, dirname } from 'node:path';
import type { Clock } from '../util/clock.ts';
import { findExtraFiles, type ExtraFiles } from './extraFiles.ts';
import { checkFile, type FileOutcome } from './fileCheck.ts';
import type { LandedFile, LandedManifest } from './landedManifest.ts';

/** How far a check has come. Bytes are those of the files whose size and hash the manifest states. */
export interface CheckProgress {
  readonly fileCount: number;
  readonly checkedFileCount: number;
  readonly sizeBytes: number;
  readonly readBytes: number;
}

/** A file of the manifest that is not simply as it was sent. */
interface Finding {
  readonly file: LandedFile;
  readonly outcome: FileOutcome;
}

/** What a check has found. */
export interface LandedReport {
  readonly manifest: LandedManifest;
  readonly asSentCount: number;
  /** Everything but `asSent`, in the order of the manifest. */
  readonly findings: readonly Finding[];
  readonly extra: ExtraFiles;
}

/** What a {@link checkLanded} needs. */
interface CheckParts {
  readonly clock: Clock;
  readonly signal: AbortSignal;
  onProgress(progress: CheckProgress): void;
}

/** Files that are looked at side by side; as many as Node has threads for. */
const lanes = 4;

/** Shortest time between two reports of progress. */
const progressMs = 200;

/**
 * Checks every file that a manifest names, and looks for those that it does not name. Rejects at once with the reason of
 * the signal, also while a disk does not answer; what happens to single files is in the report.
 */
export async function checkLanded(manifest: LandedManifest, parts: CheckParts): Promise<LandedReport> {
  const { signal } = parts;
  signal.throwIfAborted();
  let leave: () => void = () => undefined;
  const left = new Promise<never>((_, reject) => {
    leave = () => reject(signal.reason as Error);
    signal.addEventListener('abort', leave);
  });
  try {
    return await Promise.race([check(manifest, parts), left]);
  } finally {
    signal.removeEventListener('abort', leave);
  }
}

async function check(manifest: LandedManifest, parts: CheckParts): Promise<LandedReport> {
  const folder = await realpath(dirname(manifest.file)).catch(() => dirname(manifest.file));
  const outcomes = await checkFiles(manifest.files, folder, parts);
  const named = new Set(manifest.files.flatMap(({ places }) => places).map(comparable));
  named.add(comparable(basename(manifest.file)));
  const extra = await findExtraFiles(folder, (path) => named.has(comparable(path)), parts.signal);
  const findings = manifest.files.flatMap((file, index) => {
    const outcome = outcomes[index];
    return outcome === undefined || outcome.kind === 'asSent' ? [] : [{ file, outcome }];
  });
  return { manifest, asSentCount: manifest.files.length - findings.length, findings, extra };
}

/** Some file systems give back names in another form of Unicode than they were given. */
function comparable(path: string): string {
  return path.normalize('NFC');
}

async function checkFiles(
  files: readonly LandedFile[],
  folder: string,
  { clock, signal, onProgress }: CheckParts,
): Promise<readonly FileOutcome[]> {
  const outcomes: FileOutcome[] = [];
  const meter = new Meter(files, clock, onProgress);
  const queue = files.entries();
  const work = async (): Promise<void> => {
    for (const [index, file] of queue) {
      const share = meter.begin(file);
      outcomes[index] = await checkFile(file, { folder, signal, onRead: share.read });
      signal.throwIfAborted();
      share.end();
    }
  };
  await Promise.all(Array.from({ length: lanes }, work));
  meter.tell();
  return outcomes;
}

/** Adds up what was read, and tells of it now and then. */
class Meter {
  private readonly clock: Clock;
  private readonly onProgress: (progress: CheckProgress) => void;
  private readonly fileCount: number;
  private readonly sizeBytes: number;
  private checkedFileCount = 0;
  private readBytes = 0;
  private toldAt = 0;

  constructor(files: readonly LandedFile[], clock: Clock, onProgress: (progress: CheckProgress) => void) {
    this.clock = clock;
    this.onProgress = onProgress;
    this.fileCount = files.length;
    this.sizeBytes = files.reduce((sum, file) => sum + readSize(file), 0);
  }

  /** The share of one file: it never counts for more than its size, and for all of it at its end. */
  begin(file: LandedFile): { read(bytes: number): void; end(): void } {
    let left = readSize(file);
    const count = (bytes: number): void => {
      const counted = Math.min(bytes, left);
      left -= counted;
      this.readBytes += counted;
      if (this.clock.now() - this.toldAt >= progressMs) this.tell();
    };
    const end = (): void => {
      this.checkedFileCount += 1;
      count(left);
    };
    return { read: count, end };
  }

  tell(): void {
    this.toldAt = this.clock.now();
    const { fileCount, checkedFileCount, sizeBytes, readBytes } = this;
    this.onProgress({ fileCount, checkedFileCount, sizeBytes, readBytes });
  }
}

function readSize({ hash, sizeBytes }: LandedFile): number {
  return hash === undefined ? 0 : (sizeBytes ?? 0);
}
