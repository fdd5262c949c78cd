import { homedir } from 'node:os';
import { commands, l10n, Uri, workspace } from 'vscode';
import { exportChecksums, exportFiles, filterChecksummed } from '../../../core/model/fileExport.ts';
import { createRoCrate, roCrateName } from '../../../core/model/roCrate.ts';
import type { Transfer } from '../../../core/model/transferModel.ts';
import { CommandFailure, CommandHint } from '../../editor/commandBoundary.ts';
import { getConnectionName } from '../../editor/connectionName.ts';
import type { FileNode, SearchNode, TransferNode } from '../../editor/contributions.ts';
import { createSingleStep, pickOne, type Choice } from '../../editor/quickInput.ts';
import { pickNewFile, writeTextFile } from '../../editor/textFile.ts';
import { describeError, toPlainLine } from '../../words/plainText.ts';
import type { CommandServices } from '../services.ts';
import { chooseSource, loadTransferred, type RecordSource } from './recordSource.ts';

type RecordFormat = 'csv' | 'tsv' | 'sha256' | 'crate';

/** The file name that is suggested for each format. */
const fileNames: Readonly<Record<RecordFormat, string>> = {
  csv: 'files.csv',
  tsv: 'files.tsv',
  sha256: 'files.sha256',
  crate: roCrateName,
};

/** A record to write, and the folder that its paths are relative to. */
interface RecordContent {
  readonly pieces: Iterable<string>;
  readonly folder?: string | undefined;
}

/** Exports the files of a search, a selection or a transfer as a table, as checksums, or a transfer as an RO-Crate. */
export async function exportRecords(
  services: CommandServices,
  node: SearchNode | FileNode | TransferNode | undefined,
  selection: readonly (SearchNode | FileNode | TransferNode)[] | undefined,
): Promise<void> {
  const source = await chooseSource(services, node, selection);
  const format = source && (await askFormat(source.transfer !== undefined));
  const content = format && (await createContent(services, source, format));
  if (!content) return;
  const file = await pickNewFile(l10n.t('Export'), getSuggestedFile(content.folder, format), getFilters(format));
  if (file) await writeRecord(services, file, content.pieces);
}

async function askFormat(isTransfer: boolean): Promise<RecordFormat | undefined> {
  const choices: readonly Choice<RecordFormat>[] = [
    { label: 'CSV', description: l10n.t('a table of the files'), value: 'csv' },
    { label: 'TSV', description: l10n.t('a table of the files, separated by tabs'), value: 'tsv' },
    { label: l10n.t('Checksums (SHA-256)'), description: l10n.t('for sha256sum -c'), value: 'sha256' },
    {
      label: l10n.t('Transfer record (RO-Crate 1.2)'),
      description: l10n.t('the transfer and its files as JSON-LD'),
      value: 'crate',
    },
  ];
  const answer = await pickOne(createSingleStep(l10n.t('Export')), {
    placeholder: l10n.t('Select a format'),
    choices: choices.filter(({ value }) => isTransfer || value !== 'crate'),
  });
  return typeof answer === 'string' ? undefined : answer.value;
}

/** Creates the record. Finds the folder of a transfer for formats that describe what was written there. */
async function createContent(
  services: CommandServices,
  source: RecordSource,
  format: RecordFormat,
): Promise<RecordContent | undefined> {
  const { transfer, files } = source;
  if (!transfer) return { pieces: formatFiles(files, format) };
  const record = await loadTransferred(services, transfer);
  if (!record) return undefined;
  const folder = record.folder?.folder;
  if (format === 'crate') return { pieces: [formatCrate(services, transfer, record.files)], folder };
  return { pieces: formatFiles(record.files.length > 0 ? record.files : files, format), folder };
}

function formatFiles(files: RecordSource['files'], format: RecordFormat): Iterable<string> {
  if (format !== 'sha256') return exportFiles(files, format === 'csv' ? ',' : '\t');
  if (filterChecksummed(files).length > 0) return exportChecksums(files);
  throw new CommandHint(l10n.t('None of these files has a SHA-256 hash.'));
}

function formatCrate(services: CommandServices, transfer: Transfer, files: RecordSource['files']): string {
  const { connectionId } = transfer.order;
  const serviceName = getConnectionName(services, connectionId) || connectionId;
  const context = { version: services.facts.version, serviceName, now: Date.now() };
  return `${JSON.stringify(createRoCrate({ transfer, files }, context), undefined, 2)}\n`;
}

function getSuggestedFile(folder: string | undefined, format: RecordFormat): Uri {
  const [first] = workspace.workspaceFolders ?? [];
  const place = folder === undefined ? (first?.uri ?? Uri.file(homedir())) : Uri.file(folder);
  return Uri.joinPath(place, fileNames[format]);
}

function getFilters(format: RecordFormat): Readonly<Record<string, string[]>> {
  if (format === 'crate') return { 'RO-Crate': ['json'] };
  return { [format.toUpperCase()]: [format] };
}

async function writeRecord({ notices }: CommandServices, file: Uri, pieces: Iterable<string>): Promise<void> {
  try {
    await writeTextFile(file, pieces);
  } catch (error) {
    throw new CommandFailure(l10n.t('Could not write {0}: {1}', toPlainLine(file.path), describeError(error)));
  }
  const open = { label: l10n.t('Open'), run: () => commands.executeCommand('vscode.open', file) };
  void notices.info(l10n.t('Exported {0}.', toPlainLine(file.path.split('/').at(-1) ?? '')), open);
}
