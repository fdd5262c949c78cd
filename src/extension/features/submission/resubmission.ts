import { l10n } from 'vscode';
import { mayHaveStoppedServer } from '../../../core/model/transferOutcome.ts';
import { mayHaveUntransferred } from '../../../core/model/fileProgress.ts';
import { findNamedFiles } from '../../../core/model/idList.ts';
import {
  canSubmitAgain,
  getRepeatableOrder,
  type Transfer,
  type TransferFile,
  type TransferOrder,
} from '../../../core/model/transferModel.ts';
import { thenField } from '../../../core/util/followUp.ts';
import { omit } from '../../../core/util/json.ts';
import { CommandHint } from '../../editor/commandBoundary.ts';
import type { TransferNode } from '../../editor/contributions.ts';
import { withLateProgress, withProgress } from '../../editor/notifications.ts';
import {
  toStepResult,
  createSingleStep,
  pickOne,
  pickSeveral,
  type Choice,
  type InputResult,
  type Step,
  type StepPosition,
} from '../../editor/quickInput.ts';
import { createDetailsStep, createUnfinishedHint } from '../../editor/nextSteps.ts';
import { formatFileCount, formatList, formatNumber, formatSize } from '../../words/localeFormats.ts';
import { toPlainLine } from '../../words/plainText.ts';
import { getOrOpenConnection } from '../connections/connectionOpener.ts';
import { requireOrcid } from '../connections/credentials.ts';
import type { CommandServices } from '../services.ts';
import { chooseTransfer } from '../transfers/transferPicker.ts';
import { confirmSubmission, type LeaveOutListener } from './submissionSummary.ts';
import { submitTransfers } from './submitTransfers.ts';
import { askTransferDetails, canTransferTo, confirmKnownDetails } from './transferDetailsPrompt.ts';
import { getDialogTitle } from '../../words/commandTitles.ts';

/** Resubmits files of an ended or unconfirmed transfer: all, some, or those that the message names. */
export async function submitAgain(services: CommandServices, node: TransferNode | undefined): Promise<void> {
  const transfer = await chooseTransfer(services, node, canSubmitAgain, l10n.t('Select the transfer to repeat'));
  if (!transfer) return;
  if (canSubmitAgain(transfer)) {
    await resubmitTransfer(services, transfer);
    return;
  }
  if (!transfer.startedElsewhere) throw createUnfinishedHint(transfer.key);
  const text = l10n.t('This transfer was started elsewhere, so its files are unknown here.');
  throw new CommandHint(text, createDetailsStep(transfer.key));
}

/**
 * Shows a transfer's summary, where the user can edit the transfer, and resubmits it. If the service knows which files
 * weren't transferred, or its message names some, first asks which files to submit. If the earlier transfer is unconfirmed, the new one replaces it.
 */
export async function resubmitTransfer(services: CommandServices, earlier: Transfer): Promise<void> {
  const files = await askFilesToSubmit(services, earlier);
  const order = files && (await prepareOrder(services, earlier, files));
  if (!order) return;
  let confirmed: TransferOrder | undefined = order;
  const outcome = await confirmUnchanged(services, earlier, order, ([remaining]) => (confirmed = remaining));
  if (outcome === 'cancel') return;
  if (outcome === 'back') confirmed = await editOrder(services, earlier, order);
  if (confirmed) await submitTransfers(services, [confirmed], getReplacedKey(earlier));
}

/** Resubmits some of a transfer's files as a new transfer, which nothing follows (D72: follow-ups). */
export async function resubmitFiles(
  services: CommandServices,
  earlier: Transfer,
  files: readonly TransferFile[],
): Promise<void> {
  const prepared = await prepareOrder(services, earlier, files);
  const order = prepared && omitFollowUp(prepared);
  if (order && (await confirmSubmission(services, [order])) === 'next') await submitTransfers(services, [order]);
}

function omitFollowUp({ instructions, ...order }: TransferOrder): TransferOrder {
  const others = omit(instructions ?? {}, thenField);
  return Object.keys(others).length === 0 ? order : { ...order, instructions: others };
}

/** Opens a transfer's connection. Returns an order with the present ORCID iD; undefined if canceled. */
async function prepareOrder(
  services: CommandServices,
  earlier: Transfer,
  files: readonly TransferFile[],
): Promise<TransferOrder | undefined> {
  const order = getRepeatableOrder(earlier);
  const session = await getOrOpenConnection(services, order.connectionId);
  const orcid = session && (await requireOrcid(services, order.connectionId));
  return orcid === undefined ? undefined : { ...order, orcid, files };
}

/** Asks for confirmation. Resolves to `back` if the order has to be edited, or the user wants to edit it. */
async function confirmUnchanged(
  services: CommandServices,
  earlier: Transfer,
  order: TransferOrder,
  onLeaveOut: LeaveOutListener,
): ReturnType<Step> {
  if (!canTransferTo(services, order)) return 'back';
  const confirm = (): ReturnType<Step> =>
    confirmOrder(services, earlier, order, { backLabel: l10n.t('Edit…'), onLeaveOut });
  return await confirmKnownDetails(services, order.destination, confirm);
}

