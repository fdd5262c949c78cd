import { l10n } from 'vscode';
import { hasEnded, type Transfer } from '../../../core/model/transferModel.ts';
import { TransferSearch } from '../../../core/model/transferSearch.ts';
import { CommandHint } from '../../editor/commandBoundary.ts';
import type { TransferNode } from '../../editor/contributions.ts';
import { createSingleStep, pickFromSearch } from '../../editor/quickInput.ts';
import { createDetailsStep, createTransferStep } from '../../notifications/nextSteps.ts';
import { plural, formatTime } from '../../words/localeFormats.ts';
import { toPlainLine } from '../../words/plainText.ts';
import { getTransferTitle } from '../../words/transferWords.ts';
import type { CommandServices } from '../services.ts';
import { createTransferChoice, chooseTransfer } from './transferPicker.ts';

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
  removals.report(text, () => transferFlow.restore(keys));
}

/** Maximum number of results. A list can redraw this many rows on each keystroke without a noticeable delay. */
const maxResults = 200;

/**
 * Searches ended transfers by database, file, description, message and ID. Opens the page for the transfer that the
 * user picks.
 */
export async function findInHistory(services: CommandServices): Promise<void> {
  const { transferFlow, transferStore, transferPanels } = services;
  await transferFlow.loadFinished();
  const finished = transferStore.getFinished();
  if (finished.length === 0) throw new CommandHint(l10n.t('No finished transfers yet.'), createTransferStep());
  const search = new TransferSearch(finished);
  const now = Date.now();
  const answer = await pickFromSearch(createSingleStep(l10n.t('Find in History')), {
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
