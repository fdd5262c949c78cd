import { getParentFolder, type CatalogFile } from './catalogFile.ts';

/** A folder whose own files describe those in and below it, as JSON text. */
export interface DescribedFolder {
  readonly folder: string;
  /** The fields that its RO-Crate or citation file gives to all of its files. */
  readonly fields: string | undefined;
  /** The paths that its Data Package or bag lists. */
  readonly listed: string | undefined;
}

/**
 * The fields that files get from their folders. They are added to search results instead of to the catalog, in which
 * each of a million files would have its own copy.
 */
export class FolderFields {
  private folders: ReadonlyMap<string, DescribedFolder> = new Map();

  /** Replaces what is known of a folder and those below it. */
  replaceBelow(under: string, described: readonly DescribedFolder[]): void {
    const others = [...this.folders.values()].filter(({ folder }) => !isWithin(folder, under));
    this.folders = new Map([...others, ...described].map((one) => [one.folder, one]));
  }

  /** Returns the lists that may name files of a folder. */
  getListsAround(under: string): readonly string[] {
    const around = [...this.folders.values()].filter(
      ({ folder }) => isWithin(folder, under) || isWithin(under, folder),
    );
    return around.flatMap(({ listed }) => listed ?? []);
  }

  /** Adds the fields of the nearest described folder to a file, apart from its metadata. */
  addTo(file: CatalogFile): CatalogFile {
    const folderFields = this.folders.size === 0 ? undefined : this.find(file.path);
    return folderFields === undefined ? file : { ...file, folderFields };
  }

  private find(path: string): string | undefined {
    for (let folder = path; folder !== '';) {
      folder = getParentFolder(folder);
      const fields = this.folders.get(folder)?.fields;
      if (fields !== undefined) return fields;
    }
    return undefined;
  }
}

function isWithin(folder: string, outer: string): boolean {
  return outer === '' || folder === outer || folder.startsWith(`${outer}/`);
}
