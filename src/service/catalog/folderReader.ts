import * as fs from 'node:fs';
import { setImmediate } from 'node:timers/promises';
import { inspectPaths, type InspectedPath } from './pathInspection.ts';
import { FolderWalk, type WalkBatch } from './folderWalk.ts';
import { PackageCache } from './packageScopes.ts';

/** Reads folders synchronously, on its own thread. */
export class FolderReader {
  private readonly packagesByFolder = new Map<string, PackageCache>();
  private readonly walks = new Map<number, FolderWalk>();
  private lastWalk = 0;

  /**
   * Does nothing. Callers wait for the thread to respond, so that its startup does not count toward the duration of a
   * scan.
   */
  ready(): void {
    // Callers only need the response.
  }

  /**
   * Starts walking a folder or, if `under` is not empty, only that subfolder. Returns an ID for {@link next}. Throws if
   * the folder does not exist. If `under` is empty, also throws if the folder is unreadable.
   */
  walk(folder: string, under: string): number {
    const walk = new FolderWalk(this.getPackages(folder), under);
    this.walks.set(++this.lastWalk, walk);
    return this.lastWalk;
  }

  /** Returns the next batch of a walk; undefined after the last one or after {@link stop}. */
  next(walk: number): WalkBatch | undefined {
    const batch = this.walks.get(walk)?.next();
    if (batch === undefined) this.walks.delete(walk);
    return batch;
  }

  stop(walk: number): void {
    this.walks.delete(walk);
  }

  /** Inspects paths in a folder. Throws if the folder does not exist or cannot be reached. */
  inspectPaths(folder: string, paths: readonly string[]): readonly InspectedPath[] {
    return inspectPaths(this.getPackages(folder), paths);
  }

  private getPackages(folder: string): PackageCache {
    // Must match `isPlainFolder`, which also uses the native variant, because the default one doesn't resolve mapped
    // drives.
    const root = fs.realpathSync.native(folder);
    const known = this.packagesByFolder.get(folder);
    if (known?.root === root) return known;
    const packages = new PackageCache(root);
    this.packagesByFolder.set(folder, packages);
    return packages;
  }
}

/** The interface of a {@link FolderReader} as seen from another thread. */
export type AsyncFolderReader = {
  readonly [K in 'ready' | 'walk' | 'next' | 'stop' | 'inspectPaths']: (
    ...args: Parameters<FolderReader[K]>
  ) => Promise<ReturnType<FolderReader[K]>>;
};

/** Number of batches requested in advance, so that reading and writing overlap. */
const batchesAhead = 4;

/** Yields the batches of a walk. Throws the same errors as {@link FolderReader.walk}. */
export async function* walkAhead(reader: AsyncFolderReader, folder: string, under: string): AsyncGenerator<WalkBatch> {
  const walk = await reader.walk(folder, under);
  const requestBatch = (): Promise<WalkBatch | undefined> => {
    const batch = reader.next(walk);
    // A batch requested in advance may fail before it is awaited.
    batch.catch(() => undefined);
    return batch;
  };
  const requested = Array.from({ length: batchesAhead }, requestBatch);
  try {
    for (let next = requested.shift(); next !== undefined; next = requested.shift()) {
      const batch = await next;
      if (batch === undefined) continue;
      requested.push(requestBatch());
      // The request is sent in the next turn of the event loop. Without waiting for it, batches that have already
      // arrived would be written first, and the reader would be idle meanwhile.
      await setImmediate();
      yield batch;
    }
  } finally {
    await Promise.allSettled([reader.stop(walk), ...requested]);
  }
}
