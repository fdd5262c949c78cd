import { getFileKey, type FileEntry, type FileReference } from './fileEntry.ts';
import type { SearchQuery, FileStaging } from './searchModel.ts';

interface StagingSearch {
  readonly connectionId: string;
  readonly query: Pick<SearchQuery, 'database' | 'status'>;
  readonly files: readonly ({ readonly kind: 'file'; readonly id: string } | { readonly kind: 'unreadable' })[];
}

/** The fields of a resource that may contain its staging status. */
export const stagingFields: readonly string[] = ['staged', 'status', 'file_status'];

/**
 * Returns the staging status in a file's metadata; undefined for most databases, which do not report it (D31: staged
 * display).
 */
export function getReportedStaging({ resource }: FileEntry): FileStaging | undefined {
  for (const field of stagingFields) {
    const value = resource[field];
    if (value === true || value === 'staged') return 'staged';
    if (value === false || value === 'unstaged') return 'unstaged';
  }
  return undefined;
}

/**
 * Creates a staging status lookup from searches that filtered by status. If multiple searches contain a file, the first
 * one determines the file's status (D31: staged display).
 */
export function createStagingLookup(
  searches: readonly StagingSearch[],
): (file: FileReference) => FileStaging | undefined {
  const found = new Map<string, FileStaging>();
  for (const { connectionId, query, files } of [...searches].reverse()) {
    const { status, database } = query;
    if (status) for (const id of getIds(files)) found.set(getFileKey({ connectionId, database, id }), status);
  }
  return (file) => found.get(getFileKey(file));
}

function getIds(files: StagingSearch['files']): readonly string[] {
  return files.flatMap((file) => (file.kind === 'file' ? [file.id] : []));
}
