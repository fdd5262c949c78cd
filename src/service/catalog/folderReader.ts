import * as fs from 'node:fs';
import { lookAt, type Sight } from './fileSight.ts';
import { FolderWalk, type WalkBatch } from './folderWalk.ts';
import { Packages } from './packageScopes.ts';

/** Reads folders, synchronously: what it does is done in a thread of its own. */
export class FolderReader {
  private readonly packagesOf = new Map<string, Packages>();
  private readonly walks = new Map<number, FolderWalk>();
  private lastWalk = 0;

  /** Answers as soon as it can be asked: what a walk takes is not counted from before. */
  ready(): void {
    // That it answers is all.
  }

  /** Begins a walk through `under` of a folder (empty: all of it). Throws when the folder cannot be read. */
  walk(folder: string, under: string): number {
    const walk = new FolderWalk(this.packages(folder), under);
    this.walks.set(++this.lastWalk, walk);
    return this.lastWalk;
  }

  /** The next batch of a walk; undefined after the last one, and for a walk that was stopped. */
  next(walk: number): WalkBatch | undefined {
    const batch = this.walks.get(walk)?.next();
    if (batch === undefined) this.walks.delete(walk);
    return batch;
  }

  /** Ends a walk before its end. */
  stop(walk: number): void {
    this.walks.delete(walk);
  }

  /** What stands at these paths of a folder now. Throws when the folder cannot be read. */
  look(folder: string, paths: readonly string[]): readonly Sight[] {
    return lookAt(this.packages(folder), paths);
  }

  private packages(folder: string): Packages {
    // As the walk asks again later: the other form of this call leaves mapped drives as they are.
    const root = fs.realpathSync.native(folder);
    const known = this.packagesOf.get(folder);
    if (known?.root === root) return known;
    const packages = new Packages(root);
    this.packagesOf.set(folder, packages);
    return packages;
  }
}

/** The same, asked across threads. */
export type AskedReader = {
  readonly [K in 'ready' | 'walk' | 'next' | 'stop' | 'look']: (
    ...args: Parameters<FolderReader[K]>
  ) => Promise<ReturnType<FolderReader[K]>>;
};

/** How many batches are asked for before the first of them was used: reading and writing go side by side. */
const ahead = 4;

/** Yields the batches of a walk. Throws when the folder cannot be read. */
export async function* walkAhead(reader: AskedReader, folder: string, under: string): AsyncGenerator<WalkBatch> {
  const walk = await reader.walk(folder, under);
  const ask = (): Promise<WalkBatch | undefined> => {
    const batch = reader.next(walk);
    // What is asked ahead may fail before it is looked at.
    batch.catch(() => undefined);
    return batch;
  };
  const asked = Array.from({ length: ahead }, ask);
  try {
    for (let next = asked.shift(); next !== undefined; next = asked.shift()) {
      const batch = await next;
      if (batch === undefined) continue;
      asked.push(ask());
      yield batch;
    }
  } finally {
    await Promise.allSettled([reader.stop(walk), ...asked]);
  }
}
