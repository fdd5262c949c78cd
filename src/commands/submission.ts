import { l10n } from 'vscode';
import type { MetadataFlow } from '../core/flows/metadataFlow.ts';
import type { TransferFlow } from '../core/flows/transferFlow.ts';
import { filesUnderWay, type FilesUnderWay } from '../core/model/filesUnderWay.ts';
import type { Transfer, TransferOrder } from '../core/model/transfer.ts';
import type { TransferStore } from '../core/store/transferStore.ts';
import { CommandFailure } from '../host/commandRegistry.ts';
import { whyNotWritten } from '../host/ledgerNotices.ts';
import type { Notices } from '../host/notices.ts';
import { filesText, numberText, plainLine, reasonText, sizeText } from '../host/words.ts';
import type { TransferPanels } from '../panels/transferPanel.ts';

/** What every command that submits needs. */
export interface SubmissionParts {
  readonly transferStore: TransferStore;
  readonly transferFlow: TransferFlow;
  readonly transferPanels: TransferPanels;
  readonly notices: Notices;
  /** Shows the row of a transfer that was submitted. */
  revealTransfer(key: string): void;
}

/**
 * Sums up what is about to be sent, and asks once. Warns of files that are on their way to the same place already, where
 * `replacedKey`, a transfer that never began, does not count. False when nothing is to be sent.
 */
export async function confirmSummary(
  parts: SubmissionParts,
  orders: readonly TransferOrder[],
  replacedKey?: string,
): Promise<boolean> {
  const [first] = orders;
  if (!first) return false;
  const others = parts.transferStore.all().filter(({ key }) => key !== replacedKey);
  const underWay = filesUnderWay(others, orders);
  const what = filesText(orders.reduce((sum, { files }) => sum + files.length, 0));
  const destination = plainLine(first.destination);
  const detail = [
    ...factLines(orders),
    underWay.count > 0 ? `\n${underWayText(underWay, destination)}` : '',
    replacedKey === undefined
      ? ''
      : `\n${l10n.t('If the first one did start after all, its files are transferred twice.')}`,
  ].filter(Boolean);
  const transfer = l10n.t('Transfer');
  const show = l10n.t('Show');
  const labels = underWay.count > 0 ? [transfer, show] : [transfer];
  const answer = await parts.notices.choose(
    l10n.t('Transfer {0} to {1}?', what, destination),
    detail.join('\n'),
    ...labels,
  );
  if (answer !== show) return answer === transfer;
  return await showFirst(parts, underWay, l10n.t('Transfer {0} to {1} all the same?', what, destination));
}

function factLines(orders: readonly TransferOrder[]): readonly string[] {
  const files = orders.flatMap((order) => order.files);
  const known = files.flatMap(({ sizeBytes }) => sizeBytes ?? []);
  const total = sizeText(known.reduce((sum, size) => sum + size, 0));
  const size = known.length === files.length ? total : l10n.t('{0} and files of unknown size', total);
  return [
    l10n.t('Size: {0}', known.length === 0 ? l10n.t('unknown') : size),
    l10n.t('From: {0}', orders.map(({ source }) => plainLine(source)).join(', ')),
    l10n.t('To: {0}', plainLine(orders[0]?.destination ?? '')),
    orders.length > 1 ? l10n.t('This becomes {0} transfers, one for each source.', orders.length) : '',
  ];
}

function underWayText({ count, transfers }: FilesUnderWay, destination: string): string {
  const isSure = transfers.some(({ state }) => state !== 'notConfirmed');
  if (!isSure) {
    return count === 1
      ? l10n.t('1 of these files may be on its way to {0} already: a transfer of it was not confirmed.', destination)
      : l10n.t(
          '{0} of these files may be on their way to {1} already: a transfer of them was not confirmed.',
          numberText(count),
          destination,
        );
  }
  return count === 1
    ? l10n.t('1 of these files is already on its way to {0}.', destination)
    : l10n.t('{0} of these files are already on their way to {1}.', numberText(count), destination);
}

/** Shows the transfer that is under way, and asks again beside it, where the page can be read. */
async function showFirst(parts: SubmissionParts, underWay: FilesUnderWay, question: string): Promise<boolean> {
  const [newest] = underWay.transfers;
  if (newest) parts.transferPanels.show(newest.key);
  let isWanted = false;
  await parts.notices.warning(question, { label: l10n.t('Transfer'), run: () => (isWanted = true) });
  return isWanted;
}

/** Asks for the metadata of one file: with that the client knows what the service calls its databases (D7). */
export async function learnNames(
  metadataFlow: MetadataFlow,
  { connectionId, source, files }: TransferOrder,
): Promise<void> {
  const [file] = files;
  if (file) await metadataFlow.fetchFile({ connectionId, database: source, id: file.id });
}

/** Submits, shows the row, and says what came of it; one that is not confirmed is told of by the notices of transfers. */
export async function submitOrder(
  parts: SubmissionParts,
  order: TransferOrder,
  replacedKey?: string,
): Promise<Transfer> {
  const { transferFlow, notices, revealTransfer } = parts;
  const files = filesText(order.files.length);
  const destination = plainLine(order.destination);
  const submitted = await transferFlow.submit(order, replacedKey).catch((error: unknown) => {
    throw notSaved(l10n.t('{0} to {1}', files, destination), error);
  });
  revealTransfer(submitted.key);
  if (submitted.state === 'refused') {
    const why = submitted.problem ? reasonText(submitted.problem) : '';
    void notices.error(l10n.t('Could not transfer {0} to {1}: {2}', files, destination, why));
  } else if (submitted.state !== 'notConfirmed') {
    notices.done(l10n.t('Submitted {0} to {1}.', files, destination));
  }
  return submitted;
}

/** The intent of a submission has to be on disk before anything is sent. */
function notSaved(title: string, error: unknown): CommandFailure {
  const text = l10n.t(
    'The transfer of {0} was not sent: it could not be saved first, {1}.',
    title,
    whyNotWritten(error),
  );
  return Object.assign(new CommandFailure(text), { cause: error });
}
