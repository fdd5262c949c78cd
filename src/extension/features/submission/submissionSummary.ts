import { l10n, workspace } from 'vscode';
import { findRepeatedFiles, getPlaceKeys, omitFiles, type VerifiedFiles } from '../../../core/duplicates/equalFiles.ts';
import { findCluster } from '../../../core/model/databaseModel.ts';
import type { FilesUnderWay } from '../../../core/model/transferOutcome.ts';
import { createStagingLookup } from '../../../core/model/searchModel.ts';
import type { Transfer, TransferFile, TransferOrder } from '../../../core/model/transferModel.ts';
import type { Search } from '../../../core/search/searchStore.ts';
import { findSubmissionFacts, type SubmissionFacts } from '../../../core/transfers/submissionFacts.ts';
import { findFollowUp } from '../../../core/util/followUp.ts';
import { canMatchTransfer } from '../../../core/verification/manifestMatch.ts';
import { getPastResult, type PastVerification } from '../../../core/verification/pastVerification.ts';
import { readManifest, type TransferManifest } from '../../../core/verification/transferManifest.ts';
import { CommandHint } from '../../editor/commandBoundary.ts';
import { withLateProgress } from '../../editor/notifications.ts';
import type { Step } from '../../editor/quickInput.ts';
import { formatFileCount } from '../../words/localeFormats.ts';
import { toPlainLine } from '../../words/plainText.ts';
import { describeWholeFolder, getWholeFolder } from '../../words/searchWords.ts';
import {
  countFiles,
  createCopyLines,
  createSummary,
  describeCrashingIds,
  describeForbiddenSharing,
  formatLeaveOutLabel,
  type FileName,
  type StagingLookup,
  type Summary,
} from '../../words/summaryWords.ts';
import type { CommandServices } from '../services.ts';
import { locateTransferredFiles } from '../verification/transferredFolders.ts';

/** Called with the orders, reduced to the files that still need to be sent. */
export type LeaveOutListener = (orders: readonly TransferOrder[]) => unknown;

/** Options for {@link confirmSubmission}. */
interface SummaryOptions {
  /** Key of the unconfirmed transfer that this submission replaces. */
  readonly replacedKey?: string | undefined;
  /** Label of the button that returns to the earlier steps; absent if there is no such button. */
  readonly backLabel?: string | undefined;
  /** Returns the staging status from a file's metadata (D31: staged display). */
  readonly getStaging?: StagingLookup;
  /** IDs of a submission that lost the connection, which couldn't be checked (D37: crashing file ids). */
  readonly uncheckedIds?: readonly string[];
  /** Maximum number of characters to show, both for the description and for the instructions. */
  readonly maxTextLength?: number;
  /** Additional sentences to show. */
  readonly notes?: readonly string[];
  /** Called with the remaining orders if the user leaves out superfluous files. Without it, that isn't offered. */
  readonly onLeaveOut?: LeaveOutListener;
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
  requireTrust(first);
  requireOneStart(orders);
  const facts = await findFacts(services, orders, options.replacedKey);
  const { underWay } = facts;
  const { lines, isSpaceShort } = describeOrders(services, orders, facts, options);
  const { warnings, isServerAtRisk } = describeRisks(services, orders, facts, options);
  const spare = findSpareFiles(orders, facts);
  const labels = {
    transfer: getTransferButtonLabel(isServerAtRisk),
    leaveOut: options.onLeaveOut && getLeaveOutLabel(spare.size, countFiles(orders)),
    show: underWay.count > 0 ? l10n.t('Show Transfer') : undefined,
    back: options.backLabel,
  };
  const buttons = [labels.transfer, labels.leaveOut];
  // The first button is the default.
  if (isLeavingOutSafe(orders, facts)) buttons.reverse();
  const answer = await services.notifications.choose(
    warnings.length > 0 || isSpaceShort ? 'warning' : 'info',
    l10n.t('Transfer {0} to {1}?', formatFileCount(countFiles(orders)), toPlainLine(first.destination)),
    [...lines, ...warnings.map((line) => `\n${line}`)].join('\n'),
    ...[...buttons, labels.show, labels.back].filter((label) => label !== undefined),
  );
  if (answer === undefined) return 'cancel';
  if (answer === labels.leaveOut) options.onLeaveOut?.(omitFiles(orders, spare));
  if (answer === labels.transfer || answer === labels.leaveOut) return 'next';
  if (answer !== labels.show) return 'back';
  return (await showBeforeConfirming(services, underWay, orders)) ? 'next' : 'cancel';
}

