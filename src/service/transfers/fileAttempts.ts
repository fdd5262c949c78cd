/**
 * Maximum number of attempts per file if a store fails without a known cause, cuts off content or corrupts it, if a
 * folder or disk was missing and is back, or if the file was lost from the destination.
 */
const maxAttempts = 5;

/** Counts the failed attempts for each file of a transfer. */
export class FileAttempts {
  private readonly counts = new Map<string, number>();

  /** Counts a failed attempt for the file at `path`. Returns true if it may be tried again. */
  countFailure(path: string): boolean {
    const count = (this.counts.get(path) ?? 0) + 1;
    this.counts.set(path, count);
    return count < maxAttempts;
  }
}
