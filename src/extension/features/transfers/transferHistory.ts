import { homedir } from 'node:os';
import { join } from 'node:path';
import { commands, l10n, Uri, workspace } from 'vscode';
import { exportAsCsv, exportAsJson } from '../../../core/model/transferExport.ts';
import { hasEnded, type Transfer } from '../../../core/model/transferModel.ts';
import { TransferSearch } from '../../../core/model/transferSearch.ts';
import type { TransferFlow } from '../../../core/transfers/transferFlow.ts';
import { CommandFailure, CommandHint } from '../../editor/commandBoundary.ts';
import { getConnectionName } from '../../editor/connectionFacts.ts';
import type { TransferNode } from '../../editor/contributions.ts';
import { pickNewFile, writeTextFile } from '../../editor/fileDialogs.ts';
import { createSingleStep, pickFromSearch, type Choice } from '../../editor/quickInput.ts';
import { createDetailsStep, createTransferStep } from '../../editor/nextSteps.ts';
import { formatTime, plural } from '../../words/localeFormats.ts';
import { describeError, toPlainLine } from '../../words/plainText.ts';
import { getTransferTitle } from '../../words/transferWords.ts';
import type { CommandServices } from '../services.ts';
import { chooseTransfer, createTransferChoice } from './transferPicker.ts';
import { getDialogTitle } from '../../words/commandTitles.ts';

/**
 * Removes a transfer from the history, and offers to undo this. The transfer must have ended, be unconfirmed, or have
 * kept running after the server accepted its cancellation.
 */
export async function removeFromHistory(services: CommandServices, node: TransferNode | undefined): Promise<void> {
  const isRemovable = (transfer: Transfer): boolean =>
    hasEnded(transfer.state) || describeRemovalRisk(transfer) !== undefined;
  const placeholder = l10n.t('Select the transfer to remove from the history');
  const transfer = await chooseTransfer(services, node, isRemovable, placeholder);
  if (!transfer) return;
  if (!isRemovable(transfer)) {
    throw new CommandHint(l10n.t('This transfer is still running. Cancel it first.'), createDetailsStep(transfer.key));
  }
  const title = getTransferTitle(transfer);
  const detail = describeRemovalRisk(transfer);
  if (detail !== undefined) {
    const question = l10n.t('Remove “{0}” from the history?', title);
    if (!(await services.notifications.confirm(question, detail, l10n.t('Remove')))) return;
  }
  await removeTransfers(services, [transfer], l10n.t('Removed “{0}” from the history.', title));
}

/**
 * Describes the risk of removing a transfer that may still be running (D12: never resubmit, D13: ignored cancel).
 * Returns undefined for any other transfer.
 */
function describeRemovalRisk({ state, cancelUnheeded }: Transfer): string | undefined {
  if (state === 'notConfirmed')
    return l10n.t(
      "It's unclear whether this transfer has started. If it has, it will continue without being monitored.",
    );
  if (cancelUnheeded && !hasEnded(state))
    return l10n.t(
      "The service accepted the cancellation but hasn't stopped the transfer. It may continue without being monitored.",
    );
  return undefined;
}

/** Clearing more transfers than this requires confirmation. */
const confirmationThreshold = 20;

/** Removes all ended transfers from the history, and offers to undo this. */
export async function clearFinishedTransfers(services: CommandServices): Promise<void> {
  const { transferFlow, transferStore, notifications } = services;
  await transferFlow.loadFinished();
  const finished = transferStore.getFinished();
  if (finished.length === 0) {
    void notifications.info(l10n.t('There are no finished transfers to clear.'));
    return;
  }
  if (finished.length > confirmationThreshold && !(await confirmClear(services, finished.length))) return;
  const cleared = plural(
    finished.length,
    "Removed {0} finished transfer from the history. Its files weren't deleted.",
    "Removed {0} finished transfers from the history. Their files weren't deleted.",
  );
  await removeTransfers(services, finished, cleared);
}

async function confirmClear({ notifications }: CommandServices, count: number): Promise<boolean> {
  const question = plural(
    count,
    'Remove {0} finished transfer from the history?',
    'Remove {0} finished transfers from the history?',
  );
  const detail = l10n.t(
    'Their files won\'t be deleted. To restore the transfers within one day, use "Restore Removed Transfers…".',
  );
  return await notifications.confirm(question, detail, l10n.t('Remove'));
}

async function removeTransfers(
  { transferFlow, removals }: CommandServices,
  transfers: readonly Transfer[],
  text: string,
): Promise<void> {
  const keys = transfers.map(({ key }) => key);
  await transferFlow.forget(keys);
  removals.report(text, () => restoreTransfers(transferFlow, keys));
}

