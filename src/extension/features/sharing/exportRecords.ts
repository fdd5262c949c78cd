import { homedir } from 'node:os';
import { commands, l10n, Uri, workspace } from 'vscode';
import {
  createOmission,
  exportChecksums,
  exportFiles,
  filterChecksummed,
  listTransferOmissions,
  type Omission,
  type RecordedFile,
} from '../../../core/model/fileExport.ts';
import { filterMissingIds } from '../../../core/model/idList.ts';
import { createFileCrate, createRoCrate, roCrateName } from '../../../core/model/roCrate.ts';
import type { SearchQuery } from '../../../core/model/searchModel.ts';
import { getServiceName, type Transfer } from '../../../core/model/transferModel.ts';
import { hasTransferredFiles } from '../../../core/model/transferOutcome.ts';
import type { CheckedFile, Search } from '../../../core/search/searchStore.ts';
import { ManifestError, readManifest } from '../../../core/verification/transferManifest.ts';
import type { TransferredFolder } from '../../../core/verification/transferredFolder.ts';
import { CommandFailure, CommandHint } from '../../editor/commandBoundary.ts';
import { getConnectionName } from '../../editor/connectionFacts.ts';
import type { FileNode, SearchNode, TransferNode } from '../../editor/contributions.ts';
import { pickNewFile, writeTextFile } from '../../editor/fileDialogs.ts';
import { chooseOne, type Choice } from '../../editor/quickInput.ts';
import { createSearchStep } from '../../editor/nextSteps.ts';
import { describeExport, getFormatPlaceholder } from '../../words/sharedLabels.ts';
import { formatFileCount, formatList, formatTime } from '../../words/localeFormats.ts';
import { describeError, toPlainLine } from '../../words/plainText.ts';
import { describeSearchTerms, formatResultCount, getDatabaseLabel } from '../../words/searchWords.ts';
import { getTransferTitle } from '../../words/transferWords.ts';
import { describeManifestError } from '../../words/verificationWords.ts';
import type { CommandServices } from '../services.ts';
import { findTransferredFiles } from '../verification/transferredFolders.ts';
import { getDialogTitle } from '../../words/commandTitles.ts';

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
  const file = await pickNewFile(
    getDialogTitle('dataTransfer.exportRecords'),
    getSuggestedFile(folder, format),
    getFilters(format),
  );
  if (!file) return;
  await writeRecord(file, pieces);
  reportExport(services, file, { fileCount, omissions });
}

async function askFormat(isTransfer: boolean): Promise<RecordFormat | undefined> {
  const choices: readonly Choice<RecordFormat>[] = [
    { label: 'CSV', description: l10n.t('a table of the files'), value: 'csv' },
    { label: 'TSV', description: l10n.t('a table of the files (tab-separated)'), value: 'tsv' },
    { label: l10n.t('Checksums (SHA-256)'), description: l10n.t('for sha256sum -c'), value: 'sha256' },
    isTransfer ? createTransferCrateChoice() : createFileCrateChoice(),
  ];
  return await chooseOne(getDialogTitle('dataTransfer.exportRecords'), {
    placeholder: getFormatPlaceholder(),
    choices,
  });
}

function createTransferCrateChoice(): Choice<RecordFormat> {
  const label = l10n.t('Transfer record (RO-Crate 1.2)');
  return { label, description: l10n.t('the transfer and its files as JSON-LD'), value: 'crate' };
}

