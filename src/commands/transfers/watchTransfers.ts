import { env, l10n } from 'vscode';
import type { Reason } from '../../core/model/reason.ts';
import type { TurnOptions } from '../../core/model/requestTurn.ts';
import { hasEnded, type Transfer } from '../../core/model/transfer.ts';
import type { TransferMonitor } from '../../core/monitor/transferMonitor.ts';
import { CommandFailure } from '../../host/commandBoundary.ts';
import type { TransferNode } from '../../host/contributions.ts';
import type { Notices } from '../../host/notices.ts';
import { remedyActions } from '../../host/signInActions.ts';
import { reasonText, transferTitle } from '../../host/words.ts';
import type { WaitingRequests } from '../../host/waitingRequests.ts';
import type { TransferPanels } from '../../panels/transferPanel.ts';
import { askTransfer, chosenTransfer, type AskTransferParts } from './askTransfer.ts';

/** What these commands need. */
export interface WatchTransferParts extends AskTransferParts {
  readonly monitor: TransferMonitor;
  readonly transferPanels: TransferPanels;
  readonly notices: Notices;
  readonly waitingRequests: WaitingRequests;
  /** The person has seen how the transfers stand. */
  acknowledge(): void;
}

/** Opens the page of a transfer. */
export async function showTransferProgress(parts: WatchTransferParts, node: TransferNode | undefined): Promise<void> {
  const key =
    node?.key ?? (await askTransfer(parts, () => parts.transferStore.all(), l10n.t('Select the transfer to show')));
  if (key === undefined) return;
  parts.acknowledge();
  parts.transferPanels.show(key);
}

/** Asks once, and then asks the service to cancel (§4.7). */
export async function cancelTransfer(parts: WatchTransferParts, node: TransferNode | undefined): Promise<void> {
  const { transferStore, transferFlow, monitor, notices, waitingRequests } = parts;
  const running = (): readonly Transfer[] => transferStore.running().filter(({ id }) => id !== undefined);
  const transfer = await chosenTransfer(parts, node, running, l10n.t('Select the transfer to cancel'));
  if (!transfer) return;
  const title = transferTitle(transfer);
  if (hasEnded(transfer.state)) throw new CommandFailure(l10n.t('The transfer of {0} has ended.', title));
  const question = l10n.t('Cancel the transfer of {0}?', title);
  const detail = l10n.t('Files that have arrived at the destination stay there.');
  const [label, leave] = [l10n.t('Cancel Transfer'), l10n.t('Let It Run')];
  if (!(await notices.confirmOrLeave(question, detail, label, leave))) return;
  const cancel = (turn: TurnOptions): Promise<Reason | undefined> => transferFlow.cancel(transfer.key, turn);
  const reason = await waitingRequests.run(l10n.t('Cancel the transfer of {0}', title), cancel);
  if (reason?.kind === 'cancelled') return;
  if (reason) {
    const message = l10n.t('Could not cancel the transfer: {0}', whyNotCancelled(transfer, reason));
    throw new CommandFailure(message, ...remedyActions(reason, transfer.order.connectionId));
  }
  monitor.askNow(transfer.key);
}

function whyNotCancelled({ startedElsewhere }: Transfer, reason: Reason): string {
  if (!startedElsewhere || reason.kind !== 'forbidden') return reasonText(reason);
  return l10n.t('only the person who started it may cancel it ({0})', reasonText(reason));
}

/** Puts the server's id of a transfer on the clipboard. */
export async function copyTransferId(parts: WatchTransferParts, node: TransferNode | undefined): Promise<void> {
  const known = (): readonly Transfer[] => parts.transferStore.all().filter(({ id }) => id !== undefined);
  const transfer = await chosenTransfer(parts, node, known, l10n.t('Select the transfer whose id to copy'));
  if (!transfer) return;
  if (transfer.id === undefined) throw new CommandFailure(l10n.t('The service has given this transfer no id.'));
  await env.clipboard.writeText(transfer.id);
  parts.notices.done(l10n.t('Copied the id.'));
}

/** Asks for the status of everything that runs, now. */
export function refreshTransfers({ monitor, transferStore, notices }: WatchTransferParts): void {
  if (transferStore.running().length === 0) void notices.info(l10n.t('No transfer is running.'));
  else monitor.askNow();
}

/** Lists the running transfers, or the last ones where none runs, and opens the page of one. */
export async function showRunningTransfers(parts: WatchTransferParts): Promise<void> {
  const { transferStore, transferPanels, acknowledge } = parts;
  const listed = (): readonly Transfer[] => {
    const running = transferStore.running();
    return running.length > 0 ? running : transferStore.all().slice(0, 20);
  };
  acknowledge();
  const key = await askTransfer(parts, listed, l10n.t('Select a transfer to show its progress'));
  if (key !== undefined) transferPanels.show(key);
}