function requireTrust({ instructions }: TransferOrder): void {
  if (workspace.isTrusted || !findFollowUp(instructions)) return;
  throw new CommandHint(
    l10n.t('Nothing was sent: only in a trusted workspace can something be started after a transfer.'),
  );
}

function requireOneStart(orders: readonly TransferOrder[]): void {
  if (orders.length < 2 || !orders.some(({ instructions }) => findFollowUp(instructions))) return;
  throw new CommandHint(
    l10n.t('Nothing was sent: files from several databases are several transfers, and each would start what follows.'),
  );
}

/** Finds the facts about orders. Shows a progress notification if that takes long. */
async function findFacts(
  services: CommandServices,
  orders: readonly TransferOrder[],
  replacedKey?: string,
): Promise<SubmissionFacts> {
  const { connectionStore, memory, sessions } = services;
  const { connectionId = '', destination = '' } = orders[0] ?? {};
  const isShown = sessions.active !== undefined && sessions.active === sessions.get(connectionId);
  const folder = await memory.getDestinationFolder(connectionId, destination);
  const title = l10n.t('Checking which files {0} already has', toPlainLine(destination));
  return await withLateProgress(title, (signal) =>
    findSubmissionFacts(services, orders, {
      destination: isShown ? connectionStore.findDatabase(destination) : undefined,
      readVerified: (transfers, aborted) => readVerified(services, transfers, aborted),
      folder,
      replacedKey,
      signal,
    }),
  );
}

/** Describes what the user should know before a submission, and whether its file IDs may crash the server. */
function describeRisks(
  { metadataFlow }: CommandServices,
  orders: readonly TransferOrder[],
  { licenses, underWay }: SubmissionFacts,
  { replacedKey, uncheckedIds: unchecked = [] }: SummaryOptions,
): { readonly isServerAtRisk: boolean; readonly warnings: readonly string[] } {
  const unsafe = orders.flatMap((order) => metadataFlow.findUnsafeIds(order));
  const serverRisks = describeCrashingIds({ unsafe, unchecked });
  const warnings = [
    ...describeTransfersInProgress(underWay, orders),
    replacedKey === undefined ? '' : describeReplacement(orders),
    ...serverRisks,
    ...describeForbiddenSharing(licenses),
  ];
  return { isServerAtRisk: serverRisks.length > 0, warnings: warnings.filter(Boolean) };
}

function describeReplacement(orders: readonly TransferOrder[]): string {
  return orders.some(({ instructions }) => findFollowUp(instructions))
    ? l10n.t(
        'If the earlier transfer did start, the same data will be transferred twice, and what follows started twice.',
      )
    : l10n.t('If the earlier transfer did start, the same data will be transferred twice.');
}

/** Returns the label of the button that leaves files out; undefined if there are none, or no others would remain. */
function getLeaveOutLabel(spareCount: number, fileCount: number): string | undefined {
  return spareCount > 0 && spareCount < fileCount ? formatLeaveOutLabel(spareCount) : undefined;
}

function isLeavingOutSafe(orders: readonly TransferOrder[], { isComplete }: SubmissionFacts): boolean {
  // Earlier transfers and loaded results may be outdated. What follows may need all files in the new folder.
  return isComplete && orders.every(({ folder, instructions }) => folder === undefined && !findFollowUp(instructions));
}

/** Returns the files that don't need to be sent: those with the same content and path (D60: same content). */
function findSpareFiles(
  orders: readonly TransferOrder[],
  { atDestination, received }: SubmissionFacts,
): ReadonlySet<TransferFile> {
  return new Set([...atDestination, ...received.keys(), ...findRepeatedFiles(orders, getPlaceKeys)]);
}

/** Summarizes orders: first each reason that files don't need to be sent, then `notes`, then the facts. */
export async function sumUpOrders(
  services: CommandServices,
  orders: readonly TransferOrder[],
  notes: readonly string[],
): Promise<readonly string[]> {
  return describeOrders(services, orders, await findFacts(services, orders), { notes }).lines;
}

