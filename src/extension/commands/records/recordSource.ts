import { l10n } from 'vscode';
import { createOmission, type Omission, type RecordedFile } from '../../../core/model/fileExport.ts';
import { filterMissingIds } from '../../../core/model/idList.ts';
import type { SearchQuery } from '../../../core/model/searchModel.ts';
import type { Transfer } from '../../../core/model/transferModel.ts';
import { hasTransferredFiles } from '../../../core/model/transferOutcome.ts';
import type { CheckedFile } from '../../../core/store/checkedFiles.ts';
import type { Search } from '../../../core/store/searchStore.ts';
import { ManifestError, readManifest } from '../../../core/verification/transferManifest.ts';
import type { TransferredFolder } from '../../../core/verification/transferredFolder.ts';
import { CommandFailure, CommandHint } from '../../editor/commandBoundary.ts';
import type { FileNode, SearchNode, TransferNode } from '../../editor/contributions.ts';
import { createSingleStep, pickOne, type Choice } from '../../editor/quickInput.ts';
import { createSearchStep } from '../../notifications/nextSteps.ts';
import { formatFileCount, formatList, formatTime } from '../../words/localeFormats.ts';
import { describeSearchTerms, formatResultCount, getDatabaseLabel } from '../../words/searchWords.ts';
import { getTransferTitle } from '../../words/transferWords.ts';
import { describeManifestError } from '../../words/verificationWords.ts';
import type { CommandServices } from '../services.ts';
import { findTransferredFiles } from '../verification/transferredFolders.ts';

/** The files to export: those of a search, a selection or a transfer. */
export interface RecordSource {
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
export async function chooseSource(
  services: CommandServices,
  node: SearchNode | FileNode | TransferNode | undefined,
  selection: readonly (SearchNode | FileNode | TransferNode)[] | undefined,
): Promise<RecordSource | undefined> {
  if (node?.kind === 'file') return getSelectedFiles(node, selection);
  if (node?.kind === 'search') return toSearchSource(services.searchStore.get(node.key));
  if (node?.kind === 'transfer') return toTransferSource(services.transferStore.get(node.key));
  return await pickSource(services);
}

function getSelectedFiles(
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
  const answer = await pickOne(createSingleStep(l10n.t('Export')), { placeholder, choices });
  return typeof answer === 'string' ? undefined : answer.value;
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

/**
 * Describes a source, to distinguish sources with equal labels. Returns a transfer's time, or the databases and number
 * of files.
 */
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

/**
 * The files in a transfer's manifest, and the transfer's folder. The folder is absent if {@link hasTransferredFiles} is
 * false.
 */
interface TransferredRecord {
  readonly files: readonly RecordedFile[];
  readonly folder?: TransferredFolder;
}

/**
 * Reads the list of transferred files from a transfer's manifest. Without a manifest, returns no files. Returns
 * undefined if the user cancels.
 */
export async function loadTransferred(
  services: CommandServices,
  transfer: Transfer,
): Promise<TransferredRecord | undefined> {
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
