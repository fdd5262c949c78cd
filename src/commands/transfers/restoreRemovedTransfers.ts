import { l10n } from 'vscode';
import type { Transfer } from '../../core/model/transfer.ts';
import { TransferSearch } from '../../core/model/transferSearch.ts';
import { CommandFailure } from '../../host/commandBoundary.ts';
import { alone, pickFound, type Choice } from '../../host/quickInput.ts';
import { plural, timeText } from '../../host/words.ts';
import { transferChoice } from './askTransfer.ts';
import type { HistoryParts } from './transferHistory.ts';

/** As many as a list can hold without a pause at every key. */
const mostFound = 200;

/** Asks which of the transfers that were removed within a day to restore, one or all, and restores them. */
export async function restoreRemovedTransfers({ transferFlow, notices }: HistoryParts): Promise<void> {
  const removed = await transferFlow.loadRemoved();
  if (removed.length === 0) throw new CommandFailure(l10n.t('No transfers were removed in the last day.'));
  const search = new TransferSearch(removed);
  const now = Date.now();
  const all = {
    label: plural(removed.length, 'Restore {0} transfer', 'Restore all {0} transfers'),
    value: removed.map(({ key }) => key),
  };
  const answer = await pickFound<readonly string[]>(alone(l10n.t('Restore Removed Transfers')), {
    placeholder: l10n.t('Choose a transfer to restore, or all of them'),
    find: (text) => [
      ...(text === '' ? [all] : []),
      ...search.find(text, mostFound).map(({ transfer }) => choiceOf(transfer, now)),
    ],
  });
  if (typeof answer === 'string') return;
  await transferFlow.restore(answer.value);
  notices.done(plural(answer.value.length, 'Restored {0} transfer.', 'Restored {0} transfers.'));
}

function choiceOf(transfer: Transfer, now: number): Choice<readonly string[]> {
  const { description = '', label } = transferChoice(transfer);
  return { label, description: `${description} · ${timeText(transfer.createdAt, now)}`, value: [transfer.key] };
}
