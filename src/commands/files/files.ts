import { l10n } from 'vscode';
import type { MetadataFlow } from '../../core/flows/metadataFlow.ts';
import type { FileEntry } from '../../core/model/fileEntry.ts';
import type { SearchStore } from '../../core/store/searchStore.ts';
import { CommandFailure } from '../../host/commandBoundary.ts';
import type { FileNode, FileRef } from '../../host/contributions.ts';
import { alone, pickSeveral } from '../../host/quickInput.ts';
import { plainLine, sizeText } from '../../host/words.ts';

/** A file, with its connection, and what is known of it. */
export interface KnownFile {
  readonly ref: FileRef;
  readonly entry?: FileEntry;
}

/** The files that a command was started on: of selected rows, of a row, or of a page. Empty from the palette. */
export function filesOf(
  argument: FileNode | FileRef | undefined,
  selection: readonly (FileNode | FileRef)[] | undefined,
): readonly KnownFile[] {
  const rows = selection && selection.length > 0 ? selection : argument ? [argument] : [];
  return rows.map(knownFile);
}

/** Asks for files of the searches that are shown. Undefined when the person left. */
export async function askFiles(searches: SearchStore, title: string): Promise<readonly KnownFile[] | undefined> {
  const files = searches
    .all()
    .flatMap((search) => search.files.map((file) => ({ file, connectionId: search.connectionId })))
    .flatMap(({ file, connectionId }) => (file.kind === 'file' ? [known(file, connectionId)] : []));
  if (files.length === 0)
    throw new CommandFailure(l10n.t('There are no files to choose from. Search for files first.'));
  const answer = await pickSeveral(alone(title), {
    placeholder: l10n.t('Select files'),
    choices: files.map((value) => ({
      label: plainLine(value.ref.name),
      description: [
        plainLine(value.ref.database),
        value.entry.sizeBytes === undefined ? '' : sizeText(value.entry.sizeBytes),
      ]
        .filter(Boolean)
        .join(' · '),
      value,
    })),
  });
  return typeof answer === 'string' ? undefined : answer.value;
}

/**
 * The files with what the service tells of those that only a page named; what it does not tell stays unknown.
 * With that the client has also learned what the service calls its databases, before anything is submitted (D7).
 */
export async function withEntries(flow: MetadataFlow, files: readonly KnownFile[]): Promise<readonly KnownFile[]> {
  const entries = new Map<string, FileEntry>();
  const unknown = files.filter(({ entry }) => !entry).map(({ ref }) => ref);
  for (const { connectionId, database } of distinctDatabases(unknown)) {
    const ids = unknown.filter((ref) => ref.database === database && ref.connectionId === connectionId);
    const fetched = await flow.fetchFiles(
      connectionId,
      database,
      ids.map(({ id }) => id),
    );
    for (const file of fetched.files)
      if (file.kind === 'file') entries.set(JSON.stringify([connectionId, database, file.id]), file);
  }
  return files.map((file) => {
    const { connectionId, database, id } = file.ref;
    const entry = file.entry ?? entries.get(JSON.stringify([connectionId, database, id]));
    return entry ? { ...file, entry } : file;
  });
}

function distinctDatabases(refs: readonly FileRef[]): readonly Pick<FileRef, 'connectionId' | 'database'>[] {
  return [...new Map(refs.map((ref) => [JSON.stringify([ref.connectionId, ref.database]), ref])).values()];
}

/** A file that a search has found, for whatever is done with it. */
export function known(entry: FileEntry, connectionId: string): Required<KnownFile> {
  return { ref: { connectionId, database: entry.database, id: entry.id, name: entry.name }, entry };
}

function knownFile(row: FileNode | FileRef): KnownFile {
  return 'kind' in row ? known(row.file, row.connectionId) : { ref: row };
}
