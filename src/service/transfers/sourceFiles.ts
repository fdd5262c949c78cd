import * as fs from 'node:fs';
import { getErrorCode } from '../../core/util/errorCode.ts';
import { isInside, isPlainFolder } from '../catalog/pathInspection.ts';
import { getParentFolder } from '../catalog/pathOrder.ts';
import { BadFile, openChecked, openRegularFile, requireRegularFile, withOpenFile } from './fileProcessing.ts';

const { O_RDONLY, O_NOFOLLOW, O_NONBLOCK } = fs.constants;

/** Opens regular files of a database for one job. Never leaves its folder or blocks on a pipe (D42: hanging disks). */
export class SourceFiles {
  private readonly realFolder: string;
  private readonly plainFolders = new Set<string>();

  constructor(folder: string) {
    this.realFolder = fs.realpathSync(folder);
  }

  /** Throws {@link BadFile} if a link leads out of the folder or the file is not regular. */
  open<T>(path: string, work: (opened: number) => T): T {
    return withOpenFile(this.openFile(path), work);
  }

  /** Opens a file like {@link open}; the caller closes it. */
  openFile(path: string): number {
    const absolute = `${this.realFolder}/${path}`;
    if (!this.isPlain(getParentFolder(path))) return this.openThroughLinks(absolute);
    try {
      return openRegularFile(absolute);
    } catch (error) {
      if (!['ELOOP', 'EMLINK'].includes(getErrorCode(error))) throw error;
      return this.openThroughLinks(absolute);
    }
  }

  private isPlain(folder: string): boolean {
    // Without O_NOFOLLOW, every path must be checked.
    if (typeof O_NOFOLLOW !== 'number') return false;
    if (!this.plainFolders.has(folder) && isPlainFolder(this.realFolder, folder)) this.plainFolders.add(folder);
    return this.plainFolders.has(folder);
  }

  /** Compares the opened file with the resolved path, to detect a link that was inserted in between. */
  private openThroughLinks(path: string): number {
    return openChecked(path, O_RDONLY | O_NONBLOCK, (opened) => {
      requireRegularFile(opened);
      const realPath = fs.realpathSync.native(path);
      if (!isInside(this.realFolder, realPath)) throw new BadFile("it leads out of the database's folder");
      const expected = fs.statSync(realPath);
      const actual = fs.fstatSync(opened);
      if (expected.ino !== actual.ino || expected.dev !== actual.dev)
        throw new BadFile('it changed while it was being read');
    });
  }
}
