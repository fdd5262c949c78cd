import { l10n } from 'vscode';
import type { TransferFlow } from '../../core/flows/transferFlow.ts';
import type { Transfer } from '../../core/model/transfer.ts';
import type { TransferStore } from '../../core/store/transferStore.ts';
import { CommandFailure } from '../../host/commandBoundary.ts';
import type { TransferNode } from '../../host/contributions.ts';
import { alone, pickOne, type Choice } from '../../host/quickInput.ts';
import { plainLine, progressText, transferTitle } from '../../host/words.ts';

/** What asking for a transfer needs. */
export interface AskTransferParts {
  readonly transferStore: TransferStore;
  readonly transferFlow: TransferFlow;
}

/** The transfer of a row; without one, asks which of those that `list` gives. Undefined when the person left, or it has gone. */
export async function chosenTransfer(
  parts: AskTransferParts,
  node: TransferNode | undefined,
  list: () => readonly Transfer[],
  placeholder: string,
): Promise<Transfer | undefined> {
  const key = node?.key ?? (await askTransfer(parts, list, placeholder));
  return key === undefined ? undefined : parts.transferStore.get(key);
}

/** Asks which of the transfers that `list` gives, or `more`; those of earlier sessions are brought in where it gives none. */
export async function askTransfer(
  { transferFlow, transferStore }: AskTransferParts,
  list: () => readonly Transfer[],
  placeholder: string,
  more: readonly Choice<string>[] = [],
): Promise<string | undefined> {
  if (list().length === 0 && transferStore.hasEarlier) await transferFlow.loadFinished();
  const transfers = list();
  if (transfers.length + more.length === 0) throw new CommandFailure(l10n.t('There is no transfer for this.'));
  // The rows stay the same ones, so that Enter never falls on another transfer than the one that was looked at.
  const choices = (): readonly Choice<string>[] => [
    ...transfers.map((listed) => transferChoice(transferStore.get(listed.key) ?? listed)),
    ...more,
  ];
  const answer = await pickOne(alone(l10n.t('Transfers')), {
    placeholder,
    choices: choices(),
    follow: (draw) => transferStore.onDidChange(() => draw(choices())),
  });
  return typeof answer === 'string' ? undefined : answer.value;
}

/** A transfer as a row to pick; its value is the transfer's key. */
export function transferChoice(transfer: Transfer): Choice<string> {
  return {
    label: transferTitle(transfer),
    description: progressText(transfer),
    ...(transfer.id !== undefined && { detail: plainLine(transfer.id) }),
    value: transfer.key,
  };
}
