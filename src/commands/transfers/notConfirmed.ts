import { l10n } from 'vscode';
import type { Transfer } from '../../core/model/transfer.ts';
import { CommandFailure } from '../../host/commandBoundary.ts';
import type { TransferNode } from '../../host/contributions.ts';
import { alone } from '../../host/quickInput.ts';
import { filesText, plural, transferTitle } from '../../host/words.ts';
import { chosenTransfer } from './askTransfer.ts';
import { askTransferId, type AskIdParts, type FoundById } from './askTransferId.ts';
import { sessionOf } from '../connections/connections.ts';
import { submitLike, type SubmitAgainParts } from '../submission/submitAgain.ts';

/** What these commands need. */
export interface NotConfirmedParts extends AskIdParts, SubmitAgainParts {}

/** A transfer that was not confirmed did start (D12): asks for the id under which it runs, and watches it from then on. */
export async function transferDidStart(parts: NotConfirmedParts, node: TransferNode | undefined): Promise<void> {
  const transfer = await unsettled(parts, node, l10n.t('Select the transfer that did start'));
  const session = transfer && (await sessionOf(parts, transfer.order.connectionId, false));
  if (!session) return;
  const { adoptFlow, notices } = parts;
  const prompt = l10n.t(
    'The id of the transfer. At the destination its files arrive in a folder that is called dts- and then the id.',
  );
  const position = alone(transferTitle(transfer));
  const found = await askTransferId(parts, session.connection.id, position, prompt, refuseKnown);
  if (found?.kind !== 'told' || !(await isTheOne(parts, transfer, found))) return;
  await adoptFlow.confirm(transfer.key, found.id, found.status);
  notices.done(l10n.t('The transfer is watched now.'));
}

/** A transfer that was not confirmed did not start (D12): submits it again, after asking once. */
export async function transferDidNotStart(parts: NotConfirmedParts, node: TransferNode | undefined): Promise<void> {
  const transfer = await unsettled(parts, node, l10n.t('Select the transfer that did not start'));
  if (transfer) await submitLike(parts, transfer);
}

async function unsettled(
  parts: NotConfirmedParts,
  node: TransferNode | undefined,
  placeholder: string,
): Promise<Transfer | undefined> {
  const { transferStore } = parts;
  const transfer = await chosenTransfer(parts, node, () => transferStore.notConfirmed(), placeholder);
  if (transfer && transfer.state !== 'notConfirmed') {
    throw new CommandFailure(l10n.t('It is known how the transfer of {0} stands.', transferTitle(transfer)));
  }
  return transfer;
}

function refuseKnown(found: FoundById): string | undefined {
  if (found.kind === 'told') return undefined;
  return l10n.t('This is the id of another transfer: {0}', transferTitle(found.transfer));
}

/**
 * Servers drop files without a word, so another count need not be another transfer; the person decides. A doubtful
 * count says nothing (D11).
 */
async function isTheOne(
  { notices }: NotConfirmedParts,
  { order }: Transfer,
  { status }: Extract<FoundById, { kind: 'told' }>,
): Promise<boolean> {
  const { fileCount, doubtful } = status;
  if (fileCount === undefined || doubtful || fileCount === order.files.length) return true;
  const question = l10n.t('The service counts {0} under this id. Is it this transfer?', filesText(fileCount));
  const detail = plural(order.files.length, '{0} file was asked for.', '{0} files were asked for.');
  return await notices.confirm(question, detail, l10n.t('It Is'));
}
