import { env, l10n } from 'vscode';
import type { Reason } from '../../../core/model/reason.ts';
import type { TurnOptions } from '../../../core/model/requestTurn.ts';
import { getPauseChange, hasEnded, isUnderWay, type Transfer } from '../../../core/model/transferModel.ts';
import { CommandFailure, CommandHint } from '../../editor/commandBoundary.ts';
import type { TransferNode } from '../../editor/contributions.ts';
import { chooseOne } from '../../editor/quickInput.ts';
import { createDetailsStep, createRemedyActions, createUnknownIdHint } from '../../editor/nextSteps.ts';
import type { WaitingRequest } from './waitingRequests.ts';
import { describeReason } from '../../words/reasonWords.ts';
import { describeCopiedIds } from '../../words/sharedLabels.ts';
import { getChangeQuestion, getTransferTitle } from '../../words/transferWords.ts';
import { getOrOpenConnection } from '../connections/connectionOpener.ts';
import type { CommandServices } from '../services.ts';
import { removeFromHistory } from './transferHistory.ts';
import { chooseTransfer, pickTransfer } from './transferPicker.ts';

/** Opens a transfer's page. */
export async function showTransferProgress(services: CommandServices, node: TransferNode | undefined): Promise<void> {
  const { transferStore, transferPanels, statusBar } = services;
  const list = (): readonly Transfer[] => transferStore.getAll();
  const key = node?.key ?? (await pickTransfer(services, list, l10n.t('Select the transfer to show')));
  if (key === undefined) return;
  statusBar.acknowledge();
  transferPanels.show(key);
}

/** Cancels a transfer after confirmation (§4.7). */
export async function cancelTransfer(services: CommandServices, node: TransferNode | undefined): Promise<void> {
  const { transferFlow, monitor, notifications, waitingRequests } = services;
  const isRunning = ({ id, state }: Transfer): boolean =>
    id !== undefined && !hasEnded(state) && state !== 'notConfirmed';
  const transfer = await chooseTransfer(services, node, isRunning, l10n.t('Select the transfer to cancel'));
  if (!transfer) return;
  requireUnfinished(transfer);
  const title = getTransferTitle(transfer);
  if (transfer.id === undefined) {
    const text = l10n.t("A transfer can't be canceled before its ID is known.");
    throw new CommandHint(text, createDetailsStep(transfer.key));
  }
  const { question, effect: detail, label, leave } = getChangeQuestion('cancel', title);
  if (!(await notifications.confirmOrLeave(question, detail, label, leave))) return;
  const cancel = (turn: TurnOptions): Promise<Reason | undefined> => transferFlow.cancel(transfer.key, turn);
  const reason = await waitingRequests.run(l10n.t('Cancel the transfer of {0}', title), cancel);
  if (reason?.kind === 'cancelled') return;
  if (!reason || reason.maybeDone) monitor.pollNow(transfer.key);
  if (!reason) return;
  const message = describeCancelFailure(transfer, reason);
  throw new CommandFailure(message, ...createRemedyActions(reason, transfer.order.connectionId));
}

function describeCancelFailure({ startedElsewhere }: Transfer, reason: Reason): string {
  const why = describeReason(reason);
  if (reason.maybeDone) return l10n.t("It's unclear whether the transfer will be canceled: {0}", why);
  const isOthers = startedElsewhere === true && reason.kind === 'forbidden';
  const cause = isOthers ? l10n.t('only the person who started it can cancel it ({0})', why) : why;
  return l10n.t('Could not cancel the transfer: {0}', cause);
}

function requireUnfinished(transfer: Transfer): void {
  if (!hasEnded(transfer.state)) return;
  const text = l10n.t('The transfer of {0} has ended.', getTransferTitle(transfer));
  throw new CommandHint(text, createDetailsStep(transfer.key));
}

/** Pauses a transfer of the local service, without confirmation (D70: paused transfers). */
export async function pauseTransfer(services: CommandServices, node: TransferNode | undefined): Promise<void> {
  const placeholder = l10n.t('Select the transfer to pause');
  const none = l10n.t('Only transfers of the local service can be paused, and none of them is running.');
  const reason = await changePause(services, node, { change: 'pause', placeholder, none });
  if (reason) throw new CommandFailure(l10n.t('Could not pause the transfer: {0}', describeReason(reason)));
}

