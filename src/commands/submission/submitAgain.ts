import { l10n } from 'vscode';
import type { MetadataFlow } from '../../core/flows/metadataFlow.ts';
import { mayHaveStoppedServer } from '../../core/model/lostSubmission.ts';
import { filesNamedIn } from '../../core/model/namedFiles.ts';
import { canSubmitAgain, type Transfer, type TransferFile, type TransferOrder } from '../../core/model/transfer.ts';
import { CommandFailure } from '../../host/commandBoundary.ts';
import type { TransferNode } from '../../host/contributions.ts';
import {
  after,
  alone,
  pickOne,
  pickSeveral,
  type Choice,
  type Step,
  type StepPosition,
} from '../../host/quickInput.ts';
import { filesText, listText, plainLine, sizeText } from '../../host/words.ts';
import { chosenTransfer } from '../transfers/askTransfer.ts';
import { sessionOf, type ConnectionParts } from '../connections/connections.ts';
import { requireOrcid } from '../connections/setOrcid.ts';
import { checkIds, confirmSummary, learnNames, submitOrders, type SubmissionParts } from './submission.ts';
import { askTransferDetails, type DetailsParts } from './transferDetails.ts';

/** Dependencies of the command. */
export interface SubmitAgainParts extends ConnectionParts, DetailsParts, SubmissionParts {
  readonly metadataFlow: MetadataFlow;
}

/** Submits what a transfer that ended, or was not confirmed, was to carry: all of it, changed, or what is named as missing. */
export async function submitAgain(parts: SubmitAgainParts, node: TransferNode | undefined): Promise<void> {
  const list = (): readonly Transfer[] => parts.transferStore.all().filter(canSubmitAgain);
  const transfer = await chosenTransfer(parts, node, list, l10n.t('Select the transfer to submit again'));
  if (!transfer) return;
  if (transfer.startedElsewhere) {
    throw new CommandFailure(l10n.t('This transfer was started elsewhere: which files it has is not known here.'));
  }
  if (!canSubmitAgain(transfer)) throw new CommandFailure(l10n.t('This transfer is still running.'));
  await submitLike(parts, transfer);
}

/** Asks what of a transfer to submit again, sums up, and submits; one that was not confirmed is given up for the new one. */
export async function submitLike(parts: SubmitAgainParts, earlier: Transfer): Promise<void> {
  const way = await askWay(earlier);
  if (!way) return;
  const { connectionId } = earlier.order;
  // The steps list the databases of the connection that is shown.
  const session = await sessionOf(parts, connectionId, way === 'changed');
  const orcid = session && (await requireOrcid(parts));
  if (orcid === undefined) return;
  const replacedKey = earlier.state === 'notConfirmed' ? earlier.key : undefined;
  const confirm = async (order: TransferOrder, canGoBack: boolean): ReturnType<Step> => {
    await learnNames(parts, order);
    const uncheckedIds = mayHaveStoppedServer(earlier) ? await checkIds(parts, order) : [];
    return await confirmSummary(parts, [order], { replacedKey, canGoBack, uncheckedIds });
  };
  const given = { ...earlier.order, orcid };
  const order = way === 'changed' ? await changedOrder(parts, given, confirm) : { ...given, files: way };
  if (!order || (way !== 'changed' && (await confirm(order, false)) !== 'next')) return;
  await submitOrders(parts, [order], replacedKey);
}

type Way = 'changed' | readonly TransferFile[];

async function askWay({ order, status }: Transfer): Promise<Way | undefined> {
  const { files } = order;
  const named = filesNamedIn(status?.message ?? '', files);
  const choices: Choice<Way>[] = [
    { label: l10n.t('All of it again: {0}', filesText(files.length)), value: files },
    { label: l10n.t('Change before submitting…'), value: 'changed' },
  ];
  if (named.length > 0 && named.length < files.length) {
    choices.push({
      label: l10n.t('Only what the service names in its message: {0}', filesText(named.length)),
      detail: plainLine(listText(named.map(({ name }) => name))),
      value: named,
    });
  }
  const placeholder = l10n.t('Select what to submit to {0}', plainLine(order.destination));
  const answer = await pickOne(alone(l10n.t('Submit Again')), { placeholder, choices });
  return typeof answer === 'string' ? undefined : answer.value;
}

/** The steps of Transfer Files with what was said then. */
async function changedOrder(
  parts: SubmitAgainParts,
  earlier: TransferOrder,
  confirm: (order: TransferOrder, canGoBack: boolean) => ReturnType<Step>,
): Promise<TransferOrder | undefined> {
  const { connectionId, orcid, source } = earlier;
  let { files } = earlier;
  let order: TransferOrder | undefined;
  const first = async (position: StepPosition): Promise<'next' | 'back' | 'cancel'> => {
    const answer = await pickSeveral(position, {
      placeholder: l10n.t('Select the files to transfer'),
      choices: earlier.files.map(fileChoice),
      selected: files,
    });
    return after(answer, (chosen) => (files = chosen));
  };
  const isWanted = await askTransferDetails(parts, [source], {
    title: l10n.t('Submit Again'),
    first,
    earlier,
    confirm: async (details) => {
      order = { connectionId, orcid, source, files, ...details };
      return await confirm(order, true);
    },
  });
  return isWanted ? order : undefined;
}

function fileChoice(value: TransferFile): Choice<TransferFile> {
  const { name, sizeBytes } = value;
  return { label: plainLine(name), ...(sizeBytes !== undefined && { description: sizeText(sizeBytes) }), value };
}
