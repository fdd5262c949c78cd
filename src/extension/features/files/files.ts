import { env, l10n } from 'vscode';
import type { FileEntry } from '../../../core/model/fileEntry.ts';
import type { Reason } from '../../../core/model/reason.ts';
import type { MetadataFlow } from '../../../core/search/metadataFlow.ts';
import type { SearchStore } from '../../../core/search/searchStore.ts';
import { CommandFailure } from '../../editor/commandBoundary.ts';
import type { FileNode, FileRef } from '../../editor/contributions.ts';
import { createNoFilesHint, createRemedyActions } from '../../editor/nextSteps.ts';
import { createSingleStep, pickSeveral } from '../../editor/quickInput.ts';
import { getDialogTitle } from '../../words/commandTitles.ts';
import { formatSize } from '../../words/localeFormats.ts';
import { toPlainLine } from '../../words/plainText.ts';
import { describeReason } from '../../words/reasonWords.ts';
import { describeCopiedIds } from '../../words/sharedLabels.ts';
import type { CommandServices } from '../services.ts';

/** A file available through a connection, with its metadata if loaded. */
export interface KnownFile {
  readonly ref: FileRef;
  readonly entry?: FileEntry;
  /** The reason why the metadata couldn't be fetched. */
  readonly reason?: Reason;
}

/** Returns the files that a command applies to: the selected rows, a single row, or a metadata page's file. */
export function getSelectedFiles(
  argument: FileNode | FileRef | undefined,
  selection: readonly (FileNode | FileRef)[] | undefined,
): readonly KnownFile[] {
  const rows = selection && selection.length > 0 ? selection : argument ? [argument] : [];
  return rows.map(toKnownFileFromRow);
}

/** Asks for files in the current searches. Returns undefined if the user cancels. */
async function askFiles(searches: SearchStore, title: string): Promise<readonly KnownFile[] | undefined> {
  const files = searches
    .getAll()
    .flatMap((search) => search.files.map((file) => ({ file, connectionId: search.connectionId })))
    .flatMap(({ file, connectionId }) => (file.kind === 'file' ? [toKnownFile(file, connectionId)] : []));
  if (files.length === 0) throw createNoFilesHint();
  const answer = await pickSeveral(createSingleStep(title), {
    placeholder: l10n.t('Select files'),
    choices: files.map((value) => ({
      label: toPlainLine(value.ref.name),
      description: [
        toPlainLine(value.ref.database),
        value.entry.sizeBytes === undefined ? '' : formatSize(value.entry.sizeBytes),
      ]
        .filter(Boolean)
        .join(' · '),
      value,
    })),
  });
  return typeof answer === 'string' ? undefined : answer.value;
}

/**
 * Returns the checked files of all searches or, if there are none, the files selected in the view. Otherwise, asks for
 * files. Returns undefined if the user cancels.
 */
export async function chooseCheckedFiles(
  { searchStore, views }: Pick<CommandServices, 'searchStore' | 'views'>,
  title: string,
): Promise<readonly KnownFile[] | undefined> {
  const checked = searchStore.getCheckedFiles();
  if (checked.length > 0) return checked.map(({ connectionId, file }) => toKnownFile(file, connectionId));
  const selected = getSelectedFiles(undefined, views.getSelectedFiles());
  return selected.length > 0 ? selected : await askFiles(searchStore, title);
}

/**
 * Fetches the metadata of files for which only a summary, or nothing, is known. Returns the files with their metadata
 * and with names taken from it. Files that the service doesn't return, or that weren't fetched before `signal` was
 * aborted, are returned with what was known.
 */
export async function loadEntries(
  flow: MetadataFlow,
  files: readonly KnownFile[],
  signal?: AbortSignal,
): Promise<readonly KnownFile[]> {
  const entries = new Map<string, FileEntry>();
  const reasons = new Map<string, Reason>();
  const missing = files.filter(({ entry }) => !entry || entry.isSummary).map(({ ref }) => ref);
  for (const { connectionId, database } of getDistinctDatabases(missing)) {
    if (signal?.aborted) break;
    const refs = missing.filter((ref) => ref.database === database && ref.connectionId === connectionId);
    const ids = refs.map(({ id }) => id);
    const fetched = await flow.fetchFiles(connectionId, database, ids, signal);
    if (fetched.reason) reasons.set(JSON.stringify([connectionId, database]), fetched.reason);
    for (const file of fetched.files)
      if (file.kind === 'file') entries.set(JSON.stringify([connectionId, database, file.id]), file);
  }
  return files.map((file) => {
    const { connectionId, database, id } = file.ref;
    const entry = entries.get(JSON.stringify([connectionId, database, id])) ?? file.entry;
    const reason = reasons.get(JSON.stringify([connectionId, database]));
    if (!entry) return reason ? { ...file, reason } : file;
    return { ref: { ...file.ref, name: entry.name }, entry, ...(entry.isSummary && reason && { reason }) };
  });
}

