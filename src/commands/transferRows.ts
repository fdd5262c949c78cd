import { env, l10n } from 'vscode';
import type { TransferFlow } from '../core/flows/transferFlow.ts';
import { hasEnded, type Transfer } from '../core/model/transfer.ts';
import type { TransferMonitor } from '../core/monitor/transferMonitor.ts';
import type { TransferStore } from '../core/store/transferStore.ts';
import { CommandFailure } from '../host/commandRegistry.ts';
import type { TransferNode } from '../host/contributions.ts';
import type { Notices } from '../host/notices.ts';
import { alone, pickOne, type Choice } from '../host/quickInput.ts';
import { filesText, movedText, plainLine, reasonText, standingText } from '../host/words.ts';
import type { TransferPanels } from '../panels/transferPanel.ts';

/** What these commands need. */
export interface TransferRowParts {
  readonly transferStore: TransferStore;
  readonly transferFlow: TransferFlow;
  readonly monitor: TransferMonitor;
  readonly transferPanels: TransferPanels;
  readonly notices: Notices;
  /** The person has seen how the transfers stand. */
  acknowledge(): void;
}

/** Opens the page of a transfer. */
export async function showTransferProgress(parts: TransferRowParts, node: TransferNode | undefined): Promise<void> {
  const key =
    node?.key ?? (await askTransfer(parts, () => parts.transferStore.all(), l10n.t('Select the transfer to show')));
  if (key === undefined) return;
  parts.acknowledge();
  parts.transferPanels.show(key);
}

/** Asks once, and then asks the service to cancel (§4.7). */
export async function cancelTransfer(parts: TransferRowParts, node: TransferNode | undefined): Promise<void> {
  const { transferStore, transferFlow, monitor, notices } = parts;
  const running = (): readonly Transfer[] => transferStore.running().filter(({ id }) => id !== undefined);
  const key = node?.key ?? (await askTransfer(parts, running, l10n.t('Select the transfer to cancel')));
  const transfer = key === undefined ? undefined : transferStore.get(key);
  if (!transfer) return;
  const what = filesText(transfer.order.files.length);
  const where = plainLine(transfer.order.destination);
  if (hasEnded(transfer.state)) throw new CommandFailure(l10n.t('The transfer of {0} to {1} has ended.', what, where));
  const question = l10n.t('Cancel the transfer of {0} to {1}?', what, where);
  const detail = l10n.t('Files that have arrived at the destination stay there.');
  if (!(await notices.confirm(question, detail, l10n.t('Cancel Transfer')))) return;
  const reason = await transferFlow.cancel(transfer.key);
  if (reason) throw new CommandFailure(l10n.t('Could not cancel the transfer: {0}', reasonText(reason)));
  monitor.askNow(transfer.key);
}

/** Puts the server's id of a transfer on the clipboard. */
export async function copyTransferId(parts: TransferRowParts, node: TransferNode | undefined): Promise<void> {
  const known = (): readonly Transfer[] => parts.transferStore.all().filter(({ id }) => id !== undefined);
  const key = node?.key ?? (await askTransfer(parts, known, l10n.t('Select the transfer whose id to copy')));
  const id = key === undefined ? undefined : parts.transferStore.get(key)?.id;
  if (key === undefined) return;
  if (id === undefined) throw new CommandFailure(l10n.t('The service has given this transfer no id.'));
  await env.clipboard.writeText(id);
  parts.notices.done(l10n.t('Copied the id.'));
}

/** Asks for the status of everything that runs, now. */
export function refreshTransfers({ monitor, transferStore, notices }: TransferRowParts): void {
  if (transferStore.running().length === 0) void notices.info(l10n.t('No transfer is running.'));
  else monitor.askNow();
}

/** Takes a transfer that has ended, or was never confirmed, out of the list and the ledger. */
export async function removeFromHistory(parts: TransferRowParts, node: TransferNode | undefined): Promise<void> {
  const { transferStore, transferFlow, notices } = parts;
  const removable = ({ state }: Transfer): boolean => hasEnded(state) || state === 'notConfirmed';
  const list = (): readonly Transfer[] => transferStore.all().filter(removable);
  const key = node?.key ?? (await askTransfer(parts, list, l10n.t('Select the transfer to remove from the history')));
  const transfer = key === undefined ? undefined : transferStore.get(key);
  if (!transfer) return;
  if (!removable(transfer)) throw new CommandFailure(l10n.t('This transfer is still running. Cancel it first.'));
  const question = l10n.t(
    'Remove the transfer of {0} to {1} from the history?',
    filesText(transfer.order.files.length),
    plainLine(transfer.order.destination),
  );
  const detail =
    transfer.state === 'notConfirmed'
      ? l10n.t('It is not known whether it has begun. If it has, it goes on without being watched.')
      : l10n.t('Its files are not touched.');
  if (await notices.confirm(question, detail, l10n.t('Remove'))) await transferFlow.forget([transfer.key]);
}

/** Takes all transfers that have ended out of the list and the ledger. */
export async function clearFinishedTransfers(parts: TransferRowParts): Promise<void> {
  const { transferFlow, transferStore, notices } = parts;
  await transferFlow.loadFinished();
  const keys = transferStore.finished().map(({ key }) => key);
  if (keys.length === 0) {
    void notices.info(l10n.t('There are no finished transfers to clear.'));
    return;
  }
  const question = l10n.t('Clear the list of finished transfers?');
  const detail = l10n.t('Their files are not touched.');
  if (await notices.confirm(question, detail, l10n.t('Clear'))) await transferFlow.forget(keys);
}

/** Lists the running transfers, or the last ones where none runs, and opens the page of one. */
export async function showRunningTransfers(parts: TransferRowParts): Promise<void> {
  const { transferStore, transferPanels, acknowledge } = parts;
  const listed = (): readonly Transfer[] => {
    const running = transferStore.running();
    return running.length > 0 ? running : transferStore.all().slice(0, 20);
  };
  acknowledge();
  const key = await askTransfer(parts, listed, l10n.t('Select a transfer to show its progress'));
  if (key !== undefined) transferPanels.show(key);
}

/** Asks which of the transfers that `list` gives, or `more`; those of earlier sessions are brought in where it gives none. */
export async function askTransfer(
  { transferFlow, transferStore }: Pick<TransferRowParts, 'transferFlow' | 'transferStore'>,
  list: () => readonly Transfer[],
  placeholder: string,
  more: readonly Choice<string>[] = [],
): Promise<string | undefined> {
  if (list().length === 0 && transferStore.hasEarlier) await transferFlow.loadFinished();
  const transfers = list();
  if (transfers.length + more.length === 0) throw new CommandFailure(l10n.t('There is no transfer for this.'));
  const answer = await pickOne(alone(l10n.t('Transfers')), {
    placeholder,
    choices: [...transfers.map(choiceOf), ...more],
  });
  return typeof answer === 'string' ? undefined : answer.value;
}

function choiceOf(transfer: Transfer): Choice<string> {
  return {
    label: l10n.t('{0} to {1}', filesText(transfer.order.files.length), plainLine(transfer.order.destination)),
    description: [standingText(transfer), movedText(transfer)].filter(Boolean).join(' · '),
    ...(transfer.id !== undefined && { detail: plainLine(transfer.id) }),
    value: transfer.key,
  };
}
