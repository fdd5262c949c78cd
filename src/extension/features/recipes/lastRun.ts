import { l10n } from 'vscode';
import type { OpenRecipe } from '../../../core/search/recipeRun.ts';
import type { Transfer } from '../../../core/model/transferModel.ts';
import { CommandHint, createCommandAction } from '../../editor/commandBoundary.ts';
import { getDialogTitle } from '../../words/commandTitles.ts';
import { toPlainLine } from '../../words/plainText.ts';
import { describeLock } from '../../words/recipeWords.ts';
import { cite } from '../citations/cite.ts';
import type { CommandServices } from '../services.ts';
import { verifyTransferredFiles } from '../verification/verifyTransferredFiles.ts';
import { openRecipe, type RecipeArgument } from './recipeDocument.ts';

/** Verifies the files that a recipe's last run transferred. */
export async function verifyRecipe(services: CommandServices, argument: RecipeArgument | undefined): Promise<void> {
  const transfer = await findLastRun(services, argument, getDialogTitle('dataTransfer.verifyLandedFiles'));
  if (transfer) await verifyTransferredFiles(services, { kind: 'transfer', key: transfer.key });
}

/** Cites the files that a recipe's last run transferred. */
export async function citeRecipe(services: CommandServices, argument: RecipeArgument | undefined): Promise<void> {
  const transfer = await findLastRun(services, argument, getDialogTitle('dataTransfer.cite'));
  if (transfer) await cite(services, { kind: 'transfer', key: transfer.key }, undefined);
}

/**
 * Returns the transfer that a recipe's lock refers to. Throws a {@link CommandHint} if there is no usable lock, or if
 * the transfer is unknown. Returns undefined if the user cancels.
 */
async function findLastRun(
  { transferFlow, transferStore }: CommandServices,
  argument: RecipeArgument | undefined,
  title: string,
): Promise<Transfer | undefined> {
  const opened = await openRecipe(argument, title);
  if (!opened) return undefined;
  const id = getTransferId(opened);
  await transferFlow.loadFinished();
  const transfer = transferStore.getAll().find((one) => one.id === id);
  if (transfer) return transfer;
  const track = createCommandAction('dataTransfer.checkTransferById');
  throw new CommandHint(
    l10n.t("The last run's transfer ({0}) isn't in this machine's history.", toPlainLine(id)),
    track,
  );
}

function getTransferId({ lock }: OpenRecipe): string {
  if (!('lock' in lock)) throw new CommandHint(describeLock(lock, undefined).join(' '));
  return lock.lock.transfer.id;
}
