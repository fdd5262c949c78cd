import * as fs from 'node:fs';
import { countDone, type DoneFile, type FileTrouble, type JobResult, type JobSign } from './fileJobs.ts';

/** Ends the work on a file: with the file system's own error, or with the rest of a sentence. */
export class WorkStopped extends Error {
  override readonly name = 'WorkStopped';
}

/** What went wrong with a file otherwise than by the file system; the message is the rest of a sentence about it. */
export class BadFile extends Error {
  override readonly name = 'BadFile';
}

/** An error, with the side of the transfer that it came about at. */
class Sided extends Error {
  readonly act: FileTrouble['act'];

  constructor(act: FileTrouble['act'], cause: unknown) {
    super('at one side', { cause });
    this.act = act;
  }
}

/** Runs a part of the work that belongs to one side. */
export function at<T>(act: FileTrouble['act'], work: () => T): T {
  try {
    return work();
  } catch (error) {
    throw error instanceof Sided || error instanceof WorkStopped ? error : new Sided(act, error);
  }
}

/** Does the work on one file after the other; the first trouble ends it. */
export function workThrough<T extends { readonly position: number }>(
  files: readonly T[],
  sign: JobSign,
  work: (file: T) => DoneFile,
): JobResult {
  const done: DoneFile[] = [];
  for (const file of files) {
    if (isRaised(sign)) return { done, isStopped: true };
    try {
      done.push(work(file));
      countDone(sign);
    } catch (error) {
      if (error instanceof WorkStopped) return { done, isStopped: true };
      return { done, trouble: troubleOf(file.position, error) };
    }
  }
  return { done };
}

function troubleOf(position: number, error: unknown): FileTrouble {
  const act = error instanceof Sided ? error.act : 'write';
  const cause = error instanceof Sided ? error.cause : error;
  if (cause instanceof BadFile) return { position, act, text: cause.message };
  const code = cause instanceof Error && 'code' in cause ? cause.code : undefined;
  if (typeof code === 'string') return { position, act, code };
  return { position, act, text: String(cause) };
}

/** Whether the sign was raised. */
function isRaised(sign: JobSign): boolean {
  return Atomics.load(sign, 0) === 1;
}

/** Throws {@link WorkStopped} when the sign was raised. */
export function throwIfRaised(sign: JobSign): void {
  if (isRaised(sign)) throw new WorkStopped('stopped');
}

const bufferBytes = 1024 * 1024;
const buffer = Buffer.allocUnsafeSlow(bufferBytes);

/**
 * Hands a file's bytes from an offset on to `take`, piece by piece; a piece holds only until the next. Checks the sign
 * before each. A file that turns out to be larger than expected is left at that: it may grow without end.
 */
export function readThrough(
  file: number,
  range: { readonly from: number; readonly expectedBytes: number },
  sign: JobSign,
  take: (piece: Buffer) => void,
): void {
  for (let place = range.from; place <= range.expectedBytes;) {
    throwIfRaised(sign);
    const count = fs.readSync(file, buffer, 0, bufferBytes, place);
    if (count === 0) return;
    place += count;
    take(buffer.subarray(0, count));
  }
}

const { O_RDONLY, O_NONBLOCK, O_NOFOLLOW } = fs.constants;

/**
 * Opens a regular file for reading, never through a link, and checks what was opened (D42). Throws {@link BadFile} for
 * anything else: opening a pipe in the usual way would wait for someone to write to it.
 */
export function withRegularFile<T>(path: string, work: (file: number) => T): T {
  return withFile(path, O_RDONLY | O_NONBLOCK | O_NOFOLLOW, (file) => {
    requireRegularFile(file);
    return work(file);
  });
}

/** Throws {@link BadFile} unless an open file is a regular one. */
export function requireRegularFile(file: number): void {
  if (!fs.fstatSync(file).isFile()) throw new BadFile('it is not a regular file');
}

/** Closes a file whatever the work on it did. */
export function withFile<T>(path: string, flags: number | string, work: (file: number) => T): T {
  const file = fs.openSync(path, flags);
  try {
    return work(file);
  } finally {
    fs.closeSync(file);
  }
}