async function restoreTransfers(transferFlow: TransferFlow, keys: readonly string[]): Promise<void> {
  const lostCount = await transferFlow.restore(keys);
  if (lostCount === 0) return;
  throw new CommandHint(
    plural(
      lostCount,
      "{0} transfer couldn't be restored. Removed transfers are kept for one day.",
      "{0} transfers couldn't be restored. Removed transfers are kept for one day.",
    ),
  );
}

/** Maximum number of results. A list can redraw this many rows on each keystroke without a noticeable delay. */
const maxResults = 200;

/** Searches ended transfers, also their files and messages. Opens the page of the picked one. */
export async function findInHistory(services: CommandServices): Promise<void> {
  const { transferFlow, transferStore, transferPanels } = services;
  await transferFlow.loadFinished();
  const finished = transferStore.getFinished();
  if (finished.length === 0) throw new CommandHint(l10n.t('No finished transfers yet.'), createTransferStep());
  const search = new TransferSearch(finished);
  const now = Date.now();
  const answer = await pickFromSearch(createSingleStep(getDialogTitle('dataTransfer.findInHistory')), {
    placeholder: l10n.t('Search by file, database, description, or ID'),
    find: (text) =>
      search.find(text, maxResults).map(({ transfer, file }) => {
        const { description = '' } = transfer.order;
        const details = file === undefined ? [transfer.id ?? '', description] : [l10n.t('contains {0}', file)];
        const choice = createTransferChoice(transfer);
        return {
          ...choice,
          description: `${choice.description ?? ''} · ${formatTime(transfer.createdAt, now)}`,
          detail: toPlainLine(details.filter(Boolean).join(' · ')),
        };
      }),
  });
  if (typeof answer !== 'string') transferPanels.show(answer.value);
}

/** Restores transfers that were removed within the last day. Asks whether to restore one of them or all. */
export async function restoreRemovedTransfers({ transferFlow, notifications }: CommandServices): Promise<void> {
  const removed = await transferFlow.loadRemoved();
  if (removed.length === 0) throw new CommandHint(l10n.t('No transfers were removed in the last day.'));
  const search = new TransferSearch(removed);
  const now = Date.now();
  const all = {
    label: plural(removed.length, 'Restore {0} transfer', 'Restore all {0} transfers'),
    value: removed.map(({ key }) => key),
  };
  const answer = await pickFromSearch<readonly string[]>(
    createSingleStep(getDialogTitle('dataTransfer.restoreRemovedTransfers')),
    {
      placeholder: l10n.t('Select what to restore'),
      find: (text) => [
        ...(text === '' ? [all] : []),
        ...search.find(text, maxResults).map(({ transfer }) => createRemovedChoice(transfer, now)),
      ],
    },
  );
  if (typeof answer === 'string') return;
  await restoreTransfers(transferFlow, answer.value);
  notifications.showStatusMessage(plural(answer.value.length, 'Restored {0} transfer.', 'Restored {0} transfers.'));
}

function createRemovedChoice(transfer: Transfer, now: number): Choice<readonly string[]> {
  const { description = '', label } = createTransferChoice(transfer);
  return { label, description: `${description} · ${formatTime(transfer.createdAt, now)}`, value: [transfer.key] };
}

/** Writes all transfers to a selected file, as CSV if its name ends in `.csv`, otherwise as JSON. */
export async function exportTransferHistory(services: CommandServices): Promise<void> {
  const { transferFlow, transferStore, notifications } = services;
  await transferFlow.loadFinished();
  const transfers = transferStore.getAll();
  if (transfers.length === 0) throw new CommandHint(l10n.t('There are no transfers to export.'), createTransferStep());
  const file = await pickNewFile(getDialogTitle('dataTransfer.exportTransferHistory'), getSuggestedFile(), {
    [l10n.t('Table (CSV)')]: ['csv'],
    [l10n.t('JSON (with file lists)')]: ['json'],
  });
  if (!file) return;
  const write = file.path.toLowerCase().endsWith('.csv') ? exportAsCsv : exportAsJson;
  const context = { getConnectionName: (id: string) => getConnectionName(services, id) };
  try {
    await writeTextFile(file, write(transfers, context));
  } catch (error) {
    throw new CommandFailure(
      l10n.t('Could not export the history to {0}: {1}', toPlainLine(file.path), describeError(error)),
    );
  }
  const text = plural(transfers.length, 'Exported {0} transfer.', 'Exported {0} transfers.');
  void notifications.info(text, { label: l10n.t('Open'), run: () => commands.executeCommand('vscode.open', file) });
}

function getSuggestedFile(): Uri {
  const [folder] = workspace.workspaceFolders ?? [];
  const name = `transfers-${new Date().toISOString().slice(0, 10)}.csv`;
  return folder ? Uri.joinPath(folder.uri, name) : Uri.file(join(homedir(), name));
}
