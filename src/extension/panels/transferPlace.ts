import type { Transfer } from '../../core/model/transferModel.ts';
import { hasTransferredFiles } from '../../core/model/transferOutcome.ts';
import { getTransferFolderName } from '../../core/util/transferFolderNames.ts';
import type { TransferredFolder } from '../../core/verification/transferredFolder.ts';
import { findUntransferredFiles } from '../../core/verification/manifestMatch.ts';
import { listRevealActions } from '../editor/fileDialogs.ts';
import type { VerificationHistory } from '../editor/verificationHistory.ts';
import { describePastVerification, describeUntransferredFiles } from '../words/verificationWords.ts';
import type { PagePlace } from '../../webviews/messages/transferMessages.ts';

/** Dependencies of {@link findPlace}. */
export interface TransferPlaceDependencies {
  /** Finds the folder on this machine that contains a transfer's files. Never prompts. */
  locateFiles(transfer: Transfer): Promise<TransferredFolder | undefined>;
  readonly verificationHistory: Pick<VerificationHistory, 'get' | 'findReport' | 'onDidChange'>;
}

/**
 * Returns the location of a transfer's files, their last verification, and the files that weren't transferred.
 * Returns undefined if the transfer is unknown, didn't succeed or wrote no files.
 */
export async function findPlace(
  transfer: Transfer | undefined,
  now: number,
  { locateFiles, verificationHistory }: TransferPlaceDependencies,
): Promise<PagePlace | undefined> {
  if (transfer?.id === undefined || !hasTransferredFiles(transfer)) return undefined;
  const [found, past, report] = await Promise.all([
    locateFiles(transfer),
    verificationHistory.get(transfer.key),
    verificationHistory.findReport(transfer.key),
  ]);
  const missing = await findUntransferredFiles(transfer, found);
  const folder = found?.folder ?? getTransferFolderName(transfer.id);
  const [reveal] = found ? listRevealActions(folder) : [];
  return {
    folder,
    ...(reveal && { revealLabel: reveal.label }),
    ...(past && { verified: describePastVerification(past, now) }),
    ...(report && { hasReport: true, canResend: report.canResend }),
    ...(missing.length > 0 && { missing: describeUntransferredFiles(missing) }),
  };
}
