import { l10n } from 'vscode';
import { writeOpeningCode, type OpenedFiles } from '../../../core/code/writeCode.ts';
import { settlesWithin, systemClock } from '../../../core/util/clock.ts';
import { findOpenableFiles } from '../../../core/verification/transferredFiles.ts';
import type { PastVerification } from '../../../core/verification/pastVerification.ts';
import type { TransferredFolder } from '../../../core/verification/transferredFolder.ts';
import { CommandFailure, CommandHint } from '../../editor/commandBoundary.ts';
import type { TransferNode } from '../../editor/contributions.ts';
import { chooseOne } from '../../editor/quickInput.ts';
import { formatNumber } from '../../words/localeFormats.ts';
import { toPlainLine } from '../../words/plainText.ts';
import type { CommandServices } from '../services.ts';
import { chooseTransferToOpen } from '../transfers/transferPicker.ts';
import { findTransferredFiles } from '../verification/transferredFolders.ts';
import { createDeliveryPick, deliverCode } from './codeDelivery.ts';
import { getDialogTitle } from '../../words/commandTitles.ts';

/** Maximum number of files that the code opens. */
const maxFiles = 1000;

/** Time limit in milliseconds for listing the files. If the limit is exceeded, the command fails. */
const listLimitMs = 10_000;

/**
 * Generates Python code that opens a transfer's files according to their formats, and copies or inserts the code. If
 * the transfer was verified, the code omits damaged files.
 */
export async function copyOpeningCode(services: CommandServices, node: TransferNode | undefined): Promise<void> {
  const transfer = await chooseTransferToOpen(services, node);
  const folder = transfer && (await findTransferredFiles(services, transfer));
  if (!folder) return;
  const files = await findOpenedFiles(folder, await services.verificationHistory.get(transfer.key));
  if (files.paths.length === 0) throw new CommandHint(l10n.t('This transfer has no intact files to open.'));
  await deliverOpeningCode(services, files);
}

async function deliverOpeningCode({ notifications }: CommandServices, files: OpenedFiles): Promise<void> {
  const text = writeOpeningCode(files);
  const delivery = createDeliveryPick(describeLimit(files));
  const answer = await chooseOne(getDialogTitle('dataTransfer.copyOpeningCode'), delivery);
  if (answer === undefined) return;
  await deliverCode(notifications, answer, { text, cellText: text, cellLanguage: 'python' });
}

function describeLimit({ omittedCount }: OpenedFiles): string | undefined {
  if (omittedCount === 0) return undefined;
  const [listed, all] = [maxFiles, maxFiles + omittedCount].map(formatNumber);
  return l10n.t('Select what to do with the code. It opens only the first {0} of {1} files.', listed ?? '', all ?? '');
}

function toFileVerification(past: PastVerification): OpenedFiles['verification'] {
  const { at, fileCount, intactCount, damaged, unverifiedCount = 0 } = past;
  const areIntact = damaged !== undefined || intactCount + unverifiedCount === fileCount;
  return { at, areIntact, ...(unverifiedCount > 0 && { unverifiedCount }) };
}

/**
 * Finds the files to open. Throws a {@link CommandFailure} if that takes too long, for example because the disk doesn't
 * respond.
 */
async function findOpenedFiles(folder: TransferredFolder, past: PastVerification | undefined): Promise<OpenedFiles> {
  const cancellation = new AbortController();
  const finding = findOpenableFiles(folder, past, { limit: maxFiles, signal: cancellation.signal });
  if (!(await settlesWithin(systemClock, listLimitMs, finding))) {
    cancellation.abort();
    throw new CommandFailure(l10n.t('Could not list the files in {0} within 10 seconds.', toPlainLine(folder.folder)));
  }
  return { ...(await finding), verification: past && toFileVerification(past) };
}
