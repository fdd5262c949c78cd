import { l10n } from 'vscode';
import type { MetadataFlow } from '../core/flows/metadataFlow.ts';
import type { Session, Sessions } from '../core/flows/sessions.ts';
import type { TransferFlow } from '../core/flows/transferFlow.ts';
import type { Transfer, TransferFile, TransferOrder } from '../core/model/transfer.ts';
import type { ConnectionStore } from '../core/store/connectionStore.ts';
import type { SearchStore } from '../core/store/searchStore.ts';
import { CommandFailure } from '../host/commandRegistry.ts';
import type { FileNode, FileRef } from '../host/contributions.ts';
import type { Notices } from '../host/notices.ts';
import { filesText, plainLine, reasonText, sizeText } from '../host/words.ts';
import { requireSession, type ConnectionParts } from './connections.ts';
import { askFiles, filesOf, known, withEntries, type KnownFile } from './files.ts';
import { requireOrcid } from './setOrcid.ts';
import { askTransferDetails, type TransferDetails } from './transferDetails.ts';

/** What these commands need. */
export interface TransferFilesParts extends ConnectionParts {
  readonly sessions: Sessions;
  readonly connectionStore: ConnectionStore;
  readonly searchStore: SearchStore;
  readonly transferFlow: TransferFlow;
  readonly metadataFlow: MetadataFlow;
  readonly notices: Notices;
  /** Shows the row of a transfer that was submitted. */
  revealTransfer(key: string): void;
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
  if (given.some(({ ref }) => ref.connectionId !== session.connection.id)) {
    throw new CommandFailure(l10n.t('Some of the files belong to another service. Switch to it to transfer them.'));
  }
  const orcid = await requireOrcid(parts);
  if (orcid === undefined) return false;
  const sources = [...new Set(given.map(({ ref }) => ref.database))];
  const details = await askTransferDetails(parts, sources);
  if (!details) return false;
  const files = await withEntries(parts.metadataFlow, given);
  if (!(await confirmSummary(parts, files, sources, details))) return false;
  await parts.memory.remember('lastDestination', details.destination);
  const transfers: Transfer[] = [];
  for (const source of sources) {
    const own = files.filter(({ ref }) => ref.database === source);
    transfers.push(
      await submit(parts, { connectionId: session.connection.id, orcid, source, files: own.map(fileOf), ...details }),
    );
  }
  return transfers.some(({ state }) => state === 'accepted');
}

function fileOf({ ref, entry }: KnownFile): TransferFile {
  return { id: ref.id, name: ref.name, ...(entry?.sizeBytes !== undefined && { sizeBytes: entry.sizeBytes }) };
}

async function confirmSummary(
  { notices }: TransferFilesParts,
  files: readonly KnownFile[],
  sources: readonly string[],
  details: TransferDetails,
): Promise<boolean> {
  const known = files.flatMap(({ entry }) => (entry?.sizeBytes === undefined ? [] : [entry.sizeBytes]));
  const total = sizeText(known.reduce((sum, size) => sum + size, 0));
  const size = known.length === files.length ? total : l10n.t('{0} and files of unknown size', total);
  const question = l10n.t('Transfer {0} to {1}?', filesText(files.length), plainLine(details.destination));
  const lines = [
    l10n.t('Size: {0}', size),
    l10n.t('From: {0}', sources.map(plainLine).join(', ')),
    l10n.t('To: {0}', plainLine(details.destination)),
    sources.length > 1 ? l10n.t('This becomes {0} transfers, one for each source.', sources.length) : '',
  ];
  return await notices.confirm(question, lines.filter(Boolean).join('\n'), l10n.t('Transfer'));
}

async function submit(parts: TransferFilesParts, order: TransferOrder): Promise<Transfer> {
  const { transferFlow, notices, revealTransfer } = parts;
  const submitted = await transferFlow.submit(order);
  revealTransfer(submitted.key);
  const why = submitted.problem ? reasonText(submitted.problem) : '';
  const files = filesText(order.files.length);
  const destination = plainLine(order.destination);
  if (submitted.state === 'refused') {
    void notices.error(l10n.t('Could not transfer {0} to {1}: {2}', files, destination, why));
  } else if (submitted.state === 'notConfirmed') {
    const text = l10n.t('It is not known whether the transfer of {0} to {1} has begun: {2}', files, destination, why);
    void notices.warning(text);
  } else {
    notices.done(l10n.t('Submitted {0} to {1}.', files, destination));
  }
  return submitted;
}
