import { getParentFolder, type CatalogFile } from './catalogFile.ts';

/** A folder whose own files describe those in and below it, with their fields as JSON text. */
export interface DescribedFolder {
  readonly folder: string;
  readonly fields: string;
}

/**
 * The fields that files get from their folders. They are added to search results instead of to the catalog, in which
 * each of a million files would have its own copy.
 */
export class FolderFields {
  private fields: ReadonlyMap<string, string> = new Map();

  /** Replaces what is known of a folder and those below it. */
  replaceBelow(under: string, described: readonly DescribedFolder[]): void {
    const others = [...this.fields].filter(
      ([folder]) => under !== '' && folder !== under && !folder.startsWith(`${under}/`),
    );
    this.fields = new Map([...others, ...described.map(({ folder, fields }) => [folder, fields] as const)]);
  }

  /** Adds the fields of the nearest described folder to a file, apart from its metadata. */
  addTo(file: CatalogFile): CatalogFile {
    const folderFields = this.fields.size === 0 ? undefined : this.find(file.path);
    return folderFields === undefined ? file : { ...file, folderFields };
  }

  private find(path: string): string | undefined {
    for (let folder = path; folder !== '';) {
      folder = getParentFolder(folder);
      const fields = this.fields.get(folder);
      if (fields !== undefined) return fields;
    }
    return undefined;
  }
}