function getDistinctDatabases(refs: readonly FileRef[]): readonly Pick<FileRef, 'connectionId' | 'database'>[] {
  return [...new Map(refs.map((ref) => [JSON.stringify([ref.connectionId, ref.database]), ref])).values()];
}

/** Converts a search result to a {@link KnownFile}. */
export function toKnownFile(entry: FileEntry, connectionId: string): KnownFile & { readonly entry: FileEntry } {
  return { ref: { connectionId, database: entry.database, id: entry.id, name: entry.name }, entry };
}

function toKnownFileFromRow(row: FileNode | FileRef): KnownFile {
  return 'kind' in row ? toKnownFile(row.file, row.connectionId) : { ref: row };
}

type FileArgument = FileNode | FileRef;

/** Opens metadata pages for files. Does nothing if the user only extended the selection with the keyboard. */
export async function showFileMetadata(
  services: CommandServices,
  argument: FileArgument | undefined,
  selection: readonly FileArgument[] | undefined,
): Promise<void> {
  if (services.views.selectionExtender.consumeOpening()) return;
  const files = await chooseFiles(services, argument, selection, getDialogTitle('dataTransfer.showFileMetadata'));
  for (const { ref, entry } of files) services.metadataPanels.show(ref, entry);
}

/** Shows the metadata of files as JSON documents. */
export async function showMetadataJson(
  services: CommandServices,
  argument: FileArgument | undefined,
  selection: readonly FileArgument[] | undefined,
): Promise<void> {
  const files = await chooseFiles(services, argument, selection, getDialogTitle('dataTransfer.showMetadataJson'));
  for (const file of files) {
    const { connectionId, database, id, name } = file.ref;
    const identity = [connectionId, database, id, Date.now()].join(' ');
    const text = JSON.stringify(await fetchResource(services, file), undefined, 2);
    await services.documents.show(`${toPlainLine(name)}.json`, identity, `${text}\n`);
  }
}

/** Copies file IDs to the clipboard, one per line. */
export async function copyFileId(
  services: CommandServices,
  argument: FileArgument | undefined,
  selection: readonly FileArgument[] | undefined,
): Promise<void> {
  const files = await chooseFiles(services, argument, selection, getDialogTitle('dataTransfer.copyFileId'));
  if (files.length === 0) return;
  await env.clipboard.writeText(files.map(({ ref }) => ref.id).join('\n'));
  services.notifications.showStatusMessage(describeCopiedIds(files.length));
}

/** Returns the files of a command or, without any, asks for them; an empty list if the user cancels. */
export async function chooseFiles(
  { searchStore }: CommandServices,
  argument: FileArgument | undefined,
  selection: readonly FileArgument[] | undefined,
  title: string,
): Promise<readonly KnownFile[]> {
  const files = getSelectedFiles(argument, selection);
  return files.length > 0 ? files : ((await askFiles(searchStore, title)) ?? []);
}

async function fetchResource({ metadataFlow }: CommandServices, { ref, entry }: KnownFile): Promise<unknown> {
  const fetched = await metadataFlow.fetchFiles(ref.connectionId, ref.database, [ref.id]);
  const [file] = fetched.files;
  if (file?.kind === 'file') return file.resource;
  if (entry && !entry.isSummary) return entry.resource;
  throw new CommandFailure(
    describeFetchFailure(ref, fetched.reason),
    ...createRemedyActions(fetched.reason, ref.connectionId),
  );
}

function describeFetchFailure(ref: FileRef, reason: Reason | undefined): string {
  const cause = describeReason(reason ?? { kind: 'notFound' });
  return l10n.t('Could not fetch the metadata for {0}: {1}', toPlainLine(ref.name), cause);
}
