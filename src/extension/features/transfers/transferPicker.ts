import { l10n } from 'vscode';
import { hasEnded, type Transfer } from '../../../core/model/transferModel.ts';
import { CommandHint } from '../../editor/commandBoundary.ts';
import type { TransferNode } from '../../editor/contributions.ts';
import { chooseOne, type Choice } from '../../editor/quickInput.ts';
import { createTransferStep } from '../../editor/nextSteps.ts';
import { toPlainLine } from '../../words/plainText.ts';
import { describeProgress, getTransferTitle } from '../../words/transferWords.ts';
import type { CommandServices } from '../services.ts';

/**
 * Returns the row's transfer, or an eligible one that the user picks. Returns undefined if the user cancels or the
 * transfer was removed in the meantime.
 */
export async function chooseTransfer(
  services: CommandServices,
  node: TransferNode | undefined,
  isEligible: (transfer: Transfer) => boolean,
  placeholder: string,
): Promise<Transfer | undefined> {
  const { transferStore } = services;
  const list = (): readonly Transfer[] => transferStore.getAll().filter(isEligible);
  const key = node?.key ?? (await pickTransfer(services, list, placeholder));
  return key === undefined ? undefined : transferStore.get(key);
}

/** Returns the row's transfer, or one with files to open that the user picks. Returns undefined if the user cancels. */
export async function chooseTransferToOpen(
  services: CommandServices,
  node: TransferNode | undefined,
): Promise<Transfer | undefined> {
  if (!node) await services.transferFlow.loadFinished();
  const placeholder = l10n.t('Select the transfer to open files from');
  return await chooseTransfer(services, node, ({ id }) => id !== undefined, placeholder);
}

/**
 * Lets the user pick a transfer from `list` or a choice from `more`. Resolves to the transfer's key or the choice's
 * value, or to undefined if the user cancels. If `list` is empty or contains ended transfers, first loads the transfers
 * from earlier sessions.
 */
export async function pickTransfer(
  services: CommandServices,
  list: () => readonly Transfer[],
  placeholder: string,
  more: readonly Choice<string>[] = [],
): Promise<string | undefined> {
  const { transferStore, transferFlow } = services;
  const known = list();
  const isRunningOnly = known.length > 0 && !known.some(({ state }) => hasEnded(state));
  if (!isRunningOnly && transferStore.hasEarlier) await transferFlow.loadFinished();
  const transfers = list();
  if (transfers.length + more.length === 0) throw createEmptyHint(transferStore.getAll().length === 0);
  // The rows stay in place, and only their text is updated. Pressing Enter therefore always accepts the transfer that
  // is displayed.
  const createChoices = (): readonly Choice<string>[] => [
    ...transfers.map((listed) => createTransferChoice(transferStore.get(listed.key) ?? listed)),
    ...more,
  ];
  return await chooseOne(l10n.t('Transfers'), {
    placeholder,
    choices: createChoices(),
    onDidChangeChoices: (draw) => transferStore.onDidChange(() => draw(createChoices())),
  });
}

function createEmptyHint(hasNone: boolean): CommandHint {
  if (hasNone) return new CommandHint(l10n.t('No transfers yet.'), createTransferStep());
  return new CommandHint(l10n.t('No transfers available for this command.'));
}

/** Creates a choice for a transfer. Its value is the transfer's key. */
export function createTransferChoice(transfer: Transfer): Choice<string> {
  return {
    label: getTransferTitle(transfer),
    description: describeProgress(transfer),
    ...(transfer.id !== undefined && { detail: toPlainLine(transfer.id) }),
    value: transfer.key,
  };
}
