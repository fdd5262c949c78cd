import { l10n } from 'vscode';
import { createTransferFile } from '../../../core/transfers/createTransferFile.ts';
import type { OpenConnection } from '../../../core/connections/openConnections.ts';
import type { Connection } from '../../../core/model/connection.ts';
import { getReportedStaging } from '../../../core/model/searchModel.ts';
import type { TransferFile, TransferOrder } from '../../../core/model/transferModel.ts';
import { toShortLine } from '../../../core/util/visibleText.ts';
import { CommandFailure } from '../../editor/commandBoundary.ts';
import { getConnectionName } from '../../editor/connectionFacts.ts';
import type { FileNode, FileRef } from '../../editor/contributions.ts';
import { withLateProgress } from '../../editor/notifications.ts';
import type { Step } from '../../editor/quickInput.ts';
import { formatFileCount, formatNumber, plural } from '../../words/localeFormats.ts';
import { describeNested, type StagingLookup } from '../../words/summaryWords.ts';
import { requireSession } from '../connections/connectionPicker.ts';
import { switchConnection } from '../connections/manageConnections.ts';
import { requireOrcid } from '../connections/credentials.ts';
import { chooseCheckedFiles, getSelectedFiles, loadEntries, type KnownFile } from '../files/files.ts';
import type { CommandServices } from '../services.ts';
import { confirmSubmission } from './submissionSummary.ts';
import { submitTransfers } from './submitTransfers.ts';
import {
  askTransferDetails,
  confirmKnownDetails,
  findLastDestination,
  type TransferDetails,
} from './transferDetailsPrompt.ts';
import { getCommandTitle, getDialogTitle } from '../../words/commandTitles.ts';

type FileRow = FileNode | FileRef;

/** Transfers the given files, otherwise the checked, selected or picked ones. */
export async function transferFiles(
  services: CommandServices,
  argument: FileRow | undefined,
  selection: readonly FileRow[] | undefined,
): Promise<void> {
  await transfer(services, getSelectedFiles(argument, selection), false);
}

/** Transfers the checked files, those selected in the view, or those that the user picks. */
export async function transferCheckedFiles(services: CommandServices): Promise<void> {
  await transfer(services, [], false);
}

/** Transfers given, checked, selected or picked files. If the last destination is usable, only asks to confirm. */
export async function transferToLastDestination(
  services: CommandServices,
  argument: FileRow | undefined,
  selection: readonly FileRow[] | undefined,
): Promise<void> {
  await transfer(services, getSelectedFiles(argument, selection), true);
}

/** Transfers files, and unchecks those that the service has accepted. */
async function transfer(
  services: CommandServices,
  given: readonly KnownFile[],
  isToLastDestination: boolean,
): Promise<void> {
  const session = await requireSession(services);
  if (!session) return;
  const files =
    given.length > 0 ? given : await chooseCheckedFiles(services, getDialogTitle('dataTransfer.transferFiles'));
  const prepared = files && (await prepareTransfer(services, session, files));
  if (!prepared) return;
  const orders = await confirmOrders(services, prepared, isToLastDestination);
  for (const { order, transfer: submitted } of await submitTransfers(services, orders)) {
    // If there is an ID, the service has accepted the transfer.
    if (submitted?.id === undefined) continue;
    const { connectionId, source } = order;
    services.searchStore.uncheckFiles(
      connectionId,
      order.files.map(({ id }) => ({ database: source, id })),
    );
  }
}

/** Files to transfer, and the user for whom they are transferred. */
interface PreparedTransfer {
  readonly connectionId: string;
  readonly orcid: string;
  readonly files: readonly KnownFile[];
  /** Names of the databases that contain the files. */
  readonly sources: readonly string[];
}

async function prepareTransfer(
  services: CommandServices,
  { connection }: OpenConnection,
  given: readonly KnownFile[],
): Promise<PreparedTransfer | undefined> {
  const connectionId = connection.id;
  const files = await chooseActiveFiles(services, connection, given);
  const orcid = files && (await requireOrcid(services, connectionId));
  if (!files || orcid === undefined) return undefined;
  const sources = [...new Set(files.map(({ ref }) => ref.database))];
  return { connectionId, orcid, files, sources };
}