function createFileCrateChoice(): Choice<RecordFormat> {
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

/** The files to export: those of a search, a selection or a transfer. */
interface RecordSource {
  readonly files: readonly RecordedFile[];
  /** The IDs of the files' connections, possibly with duplicates. */
  readonly connectionIds: readonly string[];
  /** The files that the export omits, and the reasons. */
  readonly omissions: readonly Omission[];
  readonly query?: SearchQuery;
  readonly transfer?: Transfer;
}

/**
 * Returns the files of the rows that a command applies to, or of a source that the user picks. Returns undefined if the
 * row no longer exists or the user cancels.
 */
async function chooseSource(
  services: CommandServices,
  node: SearchNode | FileNode | TransferNode | undefined,
  selection: readonly (SearchNode | FileNode | TransferNode)[] | undefined,
): Promise<RecordSource | undefined> {
  if (node?.kind === 'file') return toFilesSource(node, selection);
  if (node?.kind === 'search') return toSearchSource(services.searchStore.get(node.key));
  if (node?.kind === 'transfer') return toTransferSource(services.transferStore.get(node.key));
  return await pickSource(services);
}

/** Returns the selected files; only the row's own if the command applies to a row that isn't selected. */
function toFilesSource(
  node: FileNode,
  selection: readonly (SearchNode | FileNode | TransferNode)[] | undefined,
): RecordSource {
  const rows = selection?.filter((row) => row.kind === 'file') ?? [];
  const selected = rows.some(({ file }) => file === node.file) ? rows : [node];
  return toSelectionSource(selected);
}

function toSelectionSource(selected: readonly CheckedFile[]): RecordSource {
  const connectionIds = selected.map(({ connectionId }) => connectionId);
  return { files: selected.map(({ file }) => file), connectionIds, omissions: [] };
}

function toSearchSource(search: Search | undefined): RecordSource | undefined {
  if (!search) return undefined;
  const { query, connectionId, mayHaveMore } = search;
  const files = search.files.filter((file) => file.kind === 'file');
  const omissions = [
    ...(mayHaveMore ? [{ kind: 'notLoaded' } as const] : []),
    ...createOmission('unreadable', search.files.length - files.length),
    ...createOmission('notFound', filterMissingIds(search, true).length),
    ...createOmission('notLookedUp', filterMissingIds(search, false).length),
  ];
  return { files, query, connectionIds: [connectionId], omissions };
}

function toTransferSource(transfer: Transfer | undefined): RecordSource | undefined {
  if (!transfer) return undefined;
  return { files: transfer.order.files, transfer, connectionIds: [transfer.order.connectionId], omissions: [] };
}

async function pickSource(services: CommandServices): Promise<RecordSource | undefined> {
  await services.transferFlow.loadFinished();
  const choices = createChoices(services);
  if (choices.length === 0) throw new CommandHint(l10n.t('There are no files to export.'), createSearchStep());
  const placeholder = l10n.t('Select the files to export');
  return await chooseOne(getDialogTitle('dataTransfer.exportRecords'), {
    placeholder,
    choices,
  });
}

function createChoices({ searchStore, transferStore }: CommandServices): readonly Choice<RecordSource | undefined>[] {
  const checked = searchStore.getCheckedFiles();
  return [
    ...(checked.length > 0 ? [createChoice(l10n.t('Checked files'), toSelectionSource(checked))] : []),
    ...searchStore.getAll().map((search) => createChoice(describeSearchTerms(search.query), toSearchSource(search))),
    ...transferStore.getAll().map((transfer) => createChoice(getTransferTitle(transfer), toTransferSource(transfer))),
  ];
}

function createChoice(label: string, value: RecordSource | undefined): Choice<RecordSource | undefined> {
  return { label, description: value ? describeSource(value) : '', value };
}

/** Distinguishes sources with equal labels: by a transfer's time, or by databases and number of files. */
function describeSource({ files, transfer, omissions }: RecordSource): string {
  if (transfer) return formatTime(transfer.createdAt, Date.now());
  const databases = new Set(
    files.flatMap(({ database }) => (database === undefined ? [] : [getDatabaseLabel(database)])),
  );
  const mayHaveMore = omissions.some(({ kind }) => kind === 'notLoaded');
  const note = mayHaveMore ? l10n.t('only loaded files are exported') : '';
  const count = formatResultCount({ files, mayHaveMore }) || formatFileCount(0);
  return [formatList([...databases]), count, note].filter(Boolean).join(' · ');
}

/** The files in a transfer's manifest, and its folder unless {@link hasTransferredFiles} is false. */
interface TransferredRecord {
  readonly files: readonly RecordedFile[];
  readonly folder?: TransferredFolder;
}

/** Reads a transfer's files from its manifest; none without one. Undefined if the user cancels. */
async function loadTransferred(services: CommandServices, transfer: Transfer): Promise<TransferredRecord | undefined> {
  if (!hasTransferredFiles(transfer)) return { files: [] };
  const folder = await findTransferredFiles(services, transfer);
  if (!folder) return undefined;
  return { files: folder.manifest === undefined ? [] : await readFiles(folder.manifest), folder };
}

async function readFiles(manifest: string): Promise<readonly RecordedFile[]> {
  try {
    const { files } = await readManifest(manifest);
    return files.map(({ id, path, places, sizeBytes, hash }) => ({
      ...(id !== undefined && { id }),
      path: places[0] ?? path,
      ...(sizeBytes !== undefined && { sizeBytes }),
      ...(hash && { hash: `${hash.algorithm}:${hash.hex}` }),
    }));
  } catch (error) {
    if (error instanceof ManifestError) throw new CommandFailure(describeManifestError(error, manifest));
    throw error;
  }
}

/** A format in which a transfer's record can be exported. */
type RecordFormat = 'csv' | 'tsv' | 'sha256' | 'crate';

/** The suggested file name for each format. */
const recordNames: Readonly<Record<RecordFormat, string>> = {
  csv: 'files.csv',
  tsv: 'files.tsv',
  sha256: 'files.sha256',
  crate: roCrateName,
};

/** The content of an exported record. */
interface RecordContent {
  readonly pieces: Iterable<string>;
  /** Folder that the paths of a transfer's files are relative to; absent if unknown. */
  readonly folder?: string | undefined;
  readonly fileCount: number;
  /** The files that the record omits, and the reasons. */
  readonly omissions: readonly Omission[];
}

/**
 * Creates the content of a record. For a transfer, finds its folder and lists the files in the manifest. If the
 * manifest is missing or empty, a table or a checksum file lists the requested files instead. Returns undefined if the
 * user cancels.
 */
async function createContent(
  services: CommandServices,
  source: RecordSource,
  format: RecordFormat,
): Promise<RecordContent | undefined> {
  const { transfer } = source;
  if (!transfer) return formatRecord(services, source, format);
  const record = await loadTransferred(services, transfer);
  if (!record) return undefined;
  const omissions = listTransferOmissions(transfer, record.files);
  const files = record.files.length > 0 || format === 'crate' ? record.files : source.files;
  const content = formatRecord(services, { ...source, files, omissions }, format);
  return { ...content, folder: record.folder?.folder };
}

function formatRecord(services: CommandServices, source: RecordSource, format: RecordFormat): RecordContent {
  if (format === 'sha256') return formatChecksums(source);
  const { files, omissions } = source;
  const pieces =
    format === 'crate' ? [formatCrate(services, source)] : exportFiles(files, format === 'csv' ? ',' : '\t');
  return { pieces, fileCount: files.length, omissions };
}

function formatChecksums({ files, omissions }: RecordSource): RecordContent {
  const listed = filterChecksummed(files);
  if (listed.length === 0) throw new CommandHint(l10n.t('None of these files has a SHA-256 hash.'));
  const all = [...createOmission('noHash', files.length - listed.length), ...omissions];
  return { pieces: exportChecksums(listed, all), fileCount: listed.length, omissions: all };
}

function formatCrate(services: CommandServices, { transfer, ...list }: RecordSource): string {
  const names = [...new Set(list.connectionIds)].map((id) => {
    const name = getConnectionName(services, id);
    return transfer ? getServiceName(transfer, name) : name || id;
  });
  const serviceName = names.join(', ');
  const context = { version: services.facts.version, serviceName, now: Date.now() };
  const crate = transfer ? createRoCrate({ ...list, transfer }, context) : createFileCrate(list, context);
  return `${JSON.stringify(crate, undefined, 2)}\n`;
}
