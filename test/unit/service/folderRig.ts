import { execFileSync } from 'node:child_process';
import fs, { mkdirSync, mkdtempSync, realpathSync, writeFileSync } from 'node:fs';
import { syncBuiltinESMExports } from 'node:module';
import * as os from 'node:os';
import * as nodePath from 'node:path';
import { FolderReader, type WalkBatch } from '../../../src/service/catalog/folderReader.ts';

/** Creates a temporary folder and returns its resolved path. */
export function freshFolder(): string {
  return realpathSync(mkdtempSync(nodePath.join(os.tmpdir(), 'dts-folder-')));
}

/** Writes files (path to content) below a folder. */
export function writeFiles(folder: string, files: Readonly<Record<string, string>>): void {
  const created = new Set<string>();
  for (const [path, content] of Object.entries(files)) {
    const file = `${folder}/${path}`;
    const parent = nodePath.dirname(file);
    if (!created.has(parent)) mkdirSync(parent, { recursive: true });
    created.add(parent);
    writeFileSync(file, content);
  }
}

/** Creates a named pipe that has no writer. */
export function makePipe(path: string): void {
  execFileSync('sh', ['-c', 'mkfifo "$1"', 'sh', path]);
}

/** All batches of a walk as one, with the paths of unreadable folders and the number of invalid names. */
interface WholeWalk extends WalkBatch {
  readonly unreadable: readonly string[];
  readonly unnamable: number;
}

/** Walks through a folder and returns all batches as one. */
export function walkAll(folder: string, under = '', reader = new FolderReader()): WholeWalk {
  return readRemaining(reader, reader.walk(folder, under));
}

/** Returns the remaining batches of a walk as one. */
export function readRemaining(reader: FolderReader, walk: number): WholeWalk {
  const batches: WalkBatch[] = [];
  for (let batch = reader.next(walk); batch !== undefined; batch = reader.next(walk)) batches.push(batch);
  const leftOut = batches.flatMap((batch) => batch.leftOut);
  return {
    leftOut,
    files: batches.flatMap(({ files }) => files),
    folders: batches.flatMap(({ folders }) => folders),
    unreadable: leftOut.flatMap(({ kind, path }) => (kind === 'unreadable' ? [path] : [])),
    unnamable: leftOut.filter(({ kind }) => kind === 'invalidNames').length,
    warnings: batches.flatMap(({ warnings }) => warnings),
    described: batches.flatMap(({ described }) => described),
  };
}

/** Returns the paths of the files that a walk found. */
export function listPaths({ files }: WalkBatch): string[] {
  return files.map(({ path }) => path);
}

type FsCall = 'lstatSync' | 'opendirSync';

/** Intercepts the first file system call for a path, to simulate actions of other programs at that moment. */
export function onCall(
  call: FsCall,
  path: string,
  handler: (callOriginal: () => unknown) => unknown,
): { dispose(): void } {
  const original = fs[call];
  let isPending = true;
  const watched = (...args: unknown[]): unknown => {
    const callOriginal = (): unknown => Reflect.apply(original, fs, args);
    if (!isPending || args[0] !== path) return callOriginal();
    isPending = false;
    return handler(callOriginal);
  };
  Object.assign(fs, { [call]: watched });
  syncBuiltinESMExports();
  return {
    dispose: () => {
      Object.assign(fs, { [call]: original });
      syncBuiltinESMExports();
    },
  };
}
