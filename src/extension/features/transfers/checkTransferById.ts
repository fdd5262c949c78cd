import { env, l10n } from 'vscode';
import type { OpenConnection } from '../../../core/connections/openConnections.ts';
import type { LookupResult } from '../../../core/transfers/transferFlow.ts';
import type { Transfer, TransferOrder } from '../../../core/model/transferModel.ts';
import { parseUuid } from '../../../core/util/uuid.ts';
import { CommandHint } from '../../editor/commandBoundary.ts';
import type { TransferNode } from '../../editor/contributions.ts';
import type { Notifications } from '../../editor/notifications.ts';
import { askText, chooseOne, createSingleStep, type Choice, type StepPosition } from '../../editor/quickInput.ts';
import { createDetailsStep } from '../../editor/nextSteps.ts';
import { formatFileCount, plural } from '../../words/localeFormats.ts';
import { toPlainLine } from '../../words/plainText.ts';
import { describeReason } from '../../words/reasonWords.ts';
import { getTransferTitle } from '../../words/transferWords.ts';
import { getOrOpenConnection } from '../connections/connectionOpener.ts';
import { requireSession } from '../connections/connectionPicker.ts';
import { requireOrcid } from '../connections/credentials.ts';
import type { CommandServices } from '../services.ts';
import { resubmitTransfer } from '../submission/resubmission.ts';
import { chooseTransfer } from './transferPicker.ts';
import { getDialogTitle } from '../../words/commandTitles.ts';

/** Asks for an ID, and shows the page of its transfer, tracking it if it isn't in the list. */
export async function checkTransferById(services: CommandServices): Promise<void> {
  const title = getDialogTitle('dataTransfer.checkTransferById');
  const session = await askSession(services, title);
  if (!session) return;
  const { id: connectionId, name } = session.connection;
  const orcid = await requireOrcid(services, connectionId);
  if (orcid === undefined) return;
  const prompt = l10n.t('Transfer ID issued by {0}', toPlainLine(name));
  const found = await askTransferId(services, { connectionId, position: createSingleStep(title), prompt });
  if (found) await showFoundTransfer(services, connectionId, orcid, found);
}

/** Shows the page for a transfer that was looked up. Starts tracking the transfer if it isn't in the list yet. */
export async function showFoundTransfer(
  { trackFlow, notifications, transferPanels, views }: CommandServices,
  connectionId: string,
  orcid: string,
  found: FoundById,
): Promise<void> {
  const isKnown = found.kind === 'known';
  const { key } = isKnown ? found.transfer : await trackFlow.track(connectionId, orcid, found.id, found.status);
  notifications.showStatusMessage(
    isKnown ? l10n.t('This transfer is already in the list.') : l10n.t('Now tracking this transfer.'),
  );
  views.revealTransfer(key);
  transferPanels.show(key);
}

/** Returns the only open session. If there is more than one, asks which one to use. If there is none, opens one. */
async function askSession(services: CommandServices, title: string): Promise<OpenConnection | undefined> {
  const open = services.sessions.getAll();
  if (open.length < 2) return open[0] ?? (await requireSession(services));
  return await chooseOne(title, {
    placeholder: l10n.t('Select the service that the transfer belongs to'),
    choices: open.map(toSessionChoice),
  });
}

function toSessionChoice(session: OpenConnection): Choice<OpenConnection> {
  const { connection, service } = session;
  return { label: toPlainLine(connection.name), description: toPlainLine(service.name), value: session };
}

/** Asks for the ID of an unconfirmed transfer that did start, and starts tracking it. */
export async function markTransferStarted(services: CommandServices, node: TransferNode | undefined): Promise<void> {
  const { trackFlow, notifications } = services;
  const transfer = await chooseUnconfirmedTransfer(services, node, l10n.t('Select the transfer that started'));
  const session = transfer && (await getOrOpenConnection(services, transfer.order.connectionId));
  if (!session) return;
  const found = await askTransferId(services, {
    connectionId: session.connection.id,
    position: createSingleStep(getTransferTitle(transfer)),
    prompt: describeIdPlace(transfer.order),
    validate: refuseKnown,
  });
  if (found?.kind !== 'found' || !(await confirmSameTransfer(notifications, transfer, found))) return;
  await trackFlow.confirm(transfer.key, found.id, found.status);
  notifications.showStatusMessage(l10n.t('Now tracking this transfer.'));
}

