import { l10n } from 'vscode';
import type { MetadataFlow } from '../../core/flows/metadataFlow.ts';
import type { Session, Sessions } from '../../core/flows/sessions.ts';
import { stagingToldOf } from '../../core/model/staging.ts';
import type { TransferFile, TransferOrder } from '../../core/model/transfer.ts';
import type { ConnectionStore } from '../../core/store/connectionStore.ts';
import type { SearchStore } from '../../core/store/searchStore.ts';
import { CommandFailure } from '../../host/commandBoundary.ts';
import type { FileNode, FileRef } from '../../host/contributions.ts';
import type { StagingLookup } from '../../host/summaryWords.ts';
import { requireSession, type ConnectionParts } from '../connections/connections.ts';
import { askFiles, filesOf, known, withEntries, type KnownFile } from '../files/files.ts';
import { requireOrcid } from '../connections/setOrcid.ts';
import { confirmSummary, submitOrders, type SubmissionParts, type Submitted } from './submission.ts';
import { askTransferDetails, type DetailsParts } from './transferDetails.ts';

/** What these commands need. */
export interface TransferFilesParts extends ConnectionParts, DetailsParts, SubmissionParts {
  readonly sessions: Sessions;
  readonly connectionStore: ConnectionStore;
  readonly searchStore: SearchStore;
  readonly metadataFlow: MetadataFlow;
}

/** Transfers the files it was started on; from the palette the checked ones, or asks which. */
export async function transferFiles(
  parts: TransferFilesParts,
  argument: FileNode | FileRef | undefined,
  selection: readonly (FileNode | FileRef)[] | undefined,
): Promise<void> {
  const started = filesOf(argument, selection);
  if (started.length === 0 && parts.searchStore.checked.count > 0) {
    await transferCheckedFiles(parts);
    return;
  }
  const session = await requireSession(parts);
  if (!session) return;
  const files = started.length > 0 ? started : await askFiles(parts.searchStore, l10n.t('Transfer Files'));
  if (files) await transferAll(parts, session, files);
}

/** Transfers the checked files of all searches; those that are on their way are checked no longer, the others stay checked. */
export async function transferCheckedFiles(parts: TransferFilesParts): Promise<void> {
  const session = await requireSession(parts);
  if (!session) return;
  const files = parts.searchStore.checkedFiles().map(({ connectionId, file }) => known(file, connectionId));
  if (files.length === 0) {
    throw new CommandFailure(l10n.t('No files are checked. Check files in the search results first.'));
  }
  for (const { order, transfer } of await transferAll(parts, session, files)) {
    // The service gave it an id: it has accepted it, whatever it is doing by now.
    if (transfer?.id === undefined) continue;
    const { connectionId, source } = order;
    parts.searchStore.uncheckFiles(
      connectionId,
      order.files.map(({ id }) => ({ database: source, id })),
    );
  }
}

/** Asks for what a transfer needs, and submits one for each source. What came of each; empty when the person left. */
async function transferAll(
  parts: TransferFilesParts,
  session: Session,
  given: readonly KnownFile[],
): Promise<readonly Submitted[]> {
  const connectionId = session.connection.id;
  if (given.some(({ ref }) => ref.connectionId !== connectionId)) {
    throw new CommandFailure(l10n.t('Some of the files belong to another service. Switch to it to transfer them.'));
  }
  const orcid = await requireOrcid(parts);
  if (orcid === undefined) return [];
  const sources = [...new Set(given.map(({ ref }) => ref.database))];
  let files = given;
  let orders: readonly TransferOrder[] = [];
  const isWanted = await askTransferDetails(parts, sources, {
    confirm: async (details) => {
      files = await withEntries(parts.metadataFlow, files);
      orders = sources.map((source) => ({ connectionId, orcid, source, files: filesFrom(source, files), ...details }));
      return await confirmSummary(parts, orders, { canGoBack: true, stagingOf: stagingTold(files) });
    },
  });
  return isWanted ? await submitOrders(parts, orders) : [];
}

function filesFrom(source: string, files: readonly KnownFile[]): readonly TransferFile[] {
  return files
    .filter(({ ref }) => ref.database === source)
    .map(({ ref, entry }) => ({
      id: ref.id,
      name: ref.name,
      ...(entry?.sizeBytes !== undefined && { sizeBytes: entry.sizeBytes }),
    }));
}

/** How the files are staged, as far as their own metadata tells. */
function stagingTold(files: readonly KnownFile[]): StagingLookup {
  const name = ({ database, id }: { readonly database: string; readonly id: string }): string =>
    JSON.stringify([database, id]);
  const told = new Map(files.map(({ ref, entry }) => [name(ref), entry && stagingToldOf(entry)]));
  return (file) => told.get(name(file));
}
