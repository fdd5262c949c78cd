import { randomUUID } from 'node:crypto';
import { l10n, Uri } from 'vscode';
import { hasEnded, type Transfer, type TransferFile } from '../../../core/model/transferModel.ts';
import { systemClock as clock } from '../../../core/util/clock.ts';
import { getTransferFolderName } from '../../../core/util/transferFolderNames.ts';
import { canMatchTransfer, findFilesToResend, findUnlistedFiles } from '../../../core/verification/manifestMatch.ts';
import { toPastVerification } from '../../../core/verification/pastVerification.ts';
import { ManifestError, readManifest, type TransferManifest } from '../../../core/verification/transferManifest.ts';
import { isVerified, verifyTransfer, type VerificationReport } from '../../../core/verification/verification.ts';
import { CommandFailure, CommandHint, createCommandAction, runCommand } from '../../editor/commandBoundary.ts';
import type { TransferNode } from '../../editor/contributions.ts';
import { pickFile } from '../../editor/fileDialogs.ts';
import { withProgress } from '../../editor/notifications.ts';
import type { StoredReport } from '../../editor/stateFiles.ts';
import { createUnfinishedHint } from '../../editor/nextSteps.ts';
import { getCommandTitle, getDialogTitle } from '../../words/commandTitles.ts';
import { toPlainLine } from '../../words/plainText.ts';
import {
  createReportTable,
  describeCheckProgress,
  describeForeignManifest,
  describeLostReport,
  describeManifestError,
  describeVerification,
  formatReport,
} from '../../words/verificationWords.ts';
import type { CommandServices } from '../services.ts';
import { resubmitFiles } from '../submission/resubmission.ts';
import { pickTransfer } from '../transfers/transferPicker.ts';
import { findTransferredFiles, getLocalPath } from './transferredFolders.ts';

/** The manifest to verify files against, and its transfer if known. */
interface VerificationTarget {
  readonly manifest: string;
  readonly transfer?: Transfer;
}

/** Result of a verification. */
interface VerificationResult {
  readonly report: VerificationReport;
  readonly transfer?: Transfer;
  /** Files of the transfer that the manifest doesn't list. */
  readonly unlisted: readonly TransferFile[];
}

/** Verifies the files of the given transfer or manifest, or of one that the user picks. Reports the result. */
export async function verifyTransferredFiles(
  services: CommandServices,
  given: TransferNode | Uri | undefined,
): Promise<void> {
  const target = given instanceof Uri ? { manifest: getLocalPath(given) } : await getTarget(services, given?.key);
  const result = target && (await verify(services, target));
  if (!result) return;
  const { transfer, report, unlisted } = result;
  const at = clock.now();
  const facts = { notNamed: unlisted, at, ...(transfer && { transfer }) };
  const files = transfer ? findFilesToResend(report, transfer.order.files) : [];
  const stored = {
    ...(transfer ? { key: transfer.key } : { id: randomUUID() }),
    text: formatReport(report, facts),
    table: createReportTable(report, facts),
    resend: files.map(({ id }) => id),
  };
  await services.verificationHistory.recordReport(stored);
  const past = toPastVerification(report, unlisted.length, at);
  if (transfer) await services.verificationHistory.record(transfer.key, past);
  await reportResult(services, result, stored);
}

async function getTarget(
  services: CommandServices,
  nodeKey: string | undefined,
): Promise<VerificationTarget | undefined> {
  const key = nodeKey ?? (await askTarget(services));
  if (key === undefined) return undefined;
  if (key === manifestFileChoice) {
    const file = await pickFile(l10n.t('Select a transfer manifest'), 'JSON', ['json']);
    return file && { manifest: getLocalPath(file) };
  }
  const transfer = services.transferStore.get(key);
  if (!transfer) return undefined;
  if (!hasEnded(transfer.state)) {
    throw createUnfinishedHint(transfer.key);
  }
  const found = await findTransferredFiles(services, transfer);
  if (!found) return undefined;
  const { folder, manifest } = found;
  if (manifest === undefined) throw new CommandFailure(l10n.t('No manifest found in {0}.', toPlainLine(folder)));
  return { manifest, transfer };
}

/** Value of the choice that selects a manifest file instead of a transfer. */
const manifestFileChoice = '';

async function askTarget(services: CommandServices): Promise<string | undefined> {
  await services.transferFlow.loadFinished();
  const list = (): readonly Transfer[] => services.transferStore.getFinished().filter(({ id }) => id !== undefined);
  const other = { label: l10n.t('Select a manifest file…'), value: manifestFileChoice };
  return await pickTransfer(services, list, l10n.t('Select the transfer to verify'), [other]);
}

