import { resolve } from 'node:path';
import { Option, type Command } from 'commander';
import {
  checksumAlgorithms,
  createOmission,
  exportChecksums,
  exportFiles,
  filterChecksummed,
  formatHashName,
  formatOmissions,
  listAlgorithms,
  listTransferOmissions,
  type ChecksumAlgorithm,
  type Omission,
  type RecordedFile,
} from '../../core/model/fileExport.ts';
import { createRoCrate, type CrateSource } from '../../core/model/roCrate.ts';
import { exportAsCsv, exportAsJson } from '../../core/model/transferExport.ts';
import { getServiceName, type Transfer } from '../../core/model/transferModel.ts';
import { hasTransferredFiles } from '../../core/model/transferOutcome.ts';
import { getErrorCode } from '../../core/util/errorFacts.ts';
import { escapeInvisible } from '../../core/util/visibleText.ts';
import { writeFileAtomically } from '../../core/util/durableFiles.ts';
import { CliError, createUsageError, exitCode, type ExitCode } from '../cliError.ts';
import { runAction, type CommandContext } from '../commandContext.ts';
import { CliSession } from '../connections/cliSession.ts';
import { findRecordConnection } from '../connections/connectionsFile.ts';
import { optionTexts } from '../options.ts';
import { toPlainCell } from '../output.ts';
import { findDestinationFolder, listManifestFiles, loadManifest } from '../transfers/manifestReading.ts';
import { findRecordedTransfer, loadTransfers } from '../transfers/transferLookup.ts';
import { cliVersion } from '../version.ts';

type ExportFormat = 'csv' | 'tsv' | ChecksumAlgorithm | 'ro-crate' | 'json';

interface ExportFlags {
  readonly format?: ExportFormat;
  readonly output?: string;
  readonly folder?: string;
}

const formats: readonly ExportFormat[] = ['csv', 'tsv', ...checksumAlgorithms, 'ro-crate', 'json'];

/** Adds `export`, which exports a list of a transfer's files, or all transfer records, for other programs. */
export function addExportCommand(program: Command): void {
  program
    .command('export')
    .description('export the files of a transfer or, without one, the records of all transfers')
    .argument('[transfer]', optionTexts.transferId)
    .addOption(
      new Option(
        '--format <format>',
        'the format (default: csv, or json with --json); only csv or json for the records of all transfers',
      ).choices(formats),
    )
    .option('--output <file>', 'write to a file instead of standard output')
    .option('--folder <folder>', optionTexts.folder)
    .action((name: string | undefined, flags: ExportFlags, command: Command) =>
      runAction(command, (context) => exportRecords(context, name, flags)),
    );
}

async function exportRecords(context: CommandContext, name: string | undefined, flags: ExportFlags): Promise<ExitCode> {
  if (name === undefined && flags.folder !== undefined) throw createUsageError('--folder needs a transfer.');
  const format = flags.format ?? (context.options.json ? 'json' : 'csv');
  return await CliSession.run(context, async (session) => {
    const pieces =
      name === undefined
        ? formatRecords(session, await loadTransfers(session), format)
        : await formatTransfer(session, await findRecordedTransfer(session, name), format, flags.folder);
    const text = [...pieces].join('');
    const isJson = format === 'json' || format === 'ro-crate';
    await deliver(context, isJson ? escapeInvisible(text) : text, flags.output);
    return exitCode.done;
  });
}

function formatRecords(session: CliSession, transfers: readonly Transfer[], format: ExportFormat): Iterable<string> {
  const getConnectionName = (id: string): string | undefined => findConnectionName(session, id);
  if (format === 'csv') return exportAsCsv(transfers, { getConnectionName });
  if (format === 'json') return exportAsJson(transfers, { getConnectionName });
  throw createUsageError('The records of all transfers can be exported only as csv or json.');
}

async function formatTransfer(
  session: CliSession,
  transfer: Transfer,
  format: ExportFormat,
  folder: string | undefined,
): Promise<Iterable<string>> {
  const transferred = await loadTransferredFiles(session, transfer, folder);
  const omissions = listTransferOmissions(transfer, transferred);
  noteOmissions(session, omissions);
  if (format === 'ro-crate') return [formatCrate(session, { transfer, files: transferred, omissions })];
  const files = transferred.length > 0 ? transferred : transfer.order.files;
  const algorithm = checksumAlgorithms.find((name) => name === format);
  return algorithm ? formatChecksums(session, files, omissions, algorithm) : formatFiles(files, format);
}

/**
 * Returns the files in a transfer's manifest; an empty list if no files were transferred or there is no manifest.
 * Throws an error if the folder with the files isn't found, or if it contains the files of a different transfer.
 */
async function loadTransferredFiles(
  session: CliSession,
  transfer: Transfer,
  folder: string | undefined,
): Promise<readonly RecordedFile[]> {
  if (!hasTransferredFiles(transfer)) return [];
  const { manifest } = await findDestinationFolder(session, transfer, folder);
  if (manifest === undefined) return [];
  return listManifestFiles(await loadManifest(manifest, session.context.signal, transfer));
}

function formatFiles(files: readonly RecordedFile[], format: ExportFormat): Iterable<string> {
  if (format === 'json') return [`${JSON.stringify({ files })}\n`];
  return exportFiles(files, format === 'tsv' ? '\t' : ',');
}

function formatChecksums(
  session: CliSession,
  files: readonly RecordedFile[],
  omissions: readonly Omission[],
  algorithm: ChecksumAlgorithm,
): Iterable<string> {
  const listed = filterChecksummed(files, algorithm);
  if (listed.length === 0) throw new CliError(describeMissingHashes(files, algorithm));
  const unlisted = createOmission('noHash', files.length - listed.length).map((one) => ({ ...one, algorithm }));
  noteOmissions(session, unlisted);
  return exportChecksums(listed, [...unlisted, ...omissions], algorithm);
}

function describeMissingHashes(files: readonly RecordedFile[], algorithm: ChecksumAlgorithm): string {
  const others = listAlgorithms(files).map((name) => `--format ${name}`);
  const remedy = others.length > 0 ? ` Use ${others.join(' or ')}.` : '';
  return `None of these files has ${formatHashName(algorithm)}.${remedy}`;
}

function noteOmissions({ context }: CliSession, omissions: readonly Omission[]): void {
  for (const remark of formatOmissions(omissions)) context.output.note(remark);
}

function formatCrate(session: CliSession, source: CrateSource): string {
  const { transfer } = source;
  const serviceName = getServiceName(transfer, findConnectionName(session, transfer.order.connectionId));
  const context = { version: cliVersion, serviceName, now: session.context.clock.now() };
  return `${JSON.stringify(createRoCrate(source, context), undefined, 2)}\n`;
}

function findConnectionName({ context, file }: CliSession, connectionId: string): string | undefined {
  return findRecordConnection(context.options, file, connectionId)?.name;
}

async function deliver({ output }: CommandContext, text: string, file: string | undefined): Promise<void> {
  if (file === undefined) output.write(text);
  else {
    await writeFileAtomically(resolve(file), text, true).catch((error: unknown) => {
      throw new CliError(`Couldn't write ${toPlainCell(file)} (${getErrorCode(error)}).`);
    });
  }
}
