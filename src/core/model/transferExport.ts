import { fileCountOf, hasEnded, type Transfer } from './transfer.ts';

/** What an export takes from elsewhere. */
export interface ExportContext {
  /** What the person calls a connection; its id where it is no longer known. */
  connectionName(connectionId: string): string;
}

/** The transfers as one JSON document with all their files, piece by piece. Times are ISO 8601 in UTC. */
export function* transfersAsJson(transfers: Iterable<Transfer>, context: ExportContext): Generator<string> {
  yield '{\n "version": 1,\n "transfers": [';
  let separator = '\n';
  for (const transfer of transfers) {
    yield `${separator}${JSON.stringify(exported(transfer, context), undefined, 1)}`;
    separator = ',\n';
  }
  yield '\n ]\n}\n';
}

function exported(transfer: Transfer, context: ExportContext): object {
  const { key, id, state, createdAt, changes, status, askedAt, order, problem } = transfer;
  const { connectionId, ...asked } = order;
  return {
    key,
    id,
    service: context.connectionName(connectionId),
    state,
    startedElsewhere: transfer.startedElsewhere,
    replacedBy: transfer.replacedBy,
    ...asked,
    begun: isoTime(createdAt),
    changes: changes.map((change) => ({ state: change.state, at: isoTime(change.at) })),
    cancelAccepted: isoTime(transfer.cancelAcceptedAt),
    asked: isoTime(askedAt),
    status,
    problem,
  };
}

type Cell = string | number | undefined;

const columns: Readonly<Record<string, (transfer: Transfer, context: ExportContext) => Cell>> = {
  id: ({ id }) => id,
  service: ({ order }, context) => context.connectionName(order.connectionId),
  source: ({ order }) => order.source,
  destination: ({ order }) => order.destination,
  state: ({ state }) => state,
  files: fileCountOf,
  files_transferred: ({ status }) => status?.movedFileCount,
  size_bytes: sizeBytesOf,
  begun: ({ createdAt }) => isoTime(createdAt),
  ended: ({ state, changes }) => (hasEnded(state) ? isoTime(changes.at(-1)?.at) : undefined),
  orcid: ({ order }) => order.orcid,
  description: ({ order }) => order.description,
  message: ({ status }) => status?.message,
};

/**
 * The transfers as a table, one row each, line by line, by RFC 4180; the files themselves are in the JSON form only.
 * Text that a spreadsheet could take for a formula has an apostrophe before it, and control characters are replaced.
 * Times are ISO 8601 in UTC.
 */
export function* transfersAsCsv(transfers: Iterable<Transfer>, context: ExportContext): Generator<string> {
  yield row(Object.keys(columns));
  for (const transfer of transfers) yield row(Object.values(columns).map((cell) => cell(transfer, context)));
}

function row(cells: readonly Cell[]): string {
  return `${cells.map(csvCell).join(',')}\r\n`;
}

/** Formula signs, in the full and small widths of East Asian spreadsheets too, behind anything that is not seen. */
const formulaStart = /^(?:[\s\p{C}\ufffd]*[=+\-@＝＋－＠﹦﹢﹣﹫]|[\t\r\n])/u;
const unsafeControl = /[^\P{Cc}\t\r\n]/gu;

function csvCell(cell: Cell): string {
  if (typeof cell === 'number' || cell === undefined) return String(cell ?? '');
  const text = cell.replace(unsafeControl, '\ufffd');
  const harmless = formulaStart.test(text) ? `'${text}` : text;
  // Where the locale separates by semicolons or tabs, a spreadsheet splits a cell that isn't quoted.
  return /[",;\t\r\n]/.test(harmless) ? `"${harmless.replaceAll('"', '""')}"` : harmless;
}

function sizeBytesOf({ order, startedElsewhere }: Transfer): number | undefined {
  const sizes = order.files.map(({ sizeBytes }) => sizeBytes);
  return startedElsewhere || sizes.includes(undefined)
    ? undefined
    : sizes.reduce<number>((sum, size) => sum + (size ?? 0), 0);
}

function isoTime(at: number | undefined): string | undefined {
  return at === undefined ? undefined : new Date(at).toISOString();
}
