import { env, l10n } from 'vscode';
import type { Reason } from '../../../core/model/reason.ts';
import { CommandFailure } from '../../editor/commandBoundary.ts';
import type { FileNode, FileRef } from '../../editor/contributions.ts';
import { createRemedyActions } from '../../editor/nextSteps.ts';
import { getDialogTitle } from '../../words/commandTitles.ts';
import { toPlainLine } from '../../words/plainText.ts';
import { describeReason } from '../../words/reasonWords.ts';
import { describeCopiedIds } from '../../words/sharedLabels.ts';
import type { CommandServices } from '../services.ts';
import { askFiles, getSelectedFiles, type KnownFile } from './files.ts';

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

async function chooseFiles(
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
