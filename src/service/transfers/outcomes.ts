import * as fs from 'node:fs/promises';
import type { FileTrouble } from './fileJobs.ts';

/** Ends a transfer as failed; the message is one sentence that names the file and the reason (D23). */
export class TransferFailure extends Error {
  override readonly name = 'TransferFailure';
}

/** Suspends a transfer until it can go on by itself: a folder is away or full (D23). */
export class TransferSuspension extends Error {
  override readonly name = 'TransferSuspension';
  /** Free bytes at the destination without which there is no use in going on. */
  readonly neededBytes: number;

  constructor(message: string, neededBytes = 0) {
    super(message);
    this.neededBytes = neededBytes;
  }
}

/** What is being done to which file, for the sentence that a person reads. */
interface FileAct {
  readonly act: 'read' | 'write';
  readonly path: string;
  /** The folder of the database that the file is in. */
  readonly root: string;
  readonly bytes: number;
}

const reasons: Readonly<Record<string, string>> = {
  EACCES: 'permission denied',
  EIO: 'the disk reported an error',
  EISDIR: 'a folder stands in its place',
  EMFILE: 'too many files are open',
  ENAMETOOLONG: 'its name is too long',
  ENOENT: 'it is no longer there',
  ENOTDIR: 'a file stands where a folder should be',
  EPERM: 'permission denied',
  EROFS: 'the disk is read-only',
  EFBIG: 'it is larger than the disk allows',
};

/** What a trouble with a file means for the transfer: it fails, or it is suspended. */
export async function meaningOfTrouble(trouble: FileTrouble, what: Omit<FileAct, 'act'>): Promise<unknown> {
  const { act, code, text } = trouble;
  if (code === undefined || act === 'copy')
    return new TransferFailure(`could not ${act} ${what.path}: ${text ?? code}`);
  return await meaningOf(Object.assign(new Error(code), { code }), { ...what, act });
}

/** Turns what the file system said into what it means for the transfer. Aborts and meanings pass unchanged. */
export async function meaningOf(error: unknown, what: FileAct): Promise<unknown> {
  const code = errorCode(error);
  if (code === undefined) return error;
  if (what.act === 'write' && (code === 'ENOSPC' || code === 'EDQUOT')) {
    return new TransferSuspension('waiting: the destination is full', what.bytes);
  }
  if (!(await isFolder(what.root))) {
    return new TransferSuspension(`waiting: the ${what.act === 'read' ? 'source' : 'destination'} folder is away`);
  }
  return new TransferFailure(`could not ${what.act} ${what.path}: ${reasons[code] ?? code}`, { cause: error });
}

/** Whether there is a folder at this path, links followed. */
export async function isFolder(path: string): Promise<boolean> {
  try {
    return (await fs.stat(path)).isDirectory();
  } catch {
    return false;
  }
}

/** Whether both folders are there, and the destination has so many bytes free, as far as that can be told. */
export async function haveRoom(source: string, destination: string, neededBytes: number): Promise<boolean> {
  if ((await Promise.all([source, destination].map(isFolder))).includes(false)) return false;
  const space = await fs.statfs(destination).catch(() => undefined);
  return space === undefined || space.bavail * space.bsize >= neededBytes;
}

function errorCode(error: unknown): string | undefined {
  const code = error instanceof Error && 'code' in error ? error.code : undefined;
  const isSystem = typeof code === 'string' && /^E[A-Z0-9]+$/.test(code);
  return isSystem ? code : undefined;
}
