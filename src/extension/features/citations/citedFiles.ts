import { l10n, Uri, workspace } from 'vscode';
import type { CitableFile } from '../../../core/citations/citableUnits.ts';
import { getMachine } from '../../../core/model/connection.ts';
import type { Transfer } from '../../../core/model/transferModel.ts';
import { createReceipt, type TransferReceipt } from '../../../core/model/transferOutcome.ts';
import { isJsonObject, type JsonObject } from '../../../core/util/json.ts';
import { readJsonObject } from '../../../core/util/jsonObject.ts';
import { addInheritedFields, getInheritedFields } from '../../../core/util/packageFields.ts';
import { findUntransferredFiles } from '../../../core/verification/manifestMatch.ts';
import type { TransferredFolder } from '../../../core/verification/transferredFolder.ts';
import { CommandFailure, CommandHint } from '../../editor/commandBoundary.ts';
import { getConnectionName } from '../../editor/connectionFacts.ts';
import type { CommandArgument, FileNode, FileRef } from '../../editor/contributions.ts';
import { withProgress } from '../../editor/notifications.ts';
import { createRemedyActions, createUnknownFilesHint } from '../../editor/nextSteps.ts';
import type { CitedService } from '../../words/citationWords.ts';
import { plural } from '../../words/localeFormats.ts';
import { describeError, toPlainLine } from '../../words/plainText.ts';
import { describeReason } from '../../words/reasonWords.ts';
import { chooseCheckedFiles, getSelectedFiles, loadEntries, toKnownFile, type KnownFile } from '../files/files.ts';
import type { CommandServices } from '../services.ts';
import { locateTransferredFiles } from '../verification/transferredFolders.ts';

/** Argument of a citation command: a file, a search, a transfer or a manifest. */
export type CiteArgument = CommandArgument<'file' | 'fileRef' | 'search' | 'transfer' | 'document'>;

/** Files to cite, and the known facts about their transfer. */
interface CitedFiles {
  readonly files: readonly CitableFile[];
  /** The services from which the files are available. Empty for a manifest. */
  readonly services: readonly CitedService[];
  /** Absent if no file is known to have been transferred. */
  readonly receipt?: TransferReceipt;
}

/**
 * Collects the files to cite: those of the command's argument or of the selected rows. Without an argument, uses the
 * checked files, those selected in the view, or those that the user picks. Returns undefined if the transfer no longer
 * exists or the user cancels.
 */
export async function collectCitedFiles(
  services: CommandServices,
  argument: CiteArgument | undefined,
  selection: readonly CiteArgument[] | undefined,
  title: string,
): Promise<CitedFiles | undefined> {
  if (argument instanceof Uri) return await readCitableManifest(argument);
  if (argument && 'kind' in argument && argument.kind === 'transfer')
    return await collectTransfer(services, services.transferStore.get(argument.key));
  if (argument && 'kind' in argument && argument.kind === 'search')
    return await collectFiles(services, listSearchFiles(services, argument.key));
  const given = getSelectedFiles(argument, selection?.filter(isFileRow));
  const files = given.length > 0 ? given : await chooseCheckedFiles(services, title);
  return files && (await collectFiles(services, files));
}

function isFileRow(row: CiteArgument): row is FileNode | FileRef {
  return !(row instanceof Uri) && (!('kind' in row) || row.kind === 'file');
}

function listSearchFiles({ searchStore }: CommandServices, key: string): readonly KnownFile[] {
  const { files = [], connectionId = '' } = searchStore.get(key) ?? {};
  const found = files.flatMap((file) => (file.kind === 'file' ? [toKnownFile(file, connectionId)] : []));
  if (found.length === 0) throw new CommandHint(l10n.t('This search found no files to cite.'));
  return found;
}

async function collectTransfer(
  services: CommandServices,
  transfer: Transfer | undefined,
): Promise<CitedFiles | undefined> {
  if (!transfer) return undefined;
  const { order, key } = transfer;
  const files = order.files.map(({ id, name }) => ({
    ref: { connectionId: order.connectionId, database: order.source, id, name },
  }));
  if (files.length === 0) throw createUnknownFilesHint(key);
  const folder = await locateTransferredFiles(services, transfer);
  const cited = await collectFiles(services, files, () => readTransferredFiles(transfer, folder));
  const missing = await findUntransferredFiles(transfer, folder);
  const receipt = createReceipt(transfer, missing);
  return cited && { ...cited, ...(receipt && { receipt }) };
}