async function verify(services: CommandServices, target: VerificationTarget): Promise<VerificationResult | undefined> {
  return await withProgress(l10n.t('Verifying transferred files'), async (signal, report) => {
    try {
      const manifest = await readManifest(target.manifest, signal);
      const transfer = target.transfer ?? (await findTransfer(services, manifest));
      if (transfer && !canMatchTransfer(manifest, transfer)) {
        throw new CommandFailure(describeForeignManifest(target.manifest));
      }
      const onProgress = (progress: Parameters<typeof describeCheckProgress>[0]): void =>
        report(describeCheckProgress(progress));
      const verification = await verifyTransfer(manifest, { clock, signal, onProgress });
      const unlisted = transfer ? findUnlistedFiles(manifest, transfer.order.files) : [];
      return { report: verification, unlisted, ...(transfer && { transfer }) };
    } catch (error) {
      if (signal.aborted) return undefined;
      if (error instanceof ManifestError) throw new CommandFailure(describeManifestError(error, target.manifest));
      throw error;
    }
  });
}

/** Finds the ended transfer that a manifest belongs to, by the manifest's ID or by the name of its folder. */
async function findTransfer(services: CommandServices, manifest: TransferManifest): Promise<Transfer | undefined> {
  await services.transferFlow.loadFinished();
  const folder = manifest.file.split(/[\\/]/).at(-2);
  return services.transferStore
    .getFinished()
    .filter(({ id }) => id !== undefined && (id === manifest.id || getTransferFolderName(id) === folder))
    .find((transfer) => canMatchTransfer(manifest, transfer));
}

/**
 * Reports the result. Offers to show the report and, if files are missing or changed, to transfer them again. The
 * latter offer remains after the report is shown.
 */
async function reportResult(
  services: CommandServices,
  { report, unlisted }: VerificationResult,
  stored: StoredReport,
): Promise<void> {
  const { notifications } = services;
  const kind = isVerified(report, unlisted.length) ? 'info' : 'warning';
  const text = describeVerification(report, unlisted.length);
  const showLabel = l10n.t('Show Report');
  const resendLabel = getCommandTitle('dataTransfer.resendFiles');
  const resendLabels = stored.resend.length > 0 ? [resendLabel] : [];
  let choice = await notifications.offer(kind, text, showLabel, ...resendLabels);
  if (choice === showLabel) {
    await showReport(services, stored);
    if (resendLabels.length > 0) choice = await notifications.offer(kind, text, ...resendLabels);
  }
  if (choice === resendLabel) await resend(services, stored);
}

/** Shows the last verification report on a transfer or, without a row, the newest report. */
export async function showVerificationReport(services: CommandServices, node: TransferNode | undefined): Promise<void> {
  const report = await services.verificationHistory.getReport(node?.key);
  if (report) await showReport(services, report);
  else throw createHint(l10n.t('There is no verification report. Verify the files.'));
}

/** Resends missing or changed files of the last verification of a transfer, of the one in a tab, or of the newest. */
export async function resendFiles(services: CommandServices, given: TransferNode | Uri | undefined): Promise<void> {
  // The editor passes the address of the active tab, which is a document only for reports of earlier versions.
  if (given instanceof Uri && given.scheme === 'data-transfer') {
    const result = services.documents.getResult(given);
    if (!result) throw createReportHint();
    await result.run();
    return;
  }
  const key = (given instanceof Uri ? undefined : given?.key) ?? services.verificationPanels.activeKey;
  const report = await services.verificationHistory.getReport(key);
  if (!report) throw createHint(key === undefined ? nothingToResend() : describeLostReport());
  await resend(services, report);
}

async function showReport(services: CommandServices, report: StoredReport): Promise<void> {
  if (report.table) {
    await services.verificationPanels.show(report);
    return;
  }
  const file = `${l10n.t('Transferred Files')}.txt`;
  const identity = `${report.key ?? ''} ${Date.now()}`;
  await services.documents.showResult({ file, identity, run: () => resend(services, report) }, report.text);
}

async function resend(services: CommandServices, { key = '', resend: ids }: StoredReport): Promise<void> {
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
    label: getDialogTitle('dataTransfer.showVerificationReport'),
    run: () => runCommand('dataTransfer.showVerificationReport'),
  };
  return new CommandHint(l10n.t('This report is no longer available. Show the last report again.'), show);
}

/** Creates the hint for a report on a transfer that was removed, or that was never in the history. */
function createRemovedHint(): CommandHint {
  const restore = createCommandAction('dataTransfer.restoreRemovedTransfers');
  const text = l10n.t("These files can't be transferred again because their transfer isn't in the history.");
  return new CommandHint(text, restore);
}

function createHint(text: string): CommandHint {
  const verify = createCommandAction('dataTransfer.verifyLandedFiles');
  return new CommandHint(text, verify);
}