function describeOrders(
  { searchStore, connectionStore }: CommandServices,
  orders: readonly TransferOrder[],
  facts: SubmissionFacts,
  { getStaging, maxTextLength, notes = [] }: SummaryOptions,
): Summary {
  const getFoundStaging = createStagingLookup(searchStore.getAll());
  const { lines, isSpaceShort } = createSummary(orders, {
    maxTextLength,
    freeBytes: facts.freeBytes,
    getCluster: ({ connectionId, source, destination, files }) =>
      connectionStore.shown?.id === connectionId
        ? findCluster(connectionStore.findDatabase(source), connectionStore.findDatabase(destination), files)
        : undefined,
    getStaging: (file: FileName) => getStaging?.(file) ?? getFoundStaging(file),
  });
  const [fileCount, destination] = [countFiles(orders), orders[0]?.destination ?? ''];
  const copies = createCopyLines({ ...facts, fileCount, destination, repeatedCount: facts.repeated.size });
  const folders = describeWholeFolders(searchStore.getAll(), orders);
  return { lines: [...copies.map((line) => `${line}\n`), ...notes, ...lines, ...folders], isSpaceShort };
}

/** States the completeness of each folder all of whose files are transferred, if a search has listed it. */
function describeWholeFolders(searches: readonly Search[], orders: readonly TransferOrder[]): readonly string[] {
  const ids = new Map(orders.map(({ source, files }) => [source, new Set(files.map(({ id }) => id))]));
  const isWhole = ({ connectionId, query, files, mayHaveMore, leftOut }: Search): boolean => {
    const sent = connectionId === orders[0]?.connectionId ? ids.get(query.database) : undefined;
    const isListed = leftOut !== undefined && !mayHaveMore && files.length > 0 && getWholeFolder(query) !== undefined;
    return sent !== undefined && isListed && files.every((file) => file.kind === 'file' && sent.has(file.id));
  };
  const folders = searches.filter(isWhole).map((search) => {
    const { size, leftOut } = describeWholeFolder(search);
    const isDatabase = getWholeFolder(search.query) === '';
    const whole = isDatabase ? l10n.t('Whole database: {0}', size) : l10n.t('Whole folder: {0}', size);
    return [whole, leftOut].filter(Boolean).join('\n');
  });
  return [...new Set(folders)];
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

/** Returns the submit button's label. "Transfer" has its own key: it is a noun and a verb in English. */
function getTransferButtonLabel(isRisky = false): string {
  if (isRisky) return l10n.t('Transfer Anyway');
  return l10n.t({ message: 'Transfer', comment: ['button'] });
}

/** Describes files that are already being transferred and, separately, those whose submission is unconfirmed. */
function describeTransfersInProgress(
  { count, confirmedCount }: FilesUnderWay,
  orders: readonly TransferOrder[],
): readonly string[] {
  const destination = toPlainLine(orders[0]?.destination ?? '');
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

async function readVerified(
  services: CommandServices,
  transfers: readonly Transfer[],
  signal: AbortSignal,
): Promise<readonly VerifiedFiles[]> {
  const verified: VerifiedFiles[] = [];
  for (const transfer of transfers) {
    const past = signal.aborted ? undefined : await services.verificationHistory.get(transfer.key);
    const files = past && (await readIntactFiles(services, transfer, past, signal));
    if (files) verified.push({ key: transfer.key, files });
  }
  return verified;
}

/**
 * Returns the files in a transfer's manifest that were intact when last verified. Without a readable manifest that
 * matches the transfer, returns an empty list or, if all files were intact, undefined. In the latter case, the caller
 * uses the files in the transfer's record.
 */
async function readIntactFiles(
  services: CommandServices,
  transfer: Transfer,
  past: PastVerification,
  signal: AbortSignal,
): Promise<VerifiedFiles['files'] | undefined> {
  const located = await locateTransferredFiles(services, transfer);
  const manifest = located?.manifest && (await readManifest(located.manifest, signal).catch(() => undefined));
  if (manifest && canMatchTransfer(manifest, transfer)) return listIntactFiles(manifest, past);
  return past.intactCount > 0 && past.intactCount === past.fileCount ? undefined : [];
}

function listIntactFiles({ files }: TransferManifest, past: PastVerification): VerifiedFiles['files'] {
  return files
    .filter(({ path }) => getPastResult(past, path) === 'intact')
    .map(({ path, id, sizeBytes, hash }) => ({
      path,
      ...(id !== undefined && { id }),
      ...(sizeBytes !== undefined && { sizeBytes }),
      ...(hash && { hash: `${hash.algorithm}:${hash.hex}` }),
    }));
}
