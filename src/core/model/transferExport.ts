import { formatRow, type Cell } from '../util/csv.ts';
import { parseOrcid } from '../util/userIdentity.ts';
import { getFileCount, getServiceName, hasEnded, type Transfer } from './transferModel.ts';
import { getProgress } from './transferOutcome.ts';

/**
 * Returns the counts of a transfer by their names in the documents of the command line and agents. Unknown counts are
 * absent, and those of bytes also after the end.
 */
export function nameAmounts(transfer: Transfer): Readonly<Record<string, number>> {
  const { moved, total, bytes } = getProgress(transfer);
  const amounts = {
    files: total,
    transferredFiles: moved,
    bytes: bytes?.total,
    transferredBytes: bytes?.copied,
    stagedBytes: bytes?.staged,
    verifiedBytes: bytes?.verified,
  };
  const known = Object.entries(amounts).flatMap(([name, amount]) => (amount === undefined ? [] : [[name, amount]]));
  return Object.fromEntries(known) as Record<string, number>;
}

interface ExportContext {
  /** Returns the name of a connection; empty or undefined if the connection is unknown. */
  getConnectionName(connectionId: string): string | undefined;
}

/** Yields a JSON document with the transfers and all of their files, in chunks. Times are ISO 8601 in UTC. */
export function* exportAsJson(transfers: Iterable<Transfer>, context: ExportContext): Generator<string> {
  yield '{\n "version": 1,\n "transfers": [';
  let separator = '\n';
  for (const transfer of transfers) {
    yield `${separator}${JSON.stringify(toExportedTransfer(transfer, context), undefined, 1)}`;
    separator = ',\n';
  }
  yield '\n ]\n}\n';
}

function toExportedTransfer(transfer: Transfer, context: ExportContext): object {
  const { key, id, state, createdAt, changes, status, askedAt, order, problem } = transfer;
  const { connectionId, ...request } = order;
  return {
    key,
    id,
    service: getServiceName(transfer, context.getConnectionName(connectionId)),
    state,
    startedElsewhere: transfer.startedElsewhere,
    replacedBy: transfer.replacedBy,
    ...request,
    orcid: getOrcid(transfer),
    begun: formatIsoTime(createdAt),
    changes: changes.map((change) => ({ state: change.state, at: formatIsoTime(change.at) })),
    cancelAccepted: formatIsoTime(transfer.cancelAcceptedAt),
    asked: formatIsoTime(askedAt),
    status,
    problem,
  };
}

/** The columns of the CSV export. Their names must not change, because programs and spreadsheets refer to them. */
const recordColumns: Readonly<Record<string, (transfer: Transfer, context: ExportContext) => Cell>> = {
  id: ({ id }) => id,
  service: (transfer, context) => getServiceName(transfer, context.getConnectionName(transfer.order.connectionId)),
  source: ({ order }) => order.source,
  destination: ({ order }) => order.destination,
  state: ({ state }) => state,
  files: getFileCount,
  files_transferred: ({ status }) => status?.movedFileCount,
  size_bytes: getSizeBytes,
  begun: ({ createdAt }) => formatIsoTime(createdAt),
  ended: ({ state, changes }) => (hasEnded(state) ? formatIsoTime(changes.at(-1)?.at) : undefined),
  orcid: getOrcid,
  description: ({ order }) => order.description,
  message: ({ status }) => status?.message,
};

/**
 * Yields the transfers as CSV (RFC 4180), line by line, without their files. Puts an apostrophe before text that a
 * spreadsheet could interpret as a formula, and replaces control characters. Times are ISO 8601 in UTC.
 */
export function* exportAsCsv(transfers: Iterable<Transfer>, context: ExportContext): Generator<string> {
  yield formatRow(Object.keys(recordColumns));
  for (const transfer of transfers)
    yield formatRow(Object.values(recordColumns).map((cell) => cell(transfer, context)));
}

/** Returns the ORCID iD of the user; undefined for a login name of the local service (D19: ORCID iD format). */
function getOrcid({ order: { orcid } }: Transfer): string | undefined {
  return parseOrcid(orcid) === undefined ? undefined : orcid;
}

function getSizeBytes({ order, startedElsewhere }: Transfer): number | undefined {
  const sizes = order.files.map(({ sizeBytes }) => sizeBytes);
  return startedElsewhere || sizes.includes(undefined)
    ? undefined
    : sizes.reduce<number>((sum, size) => sum + (size ?? 0), 0);
}

function formatIsoTime(at: number | undefined): string | undefined {
  return at === undefined ? undefined : new Date(at).toISOString();
}
