import type { FileEntry } from './fileEntry.ts';
import type { SearchQuery, StagingStatus } from './searchQuery.ts';

/** A search as far as it tells how its files are staged. */
interface Searched {
  readonly connectionId: string;
  readonly query: Pick<SearchQuery, 'database' | 'status'>;
  readonly files: readonly ({ readonly kind: 'file'; readonly id: string } | { readonly kind: 'unreadable' })[];
}

const fields = ['staged', 'status', 'file_status'];

/** Whether a file is staged, where its database says so in its metadata; few do (D31). */
export function stagingToldOf({ resource }: FileEntry): StagingStatus | undefined {
  for (const field of fields) {
    const value = resource[field];
    if (value === true || value === 'staged') return 'staged';
    if (value === false || value === 'unstaged') return 'unstaged';
  }
  return undefined;
}

/** How the files are staged that were found by searches which filtered by it; the first search that found one counts (D31). */
export function stagingFound(searches: readonly Searched[]): (file: FoundName) => StagingStatus | undefined {
  const found = new Map<string, StagingStatus>();
  for (const { connectionId, query, files } of [...searches].reverse()) {
    const { status, database } = query;
    if (status) for (const id of idsOf(files)) found.set(nameOf({ connectionId, database, id }), status);
  }
  return (file) => found.get(nameOf(file));
}

function idsOf(files: Searched['files']): readonly string[] {
  return files.flatMap((file) => (file.kind === 'file' ? [file.id] : []));
}

/** Names a file of a database of a connection. */
interface FoundName {
  readonly connectionId: string;
  readonly database: string;
  readonly id: string;
}

function nameOf({ connectionId, database, id }: FoundName): string {
  return JSON.stringify([connectionId, database, id]);
}
