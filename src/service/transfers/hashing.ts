import { createHash, type Hash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import * as fs from 'node:fs/promises';
import * as nodePath from 'node:path';
import { isInside } from '../catalog/fileSight.ts';
import { TransferFailure } from './outcomes.ts';

/** Hex digests of one reading of a file, and its size. */
interface Digests {
  readonly sha256: string;
  /** Of the algorithm that was also asked for. */
  readonly other?: string;
  readonly bytes: number;
}

/** Reads a whole file and digests it; `other` names a second algorithm. Rejects with the signal's reason when aborted. */
export async function digestFile(file: string, signal: AbortSignal, other?: string): Promise<Digests> {
  const sha256 = createHash('sha256');
  const second: Hash | undefined = other === undefined ? undefined : createHash(other);
  let bytes = 0;
  for await (const chunk of createReadStream(file, { highWaterMark: 1024 * 1024, signal })) {
    signal.throwIfAborted();
    if (!Buffer.isBuffer(chunk)) continue;
    sha256.update(chunk);
    second?.update(chunk);
    bytes += chunk.length;
  }
  const digests = { sha256: sha256.digest('hex'), bytes };
  return second === undefined ? digests : { ...digests, other: second.digest('hex') };
}

/** The real place of a file of a database. Throws {@link TransferFailure} when a link leads out of the folder. */
export async function resolveInside(root: string, path: string): Promise<string> {
  const realPath = await fs.realpath(nodePath.join(root, path));
  if (isInside(await fs.realpath(root), realPath)) return realPath;
  throw new TransferFailure(`could not read ${path}: it leads out of the database's folder`);
}
