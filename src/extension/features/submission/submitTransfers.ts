import { l10n } from 'vscode';
import type { Transfer, TransferOrder, TransferRequester } from '../../../core/model/transferModel.ts';
import { createRemedyActions } from '../../editor/nextSteps.ts';
import type { NotificationAction } from '../../editor/notifications.ts';
import { formatFileCount } from '../../words/localeFormats.ts';
import { describeError, toPlainLine } from '../../words/plainText.ts';
import { describeReason } from '../../words/reasonWords.ts';
import { describeWriteError } from '../connections/problemNotifications.ts';
import type { CommandServices } from '../services.ts';

/** Result of a submission. `transfer` is missing if the transfer's record could not be written. */
interface SubmissionResult {
  readonly order: TransferOrder;
  readonly transfer?: Transfer;
}

/**
 * Submits the orders one after another, and shows their rows and failures. Continues after a failure.
 * `TransferNotifications` reports an unconfirmed submission.
 */
export async function submitTransfers(
  services: CommandServices,
  orders: readonly TransferOrder[],
  replacedKey?: string,
): Promise<readonly SubmissionResult[]> {
  const results: SubmissionResult[] = [];
  for (const order of orders) {
    const files = orders.length > 1 ? describeSource(order) : formatFileCount(order.files.length);
    results.push(await submitOrder(services, order, files, replacedKey));
  }
  return results;
}

async function submitOrder(
  services: CommandServices,
  order: TransferOrder,
  files: string,
  replacedKey: string | undefined,
): Promise<SubmissionResult> {
  try {
    const transfer = await sendOrder(services, order, { files, replacedKey });
    reportSubmission(services, transfer, files);
    return { order, transfer };
  } catch (error) {
    const cause = describeWriteError(error, describeError(error));
    const text = l10n.t("nothing was sent because the transfer couldn't be saved: {0}", cause);
    reportFailure(services, order, files, text);
    return { order };
  }
}

/** Details of {@link sendOrder}. */
interface SendOptions {
  /** The files as shown to the user. */
  readonly files?: string;
  /** Key of the unconfirmed transfer that this one replaces. */
  readonly replacedKey?: string | undefined;
  readonly requestedBy?: TransferRequester;
}

/** Submits an order once (D12: never resubmit). It can be withdrawn while it waits. Rejects if it can't be recorded. */
export async function sendOrder(
  { transferFlow, waitingRequests }: CommandServices,
  order: TransferOrder,
  { files = formatFileCount(order.files.length), replacedKey, requestedBy }: SendOptions,
): Promise<Transfer> {
  const title = l10n.t('Transfer {0} to {1}', files, toPlainLine(order.destination));
  return await waitingRequests.run(title, (turn) => transferFlow.submit(order, replacedKey, turn, requestedBy));
}

/** Shows the row of a submitted transfer. If the service refused it, also shows the reason. */
export function reportSubmission(
  services: CommandServices,
  transfer: Transfer,
  files = formatFileCount(transfer.order.files.length),
): void {
  const { views, transferPanels, notifications } = services;
  const { id, key, state, problem, order } = transfer;
  views.revealTransfer(key);
  // The editor truncates a notification without buttons to one line, which would hide the reason at the end.
  const showDetails = { label: l10n.t('Show Details'), run: () => transferPanels.show(key) };
  const actions = [showDetails, ...createRemedyActions(problem, order.connectionId)];
  if (state === 'refused') reportFailure(services, order, files, problem ? describeReason(problem) : '', ...actions);
  else if (id !== undefined)
    notifications.showStatusMessage(
      l10n.t('Submitted the transfer of {0} to {1}.', files, toPlainLine(order.destination)),
    );
}

function reportFailure(
  { notifications }: CommandServices,
  { destination }: TransferOrder,
  files: string,
  cause: string,
  ...actions: NotificationAction[]
): void {
  const text = l10n.t('Could not transfer {0} to {1}: {2}', files, toPlainLine(destination), cause);
  void notifications.error(text, ...actions);
}

function describeSource({ files, source }: TransferOrder): string {
  return l10n.t('{0} from {1}', formatFileCount(files.length), toPlainLine(source));
}
