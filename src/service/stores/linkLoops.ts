import { DatabaseUnavailableError } from '../catalog/databaseUnavailableError.ts';

/** Thrown for a link to a folder that contains it, so that a listing would not end. */
export class LinkLoop extends Error {
  /** The path of the link, relative to the listed folder. */
  readonly folder: string;

  constructor(folder: string) {
    super(`The link ${folder} leads to a folder that contains it.`);
    this.folder = folder;
  }
}

const manyFoldersCause = 'a million of its folders have no files; links may lead back to their own folders';

/** Number of links that are left out one by one; several links can have any number of paths. */
export const maxLoops = 3;

/** Matches a path with the same folders three times or more in a row. */
const repetition = /^((?:[^/]+\/)*?)((?:[^/]+\/)+?)\2{2,}/;
/** Number of repetitions that show a link; real folders with such names have other files. */
const minCount = 3;
/** The same for a folder, which has no size: those of a Zarr array may be alike in each of its dimensions. */
const minFolderCount = 8;
/** Maximum number of folders in a row with repeated names, without a file: many links lead to ever more folders. */
const maxFolders = 1_000_000;
/** Number of files compared after a repetition; an array in the Zarr format may have millions. */
const maxFiles = 100;

/** Finds such links by a file or a folder that is listed with the same properties after several repetitions. */
export class LoopFinder {
  /** By the repeated folders, the lengths of their repetitions before each of some files. */
  private readonly groups = new Map<string, Map<string, Set<number>>>();
  private folders = 0;

  /** Throws {@link LinkLoop} if a listed object shows one. */
  check({ Path: path, Size: bytes, ModTime: time, IsDir: isFolder }: Readonly<Record<string, unknown>>): void {
    if (isFolder !== true) this.folders = 0;
    if (typeof path !== 'string' || !mayRepeat(path)) return;
    if (isFolder === true) this.folders += 1;
    if (this.folders > maxFolders) throw new DatabaseUnavailableError(manyFoldersCause);
    const [run, start = '', folders = ''] = repetition.exec(path) ?? [];
    if (run === undefined) return;
    const group = `${isFolder === true}/${start}/${folders}`;
    const files = this.groups.get(group) ?? new Map<string, Set<number>>();
    this.groups.set(group, files);
    const key = JSON.stringify([path.slice(run.length), bytes, time]);
    const lengths = files.get(key) ?? new Set();
    // A link repeats every file, so some of them suffice.
    if (lengths.size > 0 || files.size < maxFiles) files.set(key, lengths.add(run.length));
    if (lengths.size >= (isFolder === true ? minFolderCount : minCount))
      throw new LinkLoop(`${start}${folders}`.slice(0, -1));
  }
}

function mayRepeat(path: string): boolean {
  // The pattern is slow.
  const names = path.split('/');
  return new Set(names).size <= names.length - 2;
}
