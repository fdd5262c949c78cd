import { readdir, stat } from 'node:fs/promises';
import type { Command } from 'commander';
import { isStore } from '../../core/model/databaseModel.ts';
import { findFolderName, type Transfer, type TransferFile } from '../../core/model/transferModel.ts';
import { isTransferFolder } from '../../core/util/transferFolderNames.ts';
import { findUnlistedFiles } from '../../core/verification/manifestMatch.ts';
import { compareStoredFiles } from '../../core/verification/storedFiles.ts';
import type { TransferManifest } from '../../core/verification/transferManifest.ts';
import { findFolderManifest } from '../../core/verification/transferredFolder.ts';
import {
  isVerified,
  verifyTransfer,
  type FileOutcome,
  type VerificationReport,
} from '../../core/verification/verification.ts';
import { describeEmptyManifest } from '../../core/words/sharedSentences.ts';
import { CliError, createUsageError, exitCode, type ExitCode } from '../cliError.ts';
import { runAction, type CommandContext } from '../commandContext.ts';
import { CliSession } from '../connections/cliSession.ts';
import { describeScanProblem, scanDatabase } from './scanCommand.ts';
import { loadFiles } from './searchCommand.ts';
import { optionTexts } from '../options.ts';
import { clauses } from '../text/sentences.ts';
import { explainMissingManifest } from '../text/transferText.ts';
import { formatBytes, formatCount, toPlainCell } from '../output.ts';
import { findDestinationFolder, loadManifest } from '../transfers/manifestReading.ts';
import { connectFor, findRecordedTransfer } from '../transfers/transferLookup.ts';

interface VerifyFlags {
  readonly folder?: string;
}

/** Maximum number of folders to list in an error message. */
const maxNamed = 3;

/** Adds `verify`, which compares transferred files with their manifest, or with the listing of a store. */
export function addVerifyCommand(program: Command): void {
  program
    .command('verify')
    .description(
      'compare transferred files with their manifest or, in a store, with what was requested; exits with 1 if files are missing or changed',
    )
    .argument('<target>', 'a transfer, a folder with a manifest, or a manifest')
    .option('--folder <folder>', optionTexts.folder)
    .action((target: string, flags: VerifyFlags, command: Command) =>
      runAction(command, (context) => verifyFiles(context, target, flags)),
    );
}

async function verifyFiles(context: CommandContext, name: string, { folder }: VerifyFlags): Promise<ExitCode> {
  return await CliSession.run(context, async (session) => {
    const given = await findGivenManifest(name);
    if (given !== undefined && folder !== undefined)
      throw createUsageError(`${toPlainCell(name)} is a folder or a manifest. Use --folder only with a transfer.`);
    if (given !== undefined) return await verifyManifest(context, given);
    const transfer = await findRecordedTransfer(session, name, 'transfer, folder or manifest');
    const stored = folder === undefined ? await verifyInStore(session, transfer) : undefined;
    if (stored) return reportResult(context, stored, { database: transfer.order.destination });
    return await verifyManifest(context, await findManifest(session, transfer, folder), transfer);
  });
}

async function verifyManifest(context: CommandContext, file: string, transfer?: Transfer): Promise<ExitCode> {
  const manifest = await loadManifest(file, context.signal, transfer);
  const unlisted = transfer ? findUnlistedFiles(manifest, transfer.order.files) : [];
  return reportResult(context, await check(context, manifest), { manifest: manifest.file }, unlisted);
}

async function findGivenManifest(path: string): Promise<string | undefined> {
  const stats = await stat(path).catch(() => undefined);
  if (!stats?.isDirectory()) return stats && path;
  const manifest = await findFolderManifest(path);
  if (manifest !== undefined) return manifest;
  const entries = await readdir(path, { withFileTypes: true }).catch(() => []);
  const folders = entries
    .filter((entry) => entry.isDirectory() && isTransferFolder(entry.name))
    .map(({ name }) => name);
  const hint = folders.length > 0 ? ` Folders of transfers in it: ${folders.slice(0, maxNamed).join(', ')}` : '';
  const rest = folders.length > maxNamed ? ' …' : '';
  throw new CliError(toPlainCell(`${path} has no manifest.${hint}${rest}`), exitCode.notFound);
}

async function findManifest(session: CliSession, transfer: Transfer, folder: string | undefined): Promise<string> {
  const found = await findDestinationFolder(session, transfer, folder);
  if (found.manifest !== undefined) return found.manifest;
  const text = `${toPlainCell(found.folder)} has no manifest.`;
  throw new CliError(text + explainMissingManifest(transfer), exitCode.notFound);
}