function describeIdPlace({ folder }: TransferOrder): string {
  if (folder !== undefined)
    return l10n.t(
      'Transfer ID. In the folder {0}, the name of the file .part-… contains it or, after the end, the manifest.',
      toPlainLine(folder),
    );
  return l10n.t(
    "Transfer ID. At the destination, the transfer's files are in a folder whose name is dts- followed by this ID.",
  );
}

/** Resubmits an unconfirmed transfer that did not start. */
export async function markTransferNotStarted(services: CommandServices, node: TransferNode | undefined): Promise<void> {
  const placeholder = l10n.t("Select the transfer that didn't start");
  const transfer = await chooseUnconfirmedTransfer(services, node, placeholder);
  if (transfer) await resubmitTransfer(services, transfer);
}

async function chooseUnconfirmedTransfer(
  services: CommandServices,
  node: TransferNode | undefined,
  placeholder: string,
): Promise<Transfer | undefined> {
  const transfer = await chooseTransfer(services, node, ({ state }) => state === 'notConfirmed', placeholder);
  if (transfer && transfer.state !== 'notConfirmed') {
    const text = l10n.t('The status of the transfer of {0} is now known.', getTransferTitle(transfer));
    throw new CommandHint(text, createDetailsStep(transfer.key));
  }
  return transfer;
}

function refuseKnown(found: FoundById): string | undefined {
  if (found.kind === 'found') return undefined;
  return l10n.t('This ID belongs to another transfer: {0}', getTransferTitle(found.transfer));
}

/**
 * Asks for confirmation if the reported number of files differs from the requested number. The transfer may still be
 * the same one, because servers silently drop files. Ignores an implausible number (D11: check status identity).
 */
async function confirmSameTransfer(
  notifications: Notifications,
  { order }: Transfer,
  { status }: Extract<FoundById, { kind: 'found' }>,
): Promise<boolean> {
  const { fileCount, doubtful } = status;
  if (fileCount === undefined || doubtful || fileCount === order.files.length) return true;
  const question = l10n.t('The service reports {0} for this ID. Is this the right ID?', formatFileCount(fileCount));
  const detail = plural(order.files.length, '{0} file was requested.', '{0} files were requested.');
  return await notifications.confirm(question, detail, l10n.t('Yes'));
}

/** A transfer found by its ID, either on the service or in the list. */
type FoundById = Exclude<LookupResult, { kind: 'failed' }>;

/** Options for {@link askTransferId}. */
interface AskTransferIdOptions {
  readonly connectionId: string;
  readonly position: StepPosition;
  readonly prompt: string;
  /** Returns an error message if the transfer can't be accepted. */
  readonly validate?: (found: FoundById) => string | undefined;
}

/**
 * Asks for a transfer ID or a folder name (`dts-<id>`), and looks up the transfer before the input closes. Suggests an
 * ID from the clipboard. Returns undefined if the user cancels.
 */
async function askTransferId(
  services: CommandServices,
  { connectionId, position, prompt, validate }: AskTransferIdOptions,
): Promise<FoundById | undefined> {
  let found: FoundById | undefined;
  const answer = await askText(position, {
    prompt,
    placeholder: '123e4567-e89b-42d3-a456-426614174000',
    value: findTransferId(await env.clipboard.readText()) ?? '',
    validate: (text) => (findTransferId(text) === undefined ? l10n.t('Enter a valid transfer ID.') : undefined),
    check: async (text, signal) => {
      const result = await lookUpTransfer(services, connectionId, findTransferId(text) ?? '', signal);
      if (result.kind === 'failed') return l10n.t('Could not check this ID: {0}', describeReason(result.reason));
      found = result;
      return validate?.(result);
    },
  });
  return typeof answer === 'string' ? undefined : found;
}

/** Looks up a transfer here, otherwise on the service, and says so while the request waits. */
export async function lookUpTransfer(
  services: CommandServices,
  connectionId: string,
  id: string,
  signal: AbortSignal,
): Promise<LookupResult> {
  return await services.waitingRequests.run(l10n.t('Look up transfer {0}', id), (turn) =>
    services.trackFlow.lookUp(connectionId, id, AbortSignal.any([signal, turn.signal]), turn.observer),
  );
}

const maxPathLength = 4096;

/** Extracts the transfer ID from user input: an ID, a folder name or a path. Returns undefined if there is none. */
function findTransferId(text: string): string | undefined {
  if (text.length > maxPathLength) return undefined;
  const path = text.trim().replace(/[/\\]+$/, '');
  const name = path.split(/[/\\]/).at(-1) ?? '';
  return parseUuid(name.replace(/^dts-/i, ''));
}
