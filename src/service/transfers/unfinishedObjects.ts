import { joinRemotePath } from '../../core/util/remote.ts';
import { getTransferFolderName, getUploadFolderName } from '../../core/util/transferFolderNames.ts';
import type { StoreBatches } from '../stores/storeBatches.ts';
import type { BatchFolder } from './batchFolder.ts';
import type { FileToCarry } from './carryJob.ts';

interface TransferTarget {
  readonly remote: string;
  readonly transferId: string;
  /**
   * Name of the folder for the unfinished objects of one run. Each run has its own folder, so that a delayed removal
   * from an earlier run does not affect a later one. The batches of a run share the folder, because rclone opens at
   * most ten connections per second to an SFTP server and keeps a folder's connections open.
   */
  readonly attempt: string;
}

/**
 * Manages the unfinished objects of one batch. Until they are renamed, they stay in a folder that catalogs do not show.
 */
export class UnfinishedObjects {
  private readonly target: TransferTarget;
  private readonly folder: BatchFolder;
  private readonly batches: StoreBatches;

  /** Creates a manager that writes its lists of objects to `folder`. */
  constructor(target: TransferTarget, folder: BatchFolder, batches: StoreBatches) {
    this.target = target;
    this.folder = folder;
    this.batches = batches;
  }

  /** The remote and path of the folder that contains the objects. */
  get place(): string {
    return joinRemotePath(this.target.remote, this.path);
  }

  /** The path of the folder that contains the objects, relative to the destination's remote. */
  get path(): string {
    return `${getUploadFolderName(this.target.transferId)}/${this.target.attempt}`;
  }

  /**
   * Moves objects to the transfer's folder. Returns the files whose objects are there afterwards, because rclone
   * doesn't report missing objects. Throws {@link StoreError}.
   */
  async rename(files: readonly FileToCarry[]): Promise<ReadonlySet<FileToCarry>> {
    if (files.length === 0) return new Set();
    const paths = files.map(({ path }) => path);
    await this.batches.rename(this.place, this.finalPlace, this.folder.createList(paths));
    const objects = await this.batches.describe(this.finalPlace, this.folder.createLists(paths), undefined);
    return new Set(files.filter(({ path, bytes }) => objects.get(path)?.bytes === bytes));
  }

  private get finalPlace(): string {
    return joinRemotePath(this.target.remote, getTransferFolderName(this.target.transferId));
  }
}
