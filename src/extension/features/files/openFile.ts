import { commands, l10n } from 'vscode';
import { CommandFailure } from '../../editor/commandBoundary.ts';
import type { FileNode, FileRef } from '../../editor/contributions.ts';
import { createRemedyActions } from '../../editor/nextSteps.ts';
import { maxOpenBytes, maxUnaskedBytes } from '../../editor/remoteFiles.ts';
import { getDialogTitle } from '../../words/commandTitles.ts';
import { formatSize } from '../../words/localeFormats.ts';
import { toPlainLine } from '../../words/plainText.ts';
import { describeReason } from '../../words/reasonWords.ts';
import type { CommandServices } from '../services.ts';
import { chooseFiles, type KnownFile } from './files.ts';

/** Opens files read-only without transferring them. Asks before it opens a large one. */
export async function openFiles(
  services: CommandServices,
  argument: FileNode | FileRef | undefined,
  selection: readonly (FileNode | FileRef)[] | undefined,
): Promise<void> {
  const files = await chooseFiles(services, argument, selection, getDialogTitle('dataTransfer.openFile'));
  for (const file of files) await openFile(services, file, files.length === 1);
}

async function openFile(services: CommandServices, { ref, entry }: KnownFile, preview: boolean): Promise<void> {
  const { contentFlow, remoteFiles } = services;
  const { part, reason } = await contentFlow.read(ref, { offset: 0, limit: 1 });
  if (reason) {
    const text = l10n.t("{0} can't be opened: {1}", toPlainLine(ref.name), describeReason(reason));
    throw new CommandFailure(text, ...createRemedyActions(reason, ref.connectionId));
  }
  if (!(await confirmSize(services, toPlainLine(ref.name), part.totalBytes))) return;
  const uri = remoteFiles.getUri(ref, entry?.path ?? ref.path ?? ref.name);
  if (part.totalBytes > maxUnaskedBytes) remoteFiles.allowLarge(uri);
  await commands.executeCommand('vscode.open', uri, { preview });
}

async function confirmSize({ notifications }: CommandServices, name: string, bytes: number): Promise<boolean> {
  if (bytes <= maxUnaskedBytes) return true;
  const size = formatSize(bytes);
  if (bytes > maxOpenBytes)
    throw new CommandFailure(l10n.t('{0} has {1}, too much to open. Transfer it instead.', name, size));
  const question = l10n.t('Open {0}, which has {1}?', name, size);
  const detail = l10n.t('The whole file is read. A store may charge for that.');
  return await notifications.confirm(question, detail, l10n.t('Open'));
}
