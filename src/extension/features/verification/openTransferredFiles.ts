import { commands, env, l10n, QuickPickItemKind, ThemeIcon, Uri, window } from 'vscode';
import { findFolderName, hasEnded, type Transfer } from '../../../core/model/transferModel.ts';
import { getPastResult, type PastVerification } from '../../../core/verification/pastVerification.ts';
import {
  findTransferredFile,
  listTransferredFiles,
  type TransferredFile,
} from '../../../core/verification/transferredFiles.ts';
import type { TransferredFolder } from '../../../core/verification/transferredFolder.ts';
import { CommandFailure, runCommand } from '../../editor/commandBoundary.ts';
import type { TransferNode } from '../../editor/contributions.ts';
import { createTerminalAction, listRevealActions } from '../../editor/fileDialogs.ts';
import { createSingleStep, pickFromSearch, pickOne, type Choice } from '../../editor/quickInput.ts';
import { formatList, formatSize, plural } from '../../words/localeFormats.ts';
import { toPathPlaceholder, toPlainLine } from '../../words/plainText.ts';
import type { CommandServices } from '../services.ts';
import { chooseTransferToOpen } from '../transfers/transferPicker.ts';
import { askTransferredFolder, findTransferredFiles, searchTransferredFiles } from './transferredFolders.ts';
import { getDialogTitle } from '../../words/commandTitles.ts';
import { getCopyFolderLabel } from '../../../core/words/sharedSentences.ts';

type OpenChoice = Choice<() => unknown>;

/** Maximum number of files in the list. A filter typed by the user applies to all files. */
const maxListed = 500;

/** Time limit in milliseconds for listing files, after which only the folder's actions are offered. */
const listLimitMs = 10_000;

/** Lists a transfer's files, and actions for their folder. Opens the file or runs the action that the user picks. */
export async function openTransferredFiles(services: CommandServices, node: TransferNode | undefined): Promise<void> {
  const transfer = await chooseTransferToOpen(services, node);
  const folder = transfer && (await findFolder(services, transfer));
  if (!folder) return;
  const verification = await services.verificationHistory.get(transfer.key);
  const files = await listTransferredFiles(folder, AbortSignal.timeout(listLimitMs)).catch(() => []);
  const fileChoices = files.map((file) => createFileChoice(folder, file, verification));
  const folderChoices = createFolderChoices(folder, transfer);
  const answer = await pickFromSearch(createSingleStep(l10n.t('Transferred Files')), {
    placeholder: toPathPlaceholder(folder.folder),
    find: (text) => findChoices(text, fileChoices, folderChoices),
  });
  if (typeof answer !== 'string') await answer.value();
}

/**
 * Finds a transfer's folder. If it isn't found, lets the user select it. If the destination has no known folder on this
 * machine, also lets the user copy the name of the transfer's folder. Returns undefined if the user cancels or copies
 * the name.
 */
async function findFolder(services: CommandServices, transfer: Transfer): Promise<TransferredFolder | undefined> {
  const { found, searched } = await searchTransferredFiles(services, transfer);
  if (found) return found;
  const find = searched.length > 0 ? findTransferredFiles : pickRemoteFolder;
  return await find(services, transfer);
}

async function pickRemoteFolder(services: CommandServices, transfer: Transfer): Promise<TransferredFolder | undefined> {
  const name = toPlainLine(findFolderName(transfer) ?? '');
  const copy = async (): Promise<undefined> => {
    await env.clipboard.writeText(name);
    return undefined;
  };
  const select = {
    label: l10n.t('Select Folder…'),
    description: l10n.t('if the destination is a folder on this machine'),
    value: async () => await askTransferredFolder(services, transfer),
  };
  const answer = await pickOne<() => Promise<TransferredFolder | undefined>>(
    createSingleStep(l10n.t('Transferred Files')),
    {
      placeholder: describeRemoteFolder(toPlainLine(transfer.order.destination), name),
      choices: [{ label: getCopyFolderLabel(l10n), description: name, value: copy }, select],
    },
  );
  return typeof answer === 'string' ? undefined : await answer.value();
}

function describeRemoteFolder(destination: string, name: string): string {
  return destination === ''
    ? l10n.t('The files are at the destination, in the {0} folder.', name)
    : l10n.t('The files are at {0}, in the {1} folder.', destination, name);
}

/** Returns the actions and up to {@link maxListed} files whose labels contain every word of `text`. */
function findChoices(
  text: string,
  files: readonly OpenChoice[],
  actions: readonly OpenChoice[],
): readonly OpenChoice[] {
  const words = text.toLocaleLowerCase().split(/\s+/).filter(Boolean);
  const matches = ({ label }: OpenChoice): boolean => words.every((word) => label.toLocaleLowerCase().includes(word));
  const found = files.filter(matches);
  const others = found.length - maxListed;
  const more = plural(others, 'and {0} more (type to filter)', 'and {0} more (type to filter)');
  return [
    ...found.slice(0, maxListed),
    createSeparator(others > 0 ? more : l10n.t('Folder')),
    ...actions.filter(matches),
  ];
}

function createSeparator(label: string): OpenChoice {
  return { label, kind: QuickPickItemKind.Separator, value: () => undefined };
}

function createFileChoice(
  folder: TransferredFolder,
  file: TransferredFile,
  verification: PastVerification | undefined,
): OpenChoice {
  const { path, sizeBytes } = file;
  const isVerified = verification !== undefined && getPastResult(verification, path) === 'intact';
  const size = sizeBytes === undefined ? undefined : formatSize(sizeBytes);
  return {
    label: toPlainLine(path),
    description: formatList([size, isVerified ? l10n.t('verified') : undefined]),
    iconPath: new ThemeIcon(isVerified ? 'verified' : 'file'),
    value: async () => await openFile(folder, file),
  };
}

async function openFile(folder: TransferredFolder, file: TransferredFile): Promise<void> {
  const path = await findTransferredFile(folder, file);
  if (path === undefined)
    throw new CommandFailure(l10n.t('Could not open {0} in {1}.', toPlainLine(file.path), toPlainLine(folder.folder)));
  await commands.executeCommand('vscode.open', Uri.file(path));
}

function createFolderChoices({ folder, manifest }: TransferredFolder, { key, state }: Transfer): readonly OpenChoice[] {
  const verify = (): void => runCommand('dataTransfer.verifyLandedFiles', { kind: 'transfer', key });
  const actions = [...listRevealActions(folder), createTerminalAction(folder)];
  return [
    ...actions.map(({ label, run }) => ({ label, value: run })),
    {
      label: l10n.t('Copy Path'),
      detail: toPlainLine(folder),
      value: async () => await env.clipboard.writeText(folder),
    },
    ...(hasEnded(state) ? [{ label: getDialogTitle('dataTransfer.verifyLandedFiles'), value: verify }] : []),
    ...(manifest === undefined
      ? []
      : [{ label: l10n.t('Open Manifest'), value: async () => await window.showTextDocument(Uri.file(manifest)) }]),
  ];
}
