import { l10n } from 'vscode';
import { countFileLicenses } from '../../../core/citations/creditText.ts';
import { findFilesUnderWay, type FilesUnderWay } from '../../../core/model/filesUnderWay.ts';
import { createStagingLookup } from '../../../core/model/staging.ts';
import type { TransferOrder } from '../../../core/model/transferModel.ts';
import { readFreeBytes } from '../../../core/util/freeSpace.ts';
import type { Step } from '../../editor/quickInput.ts';
import { formatFileCount } from '../../words/localeFormats.ts';
import { toPlainLine } from '../../words/plainText.ts';
import {
  countFiles,
  createSummary,
  describeCrashingIds,
  describeForbiddenSharing,
  type FileName,
  type StagingLookup,
  type Summary,
} from '../../words/summaryWords.ts';
import type { CommandServices } from '../services.ts';
import { getServedFolder } from '../verification/transferredFolders.ts';
import { findCopies, type LeaveOutListener } from './knownCopies.ts';

/** Options for {@link confirmSubmission}. */
interface SummaryOptions {
  /** Key of the unconfirmed transfer that this submission replaces. */
  readonly replacedKey?: string | undefined;
  /** Label of the button that returns to the earlier steps; absent if there is no such button. */
  readonly backLabel?: string | undefined;
  /** Returns the staging status from a file's metadata (D31: staged display). */
  readonly getStaging?: StagingLookup;
  /**
   * IDs that couldn't be checked. They were part of a submission during which the connection was lost (D37: crashing
   * file ids).
   */
  readonly uncheckedIds?: readonly string[];
  /** Maximum number of characters to show, both for the description and for the instructions. */
  readonly maxTextLength?: number;
  /** Additional sentences to show. */
  readonly notes?: readonly string[];
  /**
   * Called with the remaining orders if the user leaves out files that don't need to be sent. If absent, the user can't
   * leave them out.
   */
  readonly onLeaveOut?: LeaveOutListener;
}

/** Risks that the user has to accept before a submission. */
interface SubmissionRisks {
  readonly underWay: FilesUnderWay;
  /** True if the file IDs may crash the server (D37: crashing file ids). */
  readonly isServerAtRisk: boolean;
  readonly warnings: readonly string[];
}

/**
 * Summarizes the orders and asks whether to submit them. Warns about files that a transfer is already copying to the
 * same destination, unless this submission replaces that transfer.
 */
export async function confirmSubmission(
  services: CommandServices,
  orders: readonly TransferOrder[],
  options: SummaryOptions = {},
): ReturnType<Step> {
  const [first] = orders;
  if (!first) return 'cancel';
  const { underWay, isServerAtRisk, warnings } = findRisks(services, orders, options);
  const [{ lines, isSpaceShort }, copies] = await Promise.all([
    sumUpOrders(services, orders, options),
    findCopies(services, orders, options.onLeaveOut),
  ]);
  const transfer = getTransferButtonLabel(isServerAtRisk);
  const show = underWay.count > 0 ? l10n.t('Show Transfer') : undefined;
  const answer = await services.notifications.choose(
    warnings.length > 0 || isSpaceShort ? 'warning' : 'info',
    l10n.t('Transfer {0} to {1}?', formatFileCount(countFiles(orders)), toPlainLine(first.destination)),
    [...(options.notes ?? []), ...lines, ...[...copies.lines, ...warnings].map((line) => `\n${line}`)].join('\n'),
    ...[transfer, copies.label, show, options.backLabel].filter((label) => label !== undefined),
  );
  if (answer !== undefined && answer === copies.label) return copies.leaveOut();
  if (answer === undefined || answer === transfer) return answer ? 'next' : 'cancel';
  if (answer !== show) return 'back';
  return (await showBeforeConfirming(services, underWay, orders)) ? 'next' : 'cancel';
}

