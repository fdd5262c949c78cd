import { createHash } from 'node:crypto';
import { FileBytes } from './fileBytes.ts';
import type { JobResult, ReadBackJob } from './fileJobs.ts';
import { readPieces, readRange } from './fileProcessing.ts';
import { SharedCopy } from './sharedCopy.ts';

/** Reads a large copy back while another thread writes it (D68: read back while copying). */
export function readBackCopy(job: ReadBackJob): JobResult {
  const copy = new SharedCopy(job.sharedCopy);
  if (copy.startReading()) {
    const counter = new FileBytes(job.signal, job.bytes);
    const digest = tryDigest(copy, job, counter);
    if (digest === undefined) counter.reset();
    copy.finishReading(digest);
  }
  return { done: [] };
}

/**
 * Returns the digest of the copy; undefined if the copy ended early or cannot be read. The copying thread then reports
 * the failure or reads the copy itself.
 */
function tryDigest(copy: SharedCopy, job: ReadBackJob, counter: FileBytes): Uint8Array | undefined {
  try {
    return digestGrowing(copy, job, counter);
  } catch {
    return undefined;
  }
}

function digestGrowing(copy: SharedCopy, { bytes, signal }: ReadBackJob, counter: FileBytes): Uint8Array | undefined {
  const digest = createHash('sha256');
  const update = (piece: Buffer): void => {
    digest.update(piece);
    counter.addRead(piece.length);
  };
  for (let offset = 0; ;) {
    const written = copy.waitForMore(offset);
    if (written === 'ended') return undefined;
    if (written === 'whole') {
      readPieces(copy.file, { from: offset, expectedBytes: bytes }, signal, update);
      return digest.digest();
    }
    offset = readRange(copy.file, { from: offset, to: written }, signal, update);
    if (offset < written) return undefined;
  }
}
