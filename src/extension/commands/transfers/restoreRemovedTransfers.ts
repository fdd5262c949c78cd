import { l10n } from 'vscode';
import type { Transfer } from '../../../core/model/transferModel.ts';
import { TransferSearch } from '../../../core/model/transferSearch.ts';
import { CommandHint } from '../../editor/commandBoundary.ts';
import { createSingleStep, pickFromSearch, type Choice } from '../../editor/quickInput.ts';
import { plural, formatTime } from '../../words/localeFormats.ts';
import type { CommandServices } from '../services.ts';
import { createTransferChoice } from './transferPicker.ts';

/** Maximum number of results. A list can redraw this many rows on each keystroke without a noticeable delay. */
const maxResults = 200;

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
  const answer = await pickFromSearch<readonly string[]>(createSingleStep(l10n.t('Restore Removed Transfers')), {
    placeholder: l10n.t('Select what to restore'),
    find: (text) => [
      ...(text === '' ? [all] : []),
      ...search.find(text, maxResults).map(({ transfer }) => createRemovedChoice(transfer, now)),
    ],
  });
  if (typeof answer === 'string') return;
  await transferFlow.restore(answer.value);
  notifications.showStatusMessage(plural(answer.value.length, 'Restored {0} transfer.', 'Restored {0} transfers.'));
}

function createRemovedChoice(transfer: Transfer, now: number): Choice<readonly string[]> {
  const { description = '', label } = createTransferChoice(transfer);
  return { label, description: `${description} · ${formatTime(transfer.createdAt, now)}`, value: [transfer.key] };
}
