import { l10n } from 'vscode';
import type { Transfer } from '../../../core/model/transferModel.ts';
import { CommandHint } from '../../editor/commandBoundary.ts';
import type { TransferNode } from '../../editor/contributions.ts';
import type { Notifications } from '../../editor/notifications.ts';
import { createSingleStep } from '../../editor/quickInput.ts';
import { createDetailsStep } from '../../notifications/nextSteps.ts';
import { formatFileCount, plural } from '../../words/localeFormats.ts';
import { getTransferTitle } from '../../words/transferWords.ts';
import { getOrOpenConnection } from '../connections/connectionOpener.ts';
import type { CommandServices } from '../services.ts';
import { resubmitTransfer } from '../submission/resubmission.ts';
import { type FoundById, askTransferId } from './transferIdPrompt.ts';
import { chooseTransfer } from './transferPicker.ts';

/** Asks for the ID of an unconfirmed transfer that did start, and starts tracking it. */
export async function markTransferStarted(services: CommandServices, node: TransferNode | undefined): Promise<void> {
  const { trackFlow, notifications } = services;
  const transfer = await chooseUnconfirmedTransfer(services, node, l10n.t('Select the transfer that started'));
  const session = transfer && (await getOrOpenConnection(services, transfer.order.connectionId));
  if (!session) return;
  const found = await askTransferId(services, {
    connectionId: session.connection.id,
    position: createSingleStep(getTransferTitle(transfer)),
    prompt: l10n.t(
      "Transfer ID. At the destination, the transfer's files are in a folder whose name is dts- followed by this ID.",
    ),
    validate: refuseKnown,
  });
  if (found?.kind !== 'found' || !(await confirmSameTransfer(notifications, transfer, found))) return;
  await trackFlow.confirm(transfer.key, found.id, found.status);
  notifications.showStatusMessage(l10n.t('Now tracking this transfer.'));
}

/** Resubmits an unconfirmed transfer that did not start. */
export async function markTransferNotStarted(services: CommandServices, node: TransferNode | undefined): Promise<void> {
  const placeholder = l10n.t("Select the transfer that didn't start");
  const transfer = await chooseUnconfirmedTransfer(services, node, placeholder);
  if (transfer) await resubmitTransfer(services, transfer);
}

async function chooseUnconfirmedTransfer(
  services: CommandServices,
  node: TransferNode | undefined,
  placeholder: string,
): Promise<Transfer | undefined> {
  const transfer = await chooseTransfer(services, node, ({ state }) => state === 'notConfirmed', placeholder);
  if (transfer && transfer.state !== 'notConfirmed') {
    const text = l10n.t('The status of the transfer of {0} is now known.', getTransferTitle(transfer));
    throw new CommandHint(text, createDetailsStep(transfer.key));
  }
  return transfer;
}

function refuseKnown(found: FoundById): string | undefined {
  if (found.kind === 'found') return undefined;
  return l10n.t('This ID belongs to another transfer: {0}', getTransferTitle(found.transfer));
}

/**
 * Asks for confirmation if the reported number of files differs from the requested number. The transfer may still be
 * the same one, because servers silently drop files. Ignores an implausible number (D11: check status identity).
 */
async function confirmSameTransfer(
  notifications: Notifications,
  { order }: Transfer,
  { status }: Extract<FoundById, { kind: 'found' }>,
): Promise<boolean> {
  const { fileCount, doubtful } = status;
  if (fileCount === undefined || doubtful || fileCount === order.files.length) return true;
  const question = l10n.t('The service reports {0} for this ID. Is this the right ID?', formatFileCount(fileCount));
  const detail = plural(order.files.length, '{0} file was requested.', '{0} files were requested.');
  return await notifications.confirm(question, detail, l10n.t('Yes'));
}