function findRisks(
  { transferStore, metadataFlow }: CommandServices,
  orders: readonly TransferOrder[],
  { replacedKey, uncheckedIds: unchecked = [] }: SummaryOptions,
): SubmissionRisks {
  const others = transferStore.getAll().filter(({ key }) => key !== replacedKey);
  const underWay = findFilesUnderWay(others, orders);
  const unsafe = orders.flatMap((order) => metadataFlow.findUnsafeIds(order));
  const serverRisks = describeCrashingIds({ unsafe, unchecked });
  const warnings = [
    ...describeTransfersInProgress(underWay, orders),
    replacedKey === undefined
      ? ''
      : l10n.t('If the earlier transfer did start, the same data will be transferred twice.'),
    ...serverRisks,
    ...describeForbiddenSharing(countFileLicenses(orders.flatMap(({ files }) => files))),
  ];
  return { underWay, isServerAtRisk: serverRisks.length > 0, warnings: warnings.filter(Boolean) };
}

/** Summarizes orders. Includes the free space at their destination if it is known. */
export async function sumUpOrders(
  services: CommandServices,
  orders: readonly TransferOrder[],
  { getStaging, maxTextLength }: SummaryOptions = {},
): Promise<Summary> {
  const { connectionId = '', destination = '' } = orders[0] ?? {};
  const getFoundStaging = createStagingLookup(services.searchStore.getAll());
  return createSummary(orders, {
    maxTextLength,
    freeBytes: await getDestinationFreeBytes(services, connectionId, destination),
    getStaging: (file: FileName) => getStaging?.(file) ?? getFoundStaging(file),
  });
}

/** Shows the page for the newest transfer that contains some of the files. Asks again whether to submit the orders. */
async function showBeforeConfirming(
  services: CommandServices,
  underWay: FilesUnderWay,
  orders: readonly TransferOrder[],
): Promise<boolean> {
  const { transferPanels, notifications } = services;
  const destination = toPlainLine(orders[0]?.destination ?? '');
  const question = l10n.t('Transfer {0} to {1} anyway?', formatFileCount(countFiles(orders)), destination);
  const [newest] = underWay.transfers;
  if (newest) transferPanels.show(newest.key);
  let isConfirmed = false;
  await notifications.warning(question, { label: getTransferButtonLabel(), run: () => (isConfirmed = true) });
  return isConfirmed;
}

/**
 * Returns the label of the submit button. "Transfer" has its own translation key here, because it is both a noun and a
 * verb in English.
 */
function getTransferButtonLabel(isRisky = false): string {
  if (isRisky) return l10n.t('Transfer Anyway');
  return l10n.t({ message: 'Transfer', comment: ['button'] });
}

/** Describes files that are already being transferred and, separately, those whose submission is unconfirmed. */
function describeTransfersInProgress(
  { count, transfers }: FilesUnderWay,
  orders: readonly TransferOrder[],
): readonly string[] {
  const destination = toPlainLine(orders[0]?.destination ?? '');
  const confirmed = transfers.filter(({ state }) => state !== 'notConfirmed');
  const { count: confirmedCount } = findFilesUnderWay(confirmed, orders);
  const unconfirmedCount = count - confirmedCount;
  return [
    confirmedCount > 0
      ? l10n.t('Already being transferred to {0}: {1}.', destination, formatFileCount(confirmedCount))
      : '',
    unconfirmedCount > 0
      ? l10n.t('Submitted for transfer to {0}, but not confirmed: {1}.', destination, formatFileCount(unconfirmedCount))
      : '',
  ];
}

/**
 * Returns the number of free bytes at a destination. The number comes from the active connection or from the file
 * system of a folder: the one that the active connection serves as the destination or, if unknown, the one that the
 * user selected. Returns undefined if the number isn't known or isn't reported in time.
 */
export async function getDestinationFreeBytes(
  { connectionStore, sessions, memory }: CommandServices,
  connectionId: string,
  destination: string,
): Promise<number | undefined> {
  const session = sessions.get(connectionId);
  const isShown = session !== undefined && sessions.active === session;
  const { databases } = connectionStore.listing;
  const reported = isShown ? databases.find(({ name }) => name === destination)?.listing?.freeBytes : undefined;
  if (reported !== undefined) return reported;
  const served = isShown ? getServedFolder(session, databases, destination) : undefined;
  const folder = served ?? (await memory.getDestinationFolder(connectionId, destination));
  return folder === undefined ? undefined : await readFreeBytes(folder);
}
