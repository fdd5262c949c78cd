import type { StoreListing } from '../model/databaseModel.ts';
import type { FileEntry, FoundFile } from '../model/fileEntry.ts';
import type { MissingId } from '../model/idList.ts';
import type { Reason } from '../model/reason.ts';
import type { SearchQuery } from '../model/searchModel.ts';
import type { StatedLicense, TransferFile } from '../model/transferModel.ts';
import type { MatchIndex } from '../tables/matchIndex.ts';
import type { MatchKey } from '../tables/tableColumns.ts';
import { parseDeclaredHash } from '../util/declaredHash.ts';
import type { JsonObject } from '../util/json.ts';
import type { LeftOutCounts } from '../util/leftOut.ts';

/** Maximum number of files in a recipe's transfer, and in its lock. */
export const maxRecipeFiles = 250_000;

/** A file of a recipe, with the properties that identify the file and its content. */
export interface RecipeFile {
  readonly id: string;
  /** The path in the database, or the file's name if the database provides no path. */
  readonly path: string;
  /** True if `path` is only the name. */
  readonly isName?: true;
  readonly bytes?: number;
  /** The hash exactly as the database declares it. */
  readonly hash?: string;
  /** The licenses in the file's metadata; absent in a lock. */
  readonly licenses?: readonly StatedLicense[];
}

/**
 * Creates a function that returns only those properties of a file that a transfer and a lock need. Equal lists of
 * licenses share one object to save memory, because most files of a database have the same licenses.
 */
export function createRecipeFileReader({ readLicenses }: RecipeSource): (entry: FileEntry) => RecipeFile {
  const known = new Map<string, readonly StatedLicense[]>();
  return ({ id, path, name, sizeBytes, hash, resource }) => {
    const licenses = readLicenses(resource);
    const key = JSON.stringify(licenses);
    if (!known.has(key)) known.set(key, licenses);
    return {
      id,
      path: path ?? name,
      ...(path === undefined && { isName: true }),
      licenses: known.get(key) ?? licenses,
      ...(sizeBytes !== undefined && { bytes: sizeBytes }),
      ...(hash !== undefined && { hash }),
    };
  };
}

/** Converts a recipe's file to the form used in a transfer. */
export function toTransferFile({ id, path, isName, bytes, hash, licenses }: RecipeFile): TransferFile {
  const name = path.replace(/^.*\//s, '');
  return {
    id,
    name: name === '' ? path : name,
    ...(path !== id && isName === undefined && { path }),
    ...(bytes !== undefined && { sizeBytes: bytes }),
    ...(hash !== undefined && parseDeclaredHash(hash) && { hash }),
    ...(licenses && { licenses }),
  };
}

/** Returns the files, with missing sizes and hashes taken from the files with the same IDs in `known`. */
export function completeFiles(files: readonly RecipeFile[], known: readonly RecipeFile[]): readonly RecipeFile[] {
  const knownById = new Map(known.map((file) => [file.id, file]));
  return files.map((file) => {
    const { bytes, hash } = knownById.get(file.id) ?? {};
    const isComplete = (file.bytes ?? bytes) === file.bytes && (file.hash ?? hash) === file.hash;
    return isComplete ? file : { ...(bytes !== undefined && { bytes }), ...(hash !== undefined && { hash }), ...file };
  });
}

/** Returns the files sorted by ID. The order does not depend on the locale. */
export function sortRecipeFiles(files: readonly RecipeFile[]): readonly RecipeFile[] {
  return files.toSorted((one, other) => compareText(one.id, other.id));
}

function compareText(one: string, other: string): number {
  if (one === other) return 0;
  return one < other ? -1 : 1;
}

/** Returns the sum of the known file sizes, and the number of files of unknown size. */
export function sumUpFiles(files: readonly RecipeFile[]): { readonly bytes: number; readonly unknownCount: number } {
  const bytes = files.reduce((sum, file) => sum + (file.bytes ?? 0), 0);
  return { bytes, unknownCount: files.filter((file) => file.bytes === undefined).length };
}

/** A request for one page of a search. */
interface PageRequest extends Omit<SearchQuery, 'ids'> {
  readonly offset: number;
  /** The cursor of the previous page; `offset` then counts from there (D9: paging). */
  readonly cursor?: string;
}

interface PageReply {
  readonly value?: readonly FoundFile[];
  /** The position after the page, if the service reported it (D9: paging). */
  readonly cursor?: string;
  readonly leftOut?: LeftOutCounts;
  /** The state of the listing of a store. */
  readonly listing?: StoreListing;
  readonly reason?: Reason;
}

/** The requests that find a recipe's files. None of them rejects if the service fails. */
export interface RecipeSource {
  /** True if every page except the last is full. */
  readonly hasFullPages: boolean;
  /** Returns the licenses that a file's metadata states. */
  readonly readLicenses: (resource: JsonObject) => readonly StatedLicense[];
  search(page: PageRequest): Promise<PageReply>;
  lookUpIds(
    database: string,
    ids: readonly string[],
  ): Promise<{
    readonly files: readonly FoundFile[];
    readonly refused?: readonly MissingId[];
    readonly listing?: StoreListing;
    readonly failure?: Reason;
  }>;
  matchTable(database: string, key: MatchKey, values: readonly string[]): Promise<MatchIndex>;
  /** Reports the number of files, IDs or values processed so far. */
  onProgress(count: number): void;
}