async function check(
  { clock, signal, output }: CommandContext,
  manifest: TransferManifest,
): Promise<VerificationReport> {
  return await verifyTransfer(manifest, {
    clock,
    signal,
    onProgress: ({ fileCount, checkedFileCount, sizeBytes, readBytes }) => {
      const text = `${checkedFileCount}/${formatCount(fileCount, 'file')}, ${formatBytes(readBytes)} read`;
      output.showProgress(text, sizeBytes === 0 ? checkedFileCount / fileCount : readBytes / sizeBytes);
    },
  });
}

/** Prints the result, with the manifest or the database that the files were compared with. Returns the exit code. */
function reportResult(
  { output }: CommandContext,
  report: VerificationReport,
  compared: { readonly manifest: string } | { readonly database: string },
  unlisted: readonly TransferFile[] = [],
): ExitCode {
  const { manifest, intactCount, extra } = report;
  const findings = report.findings.map(({ file: { id, path }, outcome }) => ({ id, path, problem: outcome.kind }));
  const document = {
    ...compared,
    files: manifest.files.length,
    intact: intactCount,
    findings,
    unlisted: unlisted.map(({ id }) => id),
    invalidEntries: manifest.problemCount,
    extra: extra.paths,
  };
  output.print(document, () => [...describeReport(report, unlisted)].map((line) => `${line}\n`).join(''));
  return isVerified(report, unlisted.length) ? exitCode.done : exitCode.failed;
}

function* describeReport(report: VerificationReport, unlisted: readonly TransferFile[]): Generator<string> {
  const { manifest, findings, extra } = report;
  yield describeIntact(report);
  for (const finding of findings) {
    const size = isSameSize(finding) ? 'same size, ' : '';
    yield `${size}${problemTexts[finding.outcome.kind]}: ${toPlainCell(finding.file.path)}`;
  }
  for (const { name } of unlisted) yield `not in the manifest: ${toPlainCell(name)}`;
  if (manifest.problemCount > 0) yield `invalid manifest entries: ${manifest.problemCount}`;
  if (extra.paths.length > 0) yield `${formatCount(extra.paths.length, 'other file')} in the folder`;
}

function describeIntact({ manifest, intactCount, findings }: VerificationReport): string {
  const total = manifest.files.length;
  if (total === 0) return describeEmptyManifest(clauses);
  const files = formatCount(total, 'file');
  // Files without a hash aren't known to be damaged either.
  const isUnknown = intactCount === 0 && findings.every(({ outcome }) => outcome.kind === 'notCompared');
  if (!isUnknown) return `${intactCount} of ${files} intact`;
  const hashes = total === 1 ? 'no hash' : 'no hashes';
  return `${files}${findings.every(isSameSize) ? ' of the same size' : ''}, ${hashes} to compare`;
}

function isSameSize({ file, outcome }: VerificationReport['findings'][number]): boolean {
  return outcome.kind === 'notCompared' && file.sizeBytes !== undefined;
}

const problemTexts: Readonly<Record<FileOutcome['kind'], string>> = {
  intact: 'intact',
  missing: 'missing',
  changing: 'changing',
  outsideFolder: 'outside the folder',
  notCompared: 'no hash to compare',
  size: 'different size',
  hash: 'different content',
  unreadable: 'unreadable',
};

/**
 * Compares a transfer's files with a new listing of the store to which the local service transferred them. Resolves to
 * undefined if the destination isn't a store, or if the transfer has no ID. Throws an error if the store can't be
 * listed, or if the transfer's manifest isn't in it.
 */
async function verifyInStore(session: CliSession, transfer: Transfer): Promise<VerificationReport | undefined> {
  const { id, order } = transfer;
  if (id === undefined) return undefined;
  const connection = await connectFor(session, transfer);
  const database = session.explorer.connectionStore.findDatabase(order.destination);
  if (!database || !isStore(database)) return undefined;
  const { listing } = await scanDatabase(session, connection, database, true);
  const name = toPlainCell(database.name);
  if (listing?.state === 'failed') throw new CliError(`Couldn't scan ${name}: ${describeScanProblem(listing)}.`);
  const folder = findFolderName(transfer) ?? '';
  const query = { database: database.name, query: '', specific: { folder } };
  const { files, hasMore } = await loadFiles(session, connection, query, Infinity);
  if (hasMore) throw new CliError(`Couldn't list all files of transfer ${id} in ${name}.`);
  const report = compareStoredFiles(id, order.files, files, folder);
  if (report) return report;
  const advice = `To check whether it has ended: data-transfer status ${id}`;
  throw new CliError(`${name} has no manifest of transfer ${id}. ${advice}`, exitCode.notFound);
}
