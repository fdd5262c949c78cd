import { l10n } from 'vscode';
import type { MetadataFlow } from '../../core/flows/metadataFlow.ts';
import type { TransferFlow } from '../../core/flows/transferFlow.ts';
import { filesUnderWay, type FilesUnderWay } from '../../core/model/filesUnderWay.ts';
import type { Transfer, TransferOrder } from '../../core/model/transfer.ts';
import type { TurnOptions } from '../../core/model/requestTurn.ts';
import { stagingFound } from '../../core/model/staging.ts';
import type { SearchStore } from '../../core/store/searchStore.ts';
import type { TransferStore } from '../../core/store/transferStore.ts';
import { whyNotWritten } from '../../host/ledgerNotices.ts';
import type { NoticeAction, Notices } from '../../host/notices.ts';
import { idRiskLines } from '../../host/idRiskWords.ts';
import { filesText, plainLine, plural, reasonText } from '../../host/words.ts';
import { withProgress } from '../../host/progress.ts';
import type { Step } from '../../host/quickInput.ts';
import { remedyActions } from '../../host/signInActions.ts';
import { summaryLines, type FileName, type StagingLookup } from '../../host/summaryWords.ts';
import type { WaitingRequests } from '../../host/waitingRequests.ts';
import type { TransferPanels } from '../../panels/transferPanel.ts';
import { freeBytesAt, type FreeSpaceParts } from './freeSpace.ts';

/** What every command that submits needs. */
export interface SubmissionParts extends FreeSpaceParts {
  readonly metadataFlow: MetadataFlow;
  readonly searchStore: SearchStore;
  readonly transferStore: TransferStore;
  readonly transferFlow: TransferFlow;
  readonly transferPanels: TransferPanels;
  readonly notices: Notices;
  readonly waitingRequests: WaitingRequests;
  /** Shows the row of a transfer that was submitted. */
  revealTransfer(key: string): void;
}

/** How the last question is asked. */
interface SummaryOptions {
  /** A transfer that never began, and is given up for this one. */
  readonly replacedKey?: string | undefined;
  /** Whether there are steps before it that the person can go back to. */
  readonly canGoBack?: boolean;
  /** What the metadata tells of how a file is staged (D31). */
  readonly stagingOf?: StagingLookup;
  /** Ids that could not be looked up since a submission with them lost its connection (D37). */
  readonly uncheckedIds?: readonly string[];
}

/**
 * Sums up what is about to be sent, and asks once. Warns of files that are on their way to the same place already, where
 * the replaced transfer does not count.
 */
export async function confirmSummary(
  parts: SubmissionParts,
  orders: readonly TransferOrder[],
  { replacedKey, canGoBack = false, stagingOf, uncheckedIds = [] }: SummaryOptions = {},
): ReturnType<Step> {
  const [first] = orders;
  if (!first) return 'cancel';
  const others = parts.transferStore.all().filter(({ key }) => key !== replacedKey);
  const underWay = filesUnderWay(others, orders);
  const what = filesText(orders.reduce((sum, { files }) => sum + files.length, 0));
  const destination = plainLine(first.destination);
  const found = stagingFound(parts.searchStore.all());
  const facts = {
    freeBytes: await freeBytesAt(parts, first.connectionId, first.destination),
    stagingOf: (file: FileName) => stagingOf?.(file) ?? found(file),
  };
  const risks = riskLines(parts, orders, uncheckedIds);
  const detail = [
    ...summaryLines(orders, facts),
    underWay.count > 0 ? `\n${underWayText(underWay, destination)}` : '',
    replacedKey === undefined
      ? ''
      : `\n${l10n.t('If the first one did start after all, its files are transferred twice.')}`,
    ...risks.map((line) => `\n${line}`),
  ].filter(Boolean);
  const transfer = transferButton(risks.length > 0);
  const show = l10n.t('Show');
  const back = l10n.t('Back');
  const labels = [transfer, ...(underWay.count > 0 ? [show] : []), ...(canGoBack ? [back] : [])];
  const question = l10n.t('Transfer {0} to {1}?', what, destination);
  const answer = await parts.notices.choose(question, detail.join('\n'), ...labels);
  if (answer === back) return 'back';
  if (answer !== show) return answer === transfer ? 'next' : 'cancel';
  const isWanted = await showFirst(parts, underWay, l10n.t('Transfer {0} to {1} all the same?', what, destination));
  return isWanted ? 'next' : 'cancel';
}

