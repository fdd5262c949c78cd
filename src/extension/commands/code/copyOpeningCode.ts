import { realpath } from 'node:fs/promises';
import { relative, sep } from 'node:path';
import { l10n } from 'vscode';
import { writeOpeningCode, type OpenedFiles } from '../../../core/code/writeOpeningCode.ts';
import { mapConcurrently } from '../../../core/util/mapConcurrently.ts';
import { wasIntact, type PastVerification } from '../../../core/verification/pastVerification.ts';
import { findTransferredFile, listTransferredFiles } from '../../../core/verification/transferredFiles.ts';
import type { TransferredFolder } from '../../../core/verification/transferredFolderSearch.ts';
import { CommandHint } from '../../editor/commandBoundary.ts';
import type { TransferNode } from '../../editor/contributions.ts';
import { createSingleStep, pickOne } from '../../editor/quickInput.ts';
import type { CommandServices } from '../services.ts';
import { chooseTransfer } from '../transfers/transferPicker.ts';
import { findTransferredFiles } from '../verification/transferredFolders.ts';
import { createDeliveryPick, deliverCode } from './codeDelivery.ts';

/** Without a list of files within this time, the command fails. */
const listLimitMs = 10_000;

const maxParallel = 16;

/**
 * Writes Python code that opens the files of a transfer by their formats, and copies or inserts it. After a
 * verification, the code lists only the files that were intact.
 */
export async function copyOpeningCode(services: CommandServices, node: TransferNode | undefined): Promise<void> {
  if (!node) await services.transferFlow.loadFinished();
  const placeholder = l10n.t('Select the transfer whose files to open');
  const transfer = await chooseTransfer(services, node, ({ id }) => id !== undefined, placeholder);
  const folder = transfer && (await findTransferredFiles(services, transfer));
  if (!folder) return;
  const files = await findOpenedFiles(folder, await services.verificationHistory.get(transfer.key));
  if (files.paths.length === 0) throw new CommandHint(l10n.t('This transfer has no intact files to open.'));
  const text = writeOpeningCode(files);
  const delivery = createDeliveryPick();
  const answer = await pickOne(createSingleStep(l10n.t('Copy Code to Open Files')), delivery);
  if (typeof answer === 'string') return;
  await deliverCode(services.notices, answer.value, { text, cellText: text, cellLanguage: 'python' });
}

async function findOpenedFiles(
  folder: TransferredFolder,
  verification: PastVerification | undefined,
): Promise<OpenedFiles> {
  const listed = await listTransferredFiles(folder, AbortSignal.timeout(listLimitMs));
  const intact = verification ? listed.filter(({ path }) => wasIntact(verification, path)) : listed;
  const found = await mapConcurrently(intact, maxParallel, (file) => findTransferredFile(folder, file));
  const root = await realpath(folder.folder);
  const paths = found.filter((path) => path !== undefined).map((path) => relative(root, path).split(sep).join('/'));
  return { folder: root, paths, verifiedAt: verification?.at };
}
