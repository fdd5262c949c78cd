import { l10n } from 'vscode';
import type { MetadataFlow } from '../core/flows/metadataFlow.ts';
import type { Session, Sessions } from '../core/flows/sessions.ts';
import type { Transfer, TransferFile } from '../core/model/transfer.ts';
import type { ConnectionStore } from '../core/store/connectionStore.ts';
import type { SearchStore } from '../core/store/searchStore.ts';
import { CommandFailure } from '../host/commandRegistry.ts';
import type { FileNode, FileRef } from '../host/contributions.ts';
import { requireSession, type ConnectionParts } from './connections.ts';
import { askFiles, filesOf, known, withEntries, type KnownFile } from './files.ts';
import { requireOrcid } from './setOrcid.ts';
import { confirmSummary, submitOrder, type SubmissionParts } from './submission.ts';
import { askTransferDetails } from './transferDetails.ts';

/** What these commands need. */
export interface TransferFilesParts extends ConnectionParts, SubmissionParts {
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
  if (files) await transfer(parts, session, files);
}

/** Transfers the checked files of all searches; once they are on their way they are checked no longer. */
export async function transferCheckedFiles(parts: TransferFilesParts): Promise<void> {
  const session = await requireSession(parts);
  if (!session) return;
  const files = parts.searchStore.checkedFiles().map(({ connectionId, file }) => known(file, connectionId));
  if (files.length === 0) {
    throw new CommandFailure(l10n.t('No files are checked. Check files in the search results first.'));
  }
  if (await transfer(parts, session, files)) parts.searchStore.uncheck();
}

/** True when anything was submitted and accepted. */
async function transfer(parts: TransferFilesParts, session: Session, given: readonly KnownFile[]): Promise<boolean> {
  const connectionId = session.connection.id;
  if (given.some(({ ref }) => ref.connectionId !== connectionId)) {
    throw new CommandFailure(l10n.t('Some of the files belong to another service. Switch to it to transfer them.'));
  }
  const orcid = await requireOrcid(parts);
  if (orcid === undefined) return false;
  const sources = [...new Set(given.map(({ ref }) => ref.database))];
  const details = await askTransferDetails(parts, sources);
  if (!details) return false;
  const files = await withEntries(parts.metadataFlow, given);
  const filesOfSource = (source: string): readonly TransferFile[] =>
    files.filter(({ ref }) => ref.database === source).map(fileOf);
  const orders = sources.map((source) => ({ connectionId, orcid, source, files: filesOfSource(source), ...details }));
  if (!(await confirmSummary(parts, orders))) return false;
  await parts.memory.remember('lastDestination', details.destination);
  const transfers: Transfer[] = [];
  for (const order of orders) transfers.push(await submitOrder(parts, order));
  return transfers.some(({ id }) => id !== undefined);
}

function fileOf({ ref, entry }: KnownFile): TransferFile {
  return { id: ref.id, name: ref.name, ...(entry?.sizeBytes !== undefined && { sizeBytes: entry.sizeBytes }) };
}
