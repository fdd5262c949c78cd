import { joinRemotePath } from '../../core/util/remote.ts';
import { getTransferFolderName, getUploadFolderName } from '../../core/util/transferFolderNames.ts';
import type { StoreBatches } from '../stores/storeBatches.ts';
import type { BatchFolder } from './batchFolder.ts';
import type { FileToCarry } from './carryJob.ts';

interface TransferTarget {
  readonly remote: string;
  readonly transferId: string;
  /**
   * Name of the folder of the unfinished objects of one run: a delayed removal from an earlier run must not affect those
   * of this one. Its batches share the folder, because rclone opens at most ten connections per second to an SFTP server,
   * and keeps those of a folder open.
   */
  readonly attempt: string;
}

/** The unfinished objects of one batch in a store: in a folder that catalogs don't show, until they are renamed. */
export class UnfinishedObjects {
  private readonly target: TransferTarget;
  private readonly folder: BatchFolder;
  private readonly batches: StoreBatches;

  /** The lists of objects are written to `folder`. */
  constructor(target: TransferTarget, folder: BatchFolder, batches: StoreBatches) {
    this.target = target;
    this.folder = folder;
    this.batches = batches;
  }

  /** The remote of the objects. */
  get place(): string {
    return joinRemotePath(this.target.remote, this.path);
  }

  /** The path of the objects below the remote of the transfer. */
  get path(): string {
    return `${getUploadFolderName(this.target.transferId)}/${this.target.attempt}`;
  }

  /**
   * Renames objects to the folder of the transfer, and returns those that have their final names, because rclone doesn't
   * report an object that is missing. Throws {@link StoreError}.
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