/** Reads the metadata in a transfer's manifest. Returns it by file ID; an empty map if the manifest is unusable. */
async function readTransferredFiles(
  { order }: Transfer,
  folder: TransferredFolder | undefined,
): Promise<ReadonlyMap<string, CitableFile>> {
  if (folder?.manifest === undefined) return new Map();
  const listed = await readCitableManifest(Uri.file(folder.manifest)).catch(() => undefined);
  return new Map(
    listed?.files.flatMap(({ name, resource }) =>
      typeof resource['id'] === 'string' ? [[resource['id'], { name, resource, database: order.source }]] : [],
    ),
  );
}

/**
 * Fetches missing metadata, and returns the files that have metadata. Uses `readKnown`, which returns metadata by file
 * ID, for files whose metadata can't be fetched. Warns about files without metadata. Throws a {@link CommandFailure} if
 * no file has metadata. Returns undefined if the user cancels.
 */
async function collectFiles(
  services: CommandServices,
  files: readonly KnownFile[],
  readKnown?: () => Promise<ReadonlyMap<string, CitableFile>>,
): Promise<CitedFiles | undefined> {
  const loaded = await withProgress(l10n.t('Fetching metadata'), async (signal) => {
    const all = await loadEntries(services.metadataFlow, files, signal);
    return signal.aborted ? undefined : all;
  });
  if (!loaded) return undefined;
  const isFetched = ({ entry }: KnownFile): boolean => entry !== undefined && !entry.isSummary;
  const known = loaded.every(isFetched) ? undefined : await readKnown?.();
  const citable = loaded.flatMap((file): readonly CitableFile[] => {
    const found = isFetched(file) ? file.entry : known?.get(file.ref.id);
    return found ? [found] : [];
  });
  const missed = loaded.filter((file) => !isFetched(file) && !known?.has(file.ref.id));
  const [first] = missed;
  if (first) reportMissed(services, missed.length, first, citable.length > 0);
  return { files: citable, services: listServices(services, files) };
}

function reportMissed({ notifications }: CommandServices, count: number, first: KnownFile, hasOthers: boolean): void {
  const text = plural(
    count,
    'Could not fetch the metadata for {0} file: {1}.',
    'Could not fetch the metadata for {0} files: {1}.',
    describeReason(first.reason ?? { kind: 'notFound' }),
  );
  const actions = createRemedyActions(first.reason, first.ref.connectionId);
  // Without any metadata, there is nothing to cite.
  if (!hasOthers) throw new CommandFailure(text, ...actions);
  void notifications.warning(text, ...actions);
}

/** Lists the services that the files come from. Omits connections that were removed. */
function listServices(services: CommandServices, files: readonly KnownFile[]): readonly CitedService[] {
  const ids = [...new Set(files.map(({ ref }) => ref.connectionId))];
  const named = ids.map((id) => ({ name: getConnectionName(services, id), isLocal: getMachine(id) !== undefined }));
  return named.filter(({ name }) => name !== '');
}

/** Maximum size of a manifest, in bytes. Parsing a larger manifest would block the process for seconds. */
const maxBytes = 64 * 1024 * 1024;

/**
 * Reads a manifest's list of files and, if stated, the day on which the manifest was created. Throws a {@link
 * CommandFailure} if the manifest can't be read, is too large or lists no files.
 */
async function readCitableManifest(file: Uri): Promise<CitedFiles> {
  const json = readJsonObject(await readText(file));
  const content: JsonObject = json.kind === 'object' ? json.value : {};
  const resources: readonly unknown[] = Array.isArray(content['resources']) ? content['resources'] : [];
  const inherited = getInheritedFields(content);
  const files = resources
    .filter(isJsonObject)
    .map((resource) => ({ name: getName(resource), resource: addInheritedFields(resource, inherited) }));
  if (files.length === 0) throw new CommandFailure(l10n.t('{0} lists no files.', toPlainLine(file.path)));
  // The date of a data package is that of its publication.
  const created = inherited['package'] === undefined ? content['created'] : undefined;
  const day = typeof created === 'string' ? /^\d{4}-\d{2}-\d{2}/.exec(created)?.[0] : undefined;
  const receipt = { fileCount: files.length, isSeen: false, ...(day !== undefined && { day }) };
  return { files, services: [], receipt };
}

function getName({ path, name, id }: JsonObject): string {
  const written = [path, name, id].find((value) => typeof value === 'string' && value !== '');
  return typeof written === 'string' ? (written.split('/').at(-1) ?? written) : '';
}

async function readText(file: Uri): Promise<string> {
  try {
    const { size } = await workspace.fs.stat(file);
    if (size > maxBytes) throw new CommandFailure(l10n.t('{0} is too large.', toPlainLine(file.path)));
    return new TextDecoder().decode(await workspace.fs.readFile(file));
  } catch (error) {
    if (error instanceof CommandFailure) throw error;
    throw new CommandFailure(l10n.t('Could not read {0}: {1}', toPlainLine(file.path), describeError(error)));
  }
}