/** Resumes a transfer that the user paused. */
export async function resumeTransfer(services: CommandServices, node: TransferNode | undefined): Promise<void> {
  const placeholder = l10n.t('Select the transfer to resume');
  const none = l10n.t('There is no transfer that you have paused.');
  const reason = await changePause(services, node, { change: 'resume', placeholder, none });
  if (reason) throw new CommandFailure(l10n.t('Could not resume the transfer: {0}', describeReason(reason)));
}

interface PauseRequest {
  readonly change: 'pause' | 'resume';
  readonly placeholder: string;
  /** The message if no transfer can be changed in this way. */
  readonly none: string;
}

async function changePause(
  services: CommandServices,
  node: TransferNode | undefined,
  { change, placeholder, none }: PauseRequest,
): Promise<Reason | undefined> {
  const { transferStore, transferFlow, monitor } = services;
  const isEligible = (transfer: Transfer): boolean => getPauseChange(transfer) === change;
  const known = transferStore.getAll();
  if (!node && known.length > 0 && !known.some(isEligible)) throw new CommandHint(none);
  const transfer = await chooseTransfer(services, node, isEligible, placeholder);
  if (!transfer) return undefined;
  requireUnfinished(transfer);
  // After a reload, the row is there before the connection is.
  if (!(await getOrOpenConnection(services, transfer.order.connectionId))) return undefined;
  const reason = await transferFlow.changePause(transfer.key, change);
  monitor.pollNow(transfer.key);
  return reason;
}

/** Copies a transfer's ID to the clipboard. */
export async function copyTransferId(services: CommandServices, node: TransferNode | undefined): Promise<void> {
  const placeholder = l10n.t('Select a transfer to copy its ID');
  const transfer = await chooseTransfer(services, node, ({ id }) => id !== undefined, placeholder);
  if (!transfer) return;
  if (transfer.id === undefined) {
    throw createUnknownIdHint(transfer.key);
  }
  await env.clipboard.writeText(transfer.id);
  services.notifications.showStatusMessage(describeCopiedIds(1));
}

/** Polls the status of all running transfers now. */
export function refreshTransfers({ monitor, transferStore, notifications }: CommandServices): void {
  if (transferStore.getRunning().length === 0) notifications.showStatusMessage(l10n.t('No transfers are running.'));
  else monitor.pollNow();
}

/**
 * Lists the running transfers and those that the status bar reports as requiring attention. If there are none, lists
 * the most recent transfers. Opens the page for the transfer that the user picks.
 */
export async function showRunningTransfers(services: CommandServices): Promise<void> {
  const { transferStore, transferPanels, statusBar } = services;
  const unseen = statusBar.unacknowledged;
  const list = (): readonly Transfer[] => {
    const listed = [...unseen.flatMap((key) => transferStore.get(key) ?? []), ...transferStore.getRunning()];
    return listed.length > 0 ? listed : transferStore.getAll().slice(0, 20);
  };
  statusBar.acknowledge();
  const key = await pickTransfer(services, list, l10n.t('Select a transfer to show its progress'));
  if (key !== undefined) transferPanels.show(key);
}

/** Handles the Delete key in the list of transfers: cancels a running transfer, and removes any other. */
export async function deleteFocusedTransfer(services: CommandServices, node: TransferNode | undefined): Promise<void> {
  const transfer = node && services.transferStore.get(node.key);
  if (transfer) await (isUnderWay(transfer) ? cancelTransfer : removeFromHistory)(services, node);
}

/**
 * Warns the user and, after confirmation, sends a waiting request immediately (D34: serialized requests). If more than
 * one request is waiting, asks which one to send.
 */
export async function sendNow({ waitingRequests, notifications }: CommandServices): Promise<void> {
  const waiting = waitingRequests.getAll();
  if (waiting.length === 0) throw new CommandHint(l10n.t('No request is waiting to be sent.'));
  const request = await chooseRequest(waiting);
  if (!request) return;
  const question = l10n.t('Send this request now? ({0})', request.title);
  const risk = l10n.t(
    'The server may still be working on another request. Overlapping requests can cause it to mix up responses or stop responding for all users.',
  );
  if (await notifications.confirm(question, risk, l10n.t('Send Now'))) request.sendNow();
}

async function chooseRequest(waiting: readonly WaitingRequest[]): Promise<WaitingRequest | undefined> {
  if (waiting.length === 1) return waiting[0];
  const choices = waiting.map((request) => ({ label: request.title, value: request }));
  const placeholder = l10n.t('Select the request to send now');
  return await chooseOne(l10n.t('Send Now'), { placeholder, choices });
}
