import { homedir } from 'node:os';
import { commands, l10n, Uri, workspace } from 'vscode';
import type { Omission } from '../../../core/model/fileExport.ts';
import { CommandFailure } from '../../editor/commandBoundary.ts';
import type { FileNode, SearchNode, TransferNode } from '../../editor/contributions.ts';
import { createSingleStep, pickOne, type Choice } from '../../editor/quickInput.ts';
import { pickNewFile, writeTextFile } from '../../editor/fileDialogs.ts';
import { describeExport } from '../../words/exportWords.ts';
import { describeError, toPlainLine } from '../../words/plainText.ts';
import type { CommandServices } from '../services.ts';
import { createContent, recordNames, type RecordFormat } from './recordContent.ts';
import { chooseSource } from './recordSource.ts';

/** Exports a list of the files in a search, a selection or a transfer, as a table, checksums or an RO-Crate. */
export async function exportRecords(
  services: CommandServices,
  node: SearchNode | FileNode | TransferNode | undefined,
  selection: readonly (SearchNode | FileNode | TransferNode)[] | undefined,
): Promise<void> {
  const source = await chooseSource(services, node, selection);
  const format = source && (await askFormat(source.transfer !== undefined));
  const content = format && (await createContent(services, source, format));
  if (!content) return;
  const { folder, pieces, fileCount, omissions } = content;
  const file = await pickNewFile(l10n.t('Export'), getSuggestedFile(folder, format), getFilters(format));
  if (!file) return;
  await writeRecord(file, pieces);
  reportExport(services, file, { fileCount, omissions });
}

async function askFormat(isTransfer: boolean): Promise<RecordFormat | undefined> {
  const choices: readonly Choice<RecordFormat>[] = [
    { label: 'CSV', description: l10n.t('a table of the files'), value: 'csv' },
    { label: 'TSV', description: l10n.t('a table of the files (tab-separated)'), value: 'tsv' },
    { label: l10n.t('Checksums (SHA-256)'), description: l10n.t('for sha256sum -c'), value: 'sha256' },
    isTransfer ? createTransferChoice() : createListChoice(),
  ];
  const answer = await pickOne(createSingleStep(l10n.t('Export')), {
    placeholder: l10n.t('Select a format'),
    choices,
  });
  return typeof answer === 'string' ? undefined : answer.value;
}

function createTransferChoice(): Choice<RecordFormat> {
  const label = l10n.t('Transfer record (RO-Crate 1.2)');
  return { label, description: l10n.t('the transfer and its files as JSON-LD'), value: 'crate' };
}

function createListChoice(): Choice<RecordFormat> {
  const label = l10n.t('File metadata (RO-Crate 1.2)');
  return { label, description: l10n.t('the files and their databases as JSON-LD'), value: 'crate' };
}

function getSuggestedFile(folder: string | undefined, format: RecordFormat): Uri {
  const [first] = workspace.workspaceFolders ?? [];
  const place = folder === undefined ? (first?.uri ?? Uri.file(homedir())) : Uri.file(folder);
  return Uri.joinPath(place, recordNames[format]);
}

function getFilters(format: RecordFormat): Readonly<Record<string, string[]>> {
  if (format === 'crate') return { 'RO-Crate': ['json'] };
  return { [format.toUpperCase()]: [format] };
}

async function writeRecord(file: Uri, pieces: Iterable<string>): Promise<void> {
  try {
    await writeTextFile(file, pieces);
  } catch (error) {
    throw new CommandFailure(l10n.t('Could not write {0}: {1}', toPlainLine(file.path), describeError(error)));
  }
}

function reportExport(
  { notifications }: CommandServices,
  file: Uri,
  { fileCount, omissions }: { readonly fileCount: number; readonly omissions: readonly Omission[] },
): void {
  const text = describeExport(toPlainLine(file.path.split('/').at(-1) ?? ''), fileCount, omissions);
  const open = { label: l10n.t('Open'), run: () => commands.executeCommand('vscode.open', file) };
  void (omissions.length > 0 ? notifications.warning(text, open) : notifications.info(text, open));
}
