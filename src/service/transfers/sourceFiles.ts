import * as fs from 'node:fs';
import { isInside, isPlainFolder } from '../catalog/fileSight.ts';
import { folderOfPath } from '../catalog/pathOrder.ts';
import { BadFile, requireRegularFile, withFile, withRegularFile } from './fileWork.ts';

const { O_RDONLY, O_NOFOLLOW, O_NONBLOCK } = fs.constants;

/** Opens regular files of a database, for one job: never one outside its folder, and never waiting for a pipe (D42). */
export class SourceFiles {
  private readonly realFolder: string;
  private readonly plain = new Set<string>();

  /** Throws when the folder is away. */
  constructor(folder: string) {
    this.realFolder = fs.realpathSync(folder);
  }

  /** Throws {@link BadFile} when a link leads out of the folder or it is not a regular file, or the file system's own error. */
  open<T>(path: string, work: (opened: number) => T): T {
    const place = `${this.realFolder}/${path}`;
    if (!this.isPlain(folderOfPath(path))) return this.openThroughLinks(place, work);
    try {
      return withRegularFile(place, work);
    } catch (error) {
      const isLink = error instanceof Error && 'code' in error && (error.code === 'ELOOP' || error.code === 'EMLINK');
      if (!isLink) throw error;
      return this.openThroughLinks(place, work);
    }
  }

  private isPlain(folder: string): boolean {
    // Elsewhere the flag that stops at a link is not known, and each path is looked at.
    if (typeof O_NOFOLLOW !== 'number') return false;
    if (!this.plain.has(folder) && isPlainFolder(this.realFolder, folder)) this.plain.add(folder);
    return this.plain.has(folder);
  }

  /** What was opened is held against the place that the path leads to: a link put there in between leads nowhere. */
  private openThroughLinks<T>(place: string, work: (opened: number) => T): T {
    return withFile(place, O_RDONLY | O_NONBLOCK, (opened) => {
      requireRegularFile(opened);
      const realPath = fs.realpathSync.native(place);
      if (!isInside(this.realFolder, realPath)) throw new BadFile("it leads out of the database's folder");
      const there = fs.statSync(realPath);
      const mine = fs.fstatSync(opened);
      if (there.ino !== mine.ino || there.dev !== mine.dev) throw new BadFile('it changed while it was being read');
      return work(opened);
    });
  }
}
