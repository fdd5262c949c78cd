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
    await services.documents.getResult('verification', given)?.run();
    return;
  }
  const report = await services.verificationHistory.getReport(given?.key);
  if (!report || report.resend.length === 0)
    throw createHint(l10n.t('The last verification found no missing or changed files to transfer again.'));
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
  const missing = new Set(ids);
  const files = transfer?.order.files.filter(({ id }) => missing.has(id)) ?? [];
  if (!transfer || files.length === 0)
    throw createHint(l10n.t('The last verification found no missing or changed files to transfer again.'));
  await resubmitFiles(services, transfer, files);
}

function createHint(text: string): CommandHint {
  const verify = {
    label: l10n.t('Verify Transferred Files…'),
    run: () => runCommand('dataTransfer.verifyLandedFiles'),
  };
  return new CommandHint(text, verify);
}
