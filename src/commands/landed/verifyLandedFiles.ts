import { l10n, Uri } from 'vscode';
import type { MetadataFlow } from '../../core/flows/metadataFlow.ts';
import { checkLanded, type LandedReport } from '../../core/landed/landedCheck.ts';
import { ManifestFault, readManifest, type LandedManifest } from '../../core/landed/landedManifest.ts';
import { canBeManifestOf, filesNotNamed, filesToSendAgain } from '../../core/landed/landedTransfer.ts';
import { hasEnded, type Transfer, type TransferFile } from '../../core/model/transfer.ts';
import { systemClock as clock } from '../../core/util/clock.ts';
import { landingFolderOf } from '../../core/util/landedNames.ts';
import { CommandFailure } from '../../host/commandBoundary.ts';
import type { TransferNode } from '../../host/contributions.ts';
import type { Documents } from '../../host/documents.ts';
import { reportText } from '../../host/landedReport.ts';
import { checkProgressText, isAllWell, manifestFaultText, outcomeText } from '../../host/landedWords.ts';
import { pickFile } from '../../host/openDialogs.ts';
import { withProgress } from '../../host/progress.ts';
import { plainLine } from '../../host/words.ts';
import { askTransfer } from '../transfers/askTransfer.ts';
import { sessionOf, type ConnectionParts } from '../connections/connections.ts';
import { askLandedPlace, pathOf } from './landedPlace.ts';
import { confirmSummary, learnNames, submitOrders, type SubmissionParts } from '../submission/submission.ts';

/** What this command needs. */
export interface VerifyParts extends ConnectionParts, SubmissionParts {
  readonly documents: Documents;
  readonly metadataFlow: MetadataFlow;
}

/** A manifest to verify, and the transfer it is taken for where that is known. */
interface Subject {
  readonly manifest: string;
  readonly transfer?: Transfer;
}

/** What came of verifying. */
interface Verified {
  readonly report: LandedReport;
  readonly transfer?: Transfer;
  readonly notNamed: readonly TransferFile[];
}

/**
 * Holds what landed against its manifest and says what came of it: of a transfer, of a manifest of the editor's
 * explorer; from the palette it asks which.
 */
export async function verifyLandedFiles(parts: VerifyParts, given: TransferNode | Uri | undefined): Promise<void> {
  const subject = given instanceof Uri ? { manifest: pathOf(given) } : await subjectOf(parts, given?.key);
  const verified = subject && (await verify(parts, subject));
  if (verified) await tell(parts, verified);
}

async function subjectOf(parts: VerifyParts, given: string | undefined): Promise<Subject | undefined> {
  const key = given ?? (await ask(parts));
  if (key === undefined) return undefined;
  if (key === manifestFile) {
    const file = await pickFile(l10n.t('Select the manifest of a transfer'), 'JSON', ['json']);
    return file && { manifest: pathOf(file) };
  }
  const transfer = parts.transferStore.get(key);
  if (!transfer) return undefined;
  if (!hasEnded(transfer.state)) throw new CommandFailure(l10n.t('This transfer has not ended yet.'));
  const place = await askLandedPlace(parts, transfer);
  if (place && place.manifest === undefined) {
    throw new CommandFailure(l10n.t('There is no manifest in {0}.', plainLine(place.folder)));
  }
  return place?.manifest === undefined ? undefined : { manifest: place.manifest, transfer };
}

const manifestFile = '';

async function ask(parts: VerifyParts): Promise<string | undefined> {
  await parts.transferFlow.loadFinished();
  const list = (): readonly Transfer[] => parts.transferStore.finished().filter(({ id }) => id !== undefined);
  const other = { label: l10n.t('Select a manifest file…'), value: manifestFile };
  return await askTransfer(parts, list, l10n.t('Select the transfer whose files to verify'), [other]);
}

async function verify(parts: VerifyParts, subject: Subject): Promise<Verified | undefined> {
  return await withProgress(l10n.t('Verifying landed files'), async (signal, report) => {
    try {
      const manifest = await readManifest(subject.manifest, signal);
      const transfer = subject.transfer ?? (await transferOf(parts, manifest));
      if (transfer && !canBeManifestOf(manifest, transfer)) {
        throw new CommandFailure(l10n.t('{0} is the manifest of another transfer.', plainLine(subject.manifest)));
      }
      const checked = await checkLanded(manifest, {
        clock,
        signal,
        onProgress: (progress) => report(checkProgressText(progress)),
      });
      const notNamed = transfer ? filesNotNamed(manifest, transfer.order.files) : [];
      return { report: checked, notNamed, ...(transfer && { transfer }) };
    } catch (error) {
      if (signal.aborted) return undefined;
      if (error instanceof ManifestFault) throw new CommandFailure(manifestFaultText(error, subject.manifest));
      throw error;
    }
  });
}

/** The transfer that a manifest belongs to, by the id in it or by the name of its folder. */
async function transferOf(parts: VerifyParts, manifest: LandedManifest): Promise<Transfer | undefined> {
  await parts.transferFlow.loadFinished();
  const folder = manifest.file.split(/[\\/]/).at(-2);
  return parts.transferStore
    .finished()
    .filter(({ id }) => id !== undefined && (id === manifest.id || landingFolderOf(id) === folder))
    .find((transfer) => canBeManifestOf(manifest, transfer));
}

/** Says the outcome with what can be done about it; after a look at the report the rest is offered once more. */
async function tell(parts: VerifyParts, verified: Verified): Promise<void> {
  const { report, notNamed, transfer } = verified;
  const again = transfer ? filesToSendAgain(report, transfer.order.files) : [];
  const kind = isAllWell(report, notNamed.length) ? 'info' : 'warning';
  const text = outcomeText(report, notNamed.length);
  const ways = { show: l10n.t('Show Report'), submit: l10n.t('Submit Missing Again…') };
  const more = again.length > 0 ? [ways.submit] : [];
  let way = await parts.notices.offer(kind, text, ways.show, ...more);
  if (way === ways.show) {
    await show(parts, verified);
    if (more.length > 0) way = await parts.notices.offer(kind, text, ...more);
  }
  if (transfer && way === ways.submit) await submitMissing(parts, transfer, again);
}

async function show({ documents }: VerifyParts, { report, transfer, notNamed }: Verified): Promise<void> {
  const at = clock.now();
  const text = reportText(report, { notNamed, at, ...(transfer && { transfer }) });
  await documents.showText(l10n.t('Landed Files'), `${report.manifest.file} ${at}`, text);
}

/** Sums up, and submits the files once more as a transfer of their own; what has landed is not touched. */
async function submitMissing(parts: VerifyParts, { order }: Transfer, files: readonly TransferFile[]): Promise<void> {
  const again = { ...order, files };
  if ((await confirmSummary(parts, [again])) !== 'next') return;
  if (!(await sessionOf(parts, order.connectionId, false))) return;
  await learnNames(parts, again);
  await submitOrders(parts, [again]);
}