/** Looks up the ids of a transfer that may have stopped the server, before they are sent again (D37). */
export async function checkIds(
  { metadataFlow }: Pick<SubmissionParts, 'metadataFlow'>,
  order: TransferOrder,
): Promise<readonly string[]> {
  const title = l10n.t('Checking the IDs of {0}', filesText(order.files.length));
  return await withProgress(title, async (signal) => await metadataFlow.findUncheckedIds(order, signal));
}

/** Returns what must be known of the ids before they are sent (D37). */
function riskLines(
  { metadataFlow }: SubmissionParts,
  orders: readonly TransferOrder[],
  unchecked: readonly string[],
): readonly string[] {
  const unsafe = orders.flatMap((order) => metadataFlow.unsafeIdsIn(order));
  return idRiskLines({ unsafe, unchecked });
}

/** The same English word names a thing and what is done; other languages have two. */
function transferButton(isRisky = false): string {
  if (isRisky) return l10n.t('Transfer Anyway');
  return l10n.t({ message: 'Transfer', comment: ['button'] });
}

function underWayText({ count, transfers }: FilesUnderWay, destination: string): string {
  const isSure = transfers.some(({ state }) => state !== 'notConfirmed');
  if (!isSure) {
    return plural(
      count,
      '{0} of these files may be on its way to {1} already: a transfer of it was not confirmed.',
      '{0} of these files may be on their way to {1} already: a transfer of them was not confirmed.',
      destination,
    );
  }
  return plural(
    count,
    '{0} of these files is already on its way to {1}.',
    '{0} of these files are already on their way to {1}.',
    destination,
  );
}

/** Shows the transfer that is under way, and asks again beside it, where the page can be read. */
async function showFirst(parts: SubmissionParts, underWay: FilesUnderWay, question: string): Promise<boolean> {
  const [newest] = underWay.transfers;
  if (newest) parts.transferPanels.show(newest.key);
  let isWanted = false;
  await parts.notices.warning(question, { label: transferButton(), run: () => (isWanted = true) });
  return isWanted;
}

/** Asks for the metadata of one file: with that the client knows what the service calls its databases (D7). */
export async function learnNames(
  { metadataFlow }: { readonly metadataFlow: MetadataFlow },
  { connectionId, source, files }: TransferOrder,
): Promise<void> {
  const [file] = files;
  if (file) await metadataFlow.fetchFile({ connectionId, database: source, id: file.id });
}

/** What came of submitting: a transfer, or nothing where not even its record could be written. */
export interface Submitted {
  readonly order: TransferOrder;
  readonly transfer?: Transfer;
}

/**
 * Submits one order after the other, shows their rows, and says what came of each; one that fails does not keep the
 * others from being sent. One that is not confirmed is told of by the notices of transfers.
 */
export async function submitOrders(
  parts: SubmissionParts,
  orders: readonly TransferOrder[],
  replacedKey?: string,
): Promise<readonly Submitted[]> {
  const submitted: Submitted[] = [];
  for (const order of orders) {
    const what = orders.length > 1 ? fromText(order) : filesText(order.files.length);
    submitted.push(await submitOrder(parts, order, what, replacedKey));
  }
  return submitted;
}

async function submitOrder(
  { transferFlow, transferPanels, notices, revealTransfer, waitingRequests }: SubmissionParts,
  order: TransferOrder,
  what: string,
  replacedKey: string | undefined,
): Promise<Submitted> {
  const destination = plainLine(order.destination);
  const fail = (why: string, ...actions: NoticeAction[]): void =>
    void notices.error(l10n.t('Could not transfer {0} to {1}: {2}', what, destination, why), ...actions);
  try {
    const title = l10n.t('Transfer {0} to {1}', what, destination);
    const submit = (turn: TurnOptions): Promise<Transfer> => transferFlow.submit(order, replacedKey, turn);
    const transfer = await waitingRequests.run(title, submit);
    const { key, state, problem } = transfer;
    revealTransfer(key);
    const showProgress = { label: l10n.t('Show Progress'), run: () => transferPanels.show(key) };
    // Without a button the editor shortens a notice to one line, and the reason stands at its end.
    const actions = [showProgress, ...remedyActions(problem, order.connectionId)];
    if (state === 'refused') fail(problem ? reasonText(problem) : '', ...actions);
    else if (transfer.id !== undefined) notices.done(l10n.t('Submitted {0} to {1}.', what, destination));
    return { order, transfer };
  } catch (error) {
    const why = whyNotWritten(error, plainLine(error instanceof Error ? error.message : String(error)));
    fail(l10n.t('nothing was sent, because it could not be saved first: {0}', why));
    return { order };
  }
}

function fromText({ files, source }: TransferOrder): string {
  return l10n.t('{0} from {1}', filesText(files.length), plainLine(source));
}
