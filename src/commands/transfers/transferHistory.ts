import { l10n } from 'vscode';
import { TransferSearch } from '../../core/model/transferSearch.ts';
import { hasEnded, type Transfer } from '../../core/model/transfer.ts';
import { CommandFailure } from '../../host/commandBoundary.ts';
import type { TransferNode } from '../../host/contributions.ts';
import type { Notices } from '../../host/notices.ts';
import { alone, pickFound } from '../../host/quickInput.ts';
import { plainLine, plural, timeText, transferTitle } from '../../host/words.ts';
import type { TransferPanels } from '../../panels/transferPanel.ts';
import { chosenTransfer, transferChoice, type AskTransferParts } from './askTransfer.ts';

/** What these commands need. */
export interface HistoryParts extends AskTransferParts {
  readonly transferPanels: TransferPanels;
  readonly notices: Notices;
}

/** Takes a transfer out of the list and the ledger that has ended, or of which no end can be expected, with a way back. */
export async function removeFromHistory(parts: HistoryParts, node: TransferNode | undefined): Promise<void> {
  const removable = (transfer: Transfer): boolean => hasEnded(transfer.state) || doubt(transfer) !== undefined;
  const list = (): readonly Transfer[] => parts.transferStore.all().filter(removable);
  const placeholder = l10n.t('Select the transfer to remove from the history');
  const transfer = await chosenTransfer(parts, node, list, placeholder);
  if (!transfer) return;
  if (!removable(transfer)) throw new CommandFailure(l10n.t('This transfer is still running. Cancel it first.'));
  const title = transferTitle(transfer);
  const detail = doubt(transfer);
  if (detail !== undefined) {
    const question = l10n.t('Remove the transfer of {0} from the history?', title);
    if (!(await parts.notices.confirm(question, detail, l10n.t('Remove')))) return;
  }
  await forget(parts, [transfer], l10n.t('Removed the transfer of {0} from the history.', title));
}

/** What the person should know of a transfer that has not ended and yet may never end (D12, D13). */
function doubt({ state, cancelUnheeded }: Transfer): string | undefined {
  if (state === 'notConfirmed')
    return l10n.t('It is not known whether it has begun. If it has, it goes on without being watched.');
  if (cancelUnheeded && !hasEnded(state))
    return l10n.t('The service accepted the cancel but has not followed it. Whatever it still does is not watched.');
  return undefined;
}

/** Clearing more transfers than these at once is asked about. */
const mostWithoutAsking = 20;

/** Takes all transfers that have ended out of the list and the ledger, with a way back. */
export async function clearFinishedTransfers(parts: HistoryParts): Promise<void> {
  const { transferFlow, transferStore, notices } = parts;
  await transferFlow.loadFinished();
  const finished = transferStore.finished();
  if (finished.length === 0) {
    void notices.info(l10n.t('There are no finished transfers to clear.'));
    return;
  }
  if (finished.length > mostWithoutAsking && !(await mayClear(parts, finished.length))) return;
  const cleared = plural(
    finished.length,
    'Removed {0} finished transfer from the history. Its files are kept.',
    'Removed {0} finished transfers from the history. Their files are kept.',
  );
  await forget(parts, finished, cleared);
}

async function mayClear({ notices }: HistoryParts, count: number): Promise<boolean> {
  const question = plural(
    count,
    'Remove {0} finished transfer from the history?',
    'Remove {0} finished transfers from the history?',
  );
  const detail = l10n.t('Their files are kept. For a day, you can restore them with "Restore Removed Transfers…".');
  return await notices.confirm(question, detail, l10n.t('Remove'));
}

async function forget(
  { transferFlow, notices }: HistoryParts,
  transfers: readonly Transfer[],
  text: string,
): Promise<void> {
  const keys = transfers.map(({ key }) => key);
  await transferFlow.forget(keys);
  void notices.info(text, { label: l10n.t('Undo'), run: () => transferFlow.restore(keys) });
}

/** As many as a list can hold without a pause at every key. */
const mostFound = 200;

/** Searches all transfers that have ended by databases, files, description, message and ids, and shows the page of one. */
export async function findInHistory(parts: HistoryParts): Promise<void> {
  const { transferFlow, transferStore, transferPanels } = parts;
  await transferFlow.loadFinished();
  const finished = transferStore.finished();
  if (finished.length === 0) throw new CommandFailure(l10n.t('No transfer has ended yet.'));
  const search = new TransferSearch(finished);
  const now = Date.now();
  const answer = await pickFound(alone(l10n.t('Find in History')), {
    placeholder: l10n.t('File, database, description or id'),
    find: (text) =>
      search.find(text, mostFound).map(({ transfer, file }) => {
        const { description = '' } = transfer.order;
        const about = file === undefined ? [transfer.id ?? '', description] : [l10n.t('with {0}', file)];
        return {
          ...transferChoice(transfer),
          description: `${transferChoice(transfer).description ?? ''} · ${timeText(transfer.createdAt, now)}`,
          detail: plainLine(about.filter(Boolean).join(' · ')),
        };
      }),
  });
  if (typeof answer !== 'string') transferPanels.show(answer.value);
}
