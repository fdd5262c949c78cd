import { execFileSync } from 'node:child_process';
import fs, { mkdirSync, mkdtempSync, realpathSync, writeFileSync } from 'node:fs';
import { syncBuiltinESMExports } from 'node:module';
import * as os from 'node:os';
import * as nodePath from 'node:path';
import { FolderReader } from '../../../src/service/catalog/folderReader.ts';
import type { WalkBatch } from '../../../src/service/catalog/folderWalk.ts';

/** A fresh folder without links on the way to it. */
export function freshFolder(): string {
  return realpathSync(mkdtempSync(nodePath.join(os.tmpdir(), 'dts-folder-')));
}

/** Writes files (path to content) below a folder. */
export function writeFiles(folder: string, files: Readonly<Record<string, string>>): void {
  const made = new Set<string>();
  for (const [path, content] of Object.entries(files)) {
    const file = `${folder}/${path}`;
    const around = nodePath.dirname(file);
    if (!made.has(around)) mkdirSync(around, { recursive: true });
    made.add(around);
    writeFileSync(file, content);
  }
}

/** Makes a pipe that nobody writes to. */
export function makePipe(path: string): void {
  execFileSync('sh', ['-c', 'mkfifo "$1"', 'sh', path]);
}

/** The batches of a walk as one. */
export function walkWhole(folder: string, under = '', reader = new FolderReader()): WalkBatch {
  return restOf(reader, reader.walk(folder, under));
}

/** What is left of a walk that was begun. */
export function restOf(reader: FolderReader, walk: number): WalkBatch {
  const batches: WalkBatch[] = [];
  for (let batch = reader.next(walk); batch !== undefined; batch = reader.next(walk)) batches.push(batch);
  return {
    files: batches.flatMap(({ files }) => files),
    folders: batches.flatMap(({ folders }) => folders),
    unreadable: batches.flatMap(({ unreadable }) => unreadable),
    unnamable: batches.reduce((sum, { unnamable }) => sum + unnamable, 0),
    troubles: batches.flatMap(({ troubles }) => troubles),
  };
}

/** The paths of the files of a walk. */
export function pathsIn({ files }: WalkBatch): string[] {
  return files.map(({ path }) => path);
}

type FsCall = 'lstatSync' | 'opendirSync';

/** Stands, once, between the program and what the file system says about a path: other programs may act at that moment. */
export function onCall(call: FsCall, path: string, act: (answer: () => unknown) => unknown): { dispose(): void } {
  const original = fs[call];
  let isLeft = true;
  const watched = (...args: unknown[]): unknown => {
    const answer = (): unknown => Reflect.apply(original, fs, args);
    if (!isLeft || args[0] !== path) return answer();
    isLeft = false;
    return act(answer);
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
