import { l10n, Uri } from 'vscode';
import { CommandHint, runCommand } from '../../editor/commandBoundary.ts';
import type { TransferNode } from '../../editor/contributions.ts';
import type { StoredReport } from '../../editor/verificationHistory.ts';
import type { CommandServices } from '../services.ts';
import { resubmitFiles } from '../submission/resubmission.ts';

/** Shows the last verification report on a transfer or, without a row, the newest report. */
export async function showVerificationReport(services: CommandServices, node: TransferNode | undefined): Promise<void> {
  const report = await services.verificationHistory.getReport(node?.key);
  if (report) await showReport(services, report);
  else throw createHint(l10n.t('There is no verification report. Verify the files.'));
}

/**
 * Transfers the missing or changed files again that the last verification of a transfer found, the one in a tab or,
 * without either, the newest one.
 */
export async function resendFiles(services: CommandServices, given: TransferNode | Uri | undefined): Promise<void> {
  if (given instanceof Uri) {
    const result = services.documents.getResult('verification', given);
    if (!result) throw createReportHint();
    await result.run();
    return;
  }
  const report = await services.verificationHistory.getReport(given?.key);
  if (!report) throw createHint(nothingToResend());
  await resend(services, report);
}

/** Shows a report in a tab. */
export async function showReport(services: CommandServices, report: StoredReport): Promise<void> {
  const file = `${l10n.t('Transferred Files')}.txt`;
  const identity = `${report.key ?? ''} ${Date.now()}`;
  await services.documents.showResult(
    { kind: 'verification', file, identity, run: () => resend(services, report) },
    report.text,
  );
}

/** Transfers the missing or changed files of a report again. */
export async function resend(services: CommandServices, { key = '', resend: ids }: StoredReport): Promise<void> {
  await services.transferFlow.loadFinished();
  const transfer = services.transferStore.get(key);
  if (!transfer) throw createRemovedHint();
  const missing = new Set(ids);
  const files = transfer.order.files.filter(({ id }) => missing.has(id));
  if (files.length === 0) throw createHint(nothingToResend());
  await resubmitFiles(services, transfer, files);
}

const nothingToResend = (): string =>
  l10n.t('The last verification found no missing or changed files to transfer again.');

function createReportHint(): CommandHint {
  const show = {
    label: l10n.t('Show Verification Report'),
    run: () => runCommand('dataTransfer.showVerificationReport'),
  };
  return new CommandHint(l10n.t('This report is no longer available. Show the last report again.'), show);
}

/** Creates the hint for a report on a transfer that was removed, or that was never in the history. */
function createRemovedHint(): CommandHint {
  const restore = {
    label: l10n.t('Restore Removed Transfers…'),
    run: () => runCommand('dataTransfer.restoreRemovedTransfers'),
  };
  const text = l10n.t("These files can't be transferred again because their transfer isn't in the history.");
  return new CommandHint(text, restore);
}

function createHint(text: string): CommandHint {
  const verify = {
    label: l10n.t('Verify Transferred Files…'),
    run: () => runCommand('dataTransfer.verifyLandedFiles'),
  };
  return new CommandHint(text, verify);
}
