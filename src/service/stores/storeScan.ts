import { setImmediate } from 'node:timers/promises';
import { repeatIfRemoteMissing, toFolderRemote } from '../../core/util/remote.ts';
import type { CatalogStore } from '../catalog/catalogStore.ts';
import type { StagedListing } from '../catalog/catalogMerge.ts';
import type { LeftOutListing } from '../catalog/leftOutTable.ts';
import { DatabaseUnavailableError } from '../catalog/databaseUnavailableError.ts';
import { LinkLoop, maxLoops } from './linkLoops.ts';
import { openRclone } from './rcloneProgram.ts';
import { readStoreFeatures } from './storeFeatures.ts';
import { listStore, requireStoreAnswers } from './storeListing.ts';

/** A store to scan. */
export interface ScannedStore {
  readonly remote: string;
  /** The configured path to rclone; if undefined, the service searches for it. */
  readonly rclone: string | undefined;
}

/** The result of a scan: what it learned of the store and what it left out. */
export interface ScanResult {
  readonly leftOut: LeftOutListing;
  /** False if rclone has no commands for this kind of store, and so can't restore objects (D67: archived objects). */
  readonly canRestore: boolean;
  /** Log messages, such as one that recommends a newer rclone. */
  readonly notes: readonly string[];
}

const mergeBatch = 1_000;

/** A scan of a store or of one folder in it. On completion, the files found replace those that the catalog had. */
export class StoreScan {
  /** Number of files found so far. */
  count = 0;
  private readonly store: ScannedStore;
  private readonly catalog: CatalogStore;
  private readonly signal: AbortSignal;
  private readonly usesPartial: boolean;

  /** Creates a scan. With `usesPartial`, a failed one adds its files, because the catalog has no others. */
  constructor(store: ScannedStore, catalog: CatalogStore, signal: AbortSignal, usesPartial: boolean) {
    this.store = { ...store, remote: toFolderRemote(store.remote) };
    this.catalog = catalog;
    this.signal = signal;
    this.usesPartial = usesPartial;
  }

  /**
   * Scans the objects below a folder, or the whole store if `under` is empty. Rejects if the store can't be listed
   * completely. Scans again if rclone was just rewriting its configuration, which then lacks the remote.
   */
  async run(under: string): Promise<ScanResult> {
    return await repeatIfRemoteMissing(async () => await this.scan(under));
  }

  private async scan(under: string, loops: readonly string[] = []): Promise<ScanResult> {
    const { path: program, note } = await openRclone(this.store.rclone);
    const features = await readStoreFeatures(program, this.store.remote, this.signal);
    const notes = [...(note === undefined ? [] : [note]), ...describeLoops(loops)];
    const onNote = (one: string): void => void notes.push(one);
    const staged = this.catalog.startListing();
    const leftOut = this.catalog.leftOut.startListing();
    const start = under === '' ? '' : `${under}/`;
    leftOut.add(loops.map((folder) => ({ path: start + folder, kind: 'folderLinks' })));
    try {
      const store = { program, remote: this.store.remote, features, loops, onNote, staged };
      const isEmpty = await this.collect(listStore(store, under, this.signal), staged, leftOut);
      const expected = under === '' ? this.catalog.count() : 0;
      if (isEmpty || this.count < expected) await requireStoreAnswers(store, this.signal);
    } catch (error) {
      if (error instanceof LinkLoop) return await this.scanWithout(error, under, loops);
      if (this.usesPartial && this.count > 0 && !this.signal.aborted) await this.merge(staged, under);
      throw error;
    }
    await this.merge(staged, under);
    this.catalog.leftOut.replace(under, leftOut);
    return { leftOut, canRestore: features.hasCommands, notes };
  }

  private async collect(
    batches: ReturnType<typeof listStore>,
    staged: StagedListing,
    leftOut: LeftOutListing,
  ): Promise<boolean> {
    let isEmpty = true;
    for await (const batch of batches) {
      staged.add(batch.files);
      this.count += batch.files.length;
      leftOut.add(batch.leftOut);
      isEmpty &&= batch.files.length + batch.leftOut.length === 0;
    }
    return isEmpty;
  }

  private async scanWithout({ folder }: LinkLoop, under: string, loops: readonly string[]): Promise<ScanResult> {
    if (loops.length > maxLoops)
      throw new DatabaseUnavailableError(`its link "${folder}" leads back to its own folder`);
    this.count = 0;
    // A link that leads back has the known ones again.
    const known = loops.find((loop) => folder.endsWith(`/${loop}`)) ?? '';
    return await this.scan(under, [...loops, known === '' ? folder : folder.slice(0, -known.length - 1)]);
  }

  /** Updates the catalog piece by piece, so that searches don't have to wait for the whole update. */
  private async merge(staged: StagedListing, under: string): Promise<void> {
    const pieces = this.catalog.isEmpty() ? staged.fillCatalog() : this.mergePieces(staged, under);
    try {
      while (pieces.next().done !== true) await this.pause();
    } finally {
      pieces.return(undefined);
      staged.clear();
    }
  }

  private async pause(): Promise<void> {
    await setImmediate();
    this.signal.throwIfAborted();
  }

  private *mergePieces(staged: StagedListing, under: string): Generator<undefined, undefined> {
    const merge = this.catalog.startMerge(under);
    try {
      for (const files of staged.listInOrder(mergeBatch)) {
        merge.take(files);
        yield;
      }
      merge.finish();
    } finally {
      // Does nothing if the merge is finished.
      merge.abandon();
    }
  }
}

function describeLoops(loops: readonly string[]): string[] {
  if (loops.length > maxLoops) return ['links are left out: many lead back to their own folders'];
  return loops.map((folder) => `the link "${folder}" is left out: it leads back to its own folder`);
}