/** Asks for confirmation, first looking up IDs that may have crashed the server (D37: crashing file ids). */
async function confirmOrder(
  services: CommandServices,
  earlier: Transfer,
  order: TransferOrder,
  options: { readonly backLabel: string; readonly onLeaveOut: LeaveOutListener },
): ReturnType<Step> {
  const title = l10n.t('Checking the IDs of {0}', formatFileCount(order.files.length));
  const uncheckedIds = mayHaveStoppedServer(earlier)
    ? await withProgress(title, (signal) => services.metadataFlow.findUncheckedIds(order, signal))
    : [];
  return await confirmSubmission(services, [order], { replacedKey: getReplacedKey(earlier), uncheckedIds, ...options });
}

/** Asks for files, details (by default of an earlier order) and confirmation. Undefined if canceled. */
async function editOrder(
  services: CommandServices,
  earlier: Transfer,
  given: TransferOrder,
): Promise<TransferOrder | undefined> {
  const { connectionId, orcid, source, folder } = given;
  // The destination step lists the databases of the active connection.
  if (!(await getOrOpenConnection(services, connectionId, { mustBeActive: true }))) return undefined;
  let { files } = given;
  let order: TransferOrder | undefined;
  const isConfirmed = await askTransferDetails(services, [source], {
    connectionId,
    title: getDialogTitle('dataTransfer.submitAgain'),
    firstStep: async (position) =>
      toStepResult(await askFiles(position, earlier, files), (selected) => (files = selected)),
    earlier: given,
    confirm: async (details) => {
      order = { connectionId, orcid, source, files, ...details, ...(folder !== undefined && { folder }) };
      const onLeaveOut: LeaveOutListener = ([remaining]) => (order = remaining);
      return await confirmOrder(services, earlier, order, { backLabel: l10n.t('Back'), onLeaveOut });
    },
  });
  return isConfirmed ? order : undefined;
}

/** Returns a transfer's key if the transfer is unconfirmed, so that the new one replaces it; otherwise, undefined. */
function getReplacedKey({ state, key }: Transfer): string | undefined {
  return state === 'notConfirmed' ? key : undefined;
}

async function askFiles(
  position: StepPosition,
  { order }: Transfer,
  selected: readonly TransferFile[],
): Promise<InputResult<readonly TransferFile[]>> {
  return await pickSeveral(position, {
    placeholder: l10n.t('Select the files to transfer'),
    choices: order.files.map(createFileChoice),
    selected,
  });
}

/**
 * Returns all of a transfer's files. If the service knows which ones weren't transferred, or its message names some, asks
 * which ones to submit. Returns undefined if the user cancels.
 */
async function askFilesToSubmit(
  services: CommandServices,
  transfer: Transfer,
): Promise<readonly TransferFile[] | undefined> {
  const { order, status } = transfer;
  const { files } = order;
  if (mayHaveUntransferred(transfer) && !(await getOrOpenConnection(services, order.connectionId))) return undefined;
  const untransferred = await findUntransferred(services, transfer);
  if (untransferred === 'canceled') return undefined;
  const named = findNamedFiles(status?.message ?? '', files);
  const parts = [
    ...(untransferred ? [createUntransferredChoice(untransferred)] : []),
    ...(named.length > 0 && named.length < files.length ? [createNamedChoice(named)] : []),
  ];
  if (parts.length === 0) return files;
  const answer = await pickOne<readonly TransferFile[]>(createSingleStep(getDialogTitle('dataTransfer.submitAgain')), {
    placeholder: l10n.t('Select what to transfer to {0}', toPlainLine(order.destination)),
    choices: [{ label: l10n.t('All files ({0})', formatNumber(files.length)), value: files }, ...parts],
  });
  return typeof answer === 'string' ? undefined : answer.value;
}

async function findUntransferred(
  { fileStateFlow }: CommandServices,
  transfer: Transfer,
): Promise<readonly TransferFile[] | 'canceled' | undefined> {
  const title = l10n.t('Finding out which files were transferred');
  return await withLateProgress(title, async (signal) => {
    const found = await fileStateFlow.findUntransferred(transfer, signal);
    return signal.aborted ? 'canceled' : found;
  });
}

function createUntransferredChoice(value: readonly TransferFile[]): Choice<readonly TransferFile[]> {
  return {
    label: l10n.t('Only files that were not transferred ({0})', formatNumber(value.length)),
    detail: l10n.t('Those that failed, and those that were not begun or stopped'),
    value,
  };
}

function createNamedChoice(value: readonly TransferFile[]): Choice<readonly TransferFile[]> {
  return {
    label: l10n.t('Only files named in the server message ({0})', formatNumber(value.length)),
    detail: toPlainLine(formatList(value.map(({ name }) => name))),
    value,
  };
}

function createFileChoice(value: TransferFile): Choice<TransferFile> {
  const { name, sizeBytes } = value;
  return { label: toPlainLine(name), ...(sizeBytes !== undefined && { description: formatSize(sizeBytes) }), value };
}
