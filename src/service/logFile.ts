import { appendFileSync, renameSync, statSync } from 'node:fs';

const maxBytes = 1024 * 1024;

/**
 * A log on disk that stays small: when a line would make it larger than 1 MB, it takes the place of the older one, and
 * a new one begins.
 */
export class LogFile {
  private readonly file: string;
  private sizeBytes: number;

  /** The older log is `<file>.old`. */
  constructor(file: string) {
    this.file = file;
    this.sizeBytes = statSync(file, { throwIfNoEntry: false })?.size ?? 0;
  }

  /** Writes at once, so that the last words before a crash are there. A full disk does not stop the service: never throws. */
  write(line: string): void {
    const bytes = Buffer.byteLength(line);
    try {
      if (this.sizeBytes + bytes > maxBytes) {
        renameSync(this.file, `${this.file}.old`);
        this.sizeBytes = 0;
      }
      appendFileSync(this.file, line, { mode: 0o600 });
      this.sizeBytes += bytes;
    } catch {
      // There is nowhere left to say it.
    }
  }
}