/** Asks for details and confirmation. Returns an order for each source, or an empty array if the user cancels. */
async function confirmOrders(
  services: CommandServices,
  prepared: PreparedTransfer,
  isToLastDestination: boolean,
): Promise<readonly TransferOrder[]> {
  const { connectionId, sources } = prepared;
  let orders: readonly TransferOrder[] = [];
  const confirm = async (details: TransferDetails, backLabel: string): ReturnType<Step> => {
    const files = await withLateProgress(l10n.t('Fetching metadata'), (signal) =>
      loadEntries(services.metadataFlow, prepared.files, signal),
    );
    orders = createOrders({ ...prepared, files }, details);
    return await confirmSubmission(services, orders, {
      backLabel,
      getStaging: createReportedStagingLookup(files),
      onLeaveOut: (remaining) => (orders = remaining),
    });
  };
  const last = isToLastDestination ? await findLastDestination(services, prepared) : undefined;
  if (last !== undefined) {
    const confirmLast = (): ReturnType<Step> => confirm({ destination: last }, l10n.t('Edit…'));
    const outcome = await confirmKnownDetails(services, last, confirmLast);
    if (outcome !== 'back') return outcome === 'next' ? orders : [];
  }
  const confirmDetails = (details: TransferDetails): ReturnType<Step> => confirm(details, l10n.t('Back'));
  const options = { connectionId, confirm: confirmDetails };
  return (await askTransferDetails(services, sources, options)) ? orders : [];
}

function createOrders(
  { connectionId, orcid, sources, files }: PreparedTransfer,
  details: TransferDetails,
): readonly TransferOrder[] {
  return sources.map((source) => ({
    connectionId,
    orcid,
    source,
    files: getFilesOfSource(source, files),
    ...details,
  }));
}

function getFilesOfSource(source: string, files: readonly KnownFile[]): readonly TransferFile[] {
  const chosen = files.filter(({ ref }) => ref.database === source);
  const problem = describeNested(chosen.flatMap(({ entry }) => entry ?? []));
  if (problem !== '') throw new CommandFailure(problem);
  return chosen.map(({ ref, entry }) => createTransferFile(ref, entry));
}

function createReportedStagingLookup(files: readonly KnownFile[]): StagingLookup {
  const toKey = ({ database, id }: { readonly database: string; readonly id: string }): string =>
    JSON.stringify([database, id]);
  const reported = new Map(files.map(({ ref, entry }) => [toKey(ref), entry && getReportedStaging(entry)]));
  return (file) => reported.get(toKey(file));
}

const maxListed = 5;
const maxNameLength = 60;

/**
 * Returns the files if all belong to the active connection. Otherwise, names the other connections and asks whether to
 * transfer only the files of the active one, or to switch. Returns undefined if no transfer is to start.
 */
async function chooseActiveFiles(
  services: CommandServices,
  active: Connection,
  files: readonly KnownFile[],
): Promise<readonly KnownFile[] | undefined> {
  const own = files.filter(({ ref }) => ref.connectionId === active.id);
  if (own.length === files.length) return files;
  const others = countByConnection(files.filter(({ ref }) => ref.connectionId !== active.id));
  const only = own.length > 0 ? plural(own.length, 'Only This File', 'Only These {0} Files') : undefined;
  const [id = '', ...more] = others.keys();
  const name = more.length > 0 ? '' : formatConnectionName(services, id);
  const change = name === '' ? getCommandTitle('dataTransfer.switchConnection') : l10n.t('Switch to {0}', name);
  const answer = await services.notifications.choose(
    'info',
    describeOthers(files.length - own.length, files.length, toShortLine(active.name, maxNameLength)),
    formatCounts(services, others),
    ...[only, change].filter((label) => label !== undefined),
  );
  if (answer === change) await switchConnection(services, name === '' ? undefined : { kind: 'connection', id });
  return answer !== undefined && answer === only ? own : undefined;
}

function countByConnection(files: readonly KnownFile[]): ReadonlyMap<string, number> {
  const counts = new Map<string, number>();
  for (const { ref } of files) counts.set(ref.connectionId, (counts.get(ref.connectionId) ?? 0) + 1);
  return counts;
}

function describeOthers(count: number, total: number, name: string): string {
  if (total === 1) return l10n.t("This file doesn't belong to {0}, the active connection.", name);
  if (count === total) return l10n.t('None of these files belong to {0}, the active connection.', name);
  return plural(
    count,
    "{0} of these {1} files doesn't belong to {2}, the active connection.",
    "{0} of these {1} files don't belong to {2}, the active connection.",
    formatNumber(total),
    name,
  );
}

function formatCounts(services: CommandServices, counts: ReadonlyMap<string, number>): string {
  const lines = [...counts].slice(0, maxListed).map(([id, count]) => {
    const name = formatConnectionName(services, id) || l10n.t('Removed connection');
    return l10n.t('{0}: {1}', name, formatFileCount(count));
  });
  const rest = counts.size - maxListed;
  return [...lines, ...(rest > 0 ? [plural(rest, '{0} other', '{0} others')] : [])].join('\n');
}

function formatConnectionName(services: CommandServices, id: string): string {
  return toShortLine(getConnectionName(services, id), maxNameLength);
}
