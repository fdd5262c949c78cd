import type { Transfer } from '../model/transferModel.ts';
import { maxUserDataBytes, UserDataSizeError, userDataFormat, userDataVersion, type UserData } from './userData.ts';
import { parseConnection, parseServedEntry, parseTransfer } from './userDataSchema.ts';

interface FormatOptions {
  readonly maxBytes?: number;
  readonly onOmit?: () => void;
}

/**
 * Returns the data that may be exported. Omits unknown fields of the settings, entries that are invalid or seem to
 * contain a key, and the permission to send a key over plain HTTP, which applies to one network only (D4: server
 * address). The transfers are unchanged, because {@link formatUserData} filters transfers as it writes them.
 */
export function selectExportable({ connections, databases, ...data }: UserData): UserData {
  return {
    ...data,
    connections: connections.flatMap((connection) => parseConnection(connection) ?? []),
    databases: databases.flatMap((entry) => parseServedEntry(entry) ?? []),
  };
}

/**
 * Yields a user data file in chunks. The file has one entry per line, with the transfers in order of creation. Omits
 * the transfers' unknown fields and any description, instructions or connection name that seems to contain a key. Calls
 * `onOmit` for each transfer that an import would reject, and omits it. Throws {@link UserDataSizeError} before the
 * file exceeds `maxBytes`.
 */
export function* formatUserData(
  data: UserData,
  exportedAt: number,
  { maxBytes = maxUserDataBytes, onOmit = () => undefined }: FormatOptions = {},
): Generator<string> {
  let bytes = 0;
  for (const piece of formatPieces(selectExportable(data), exportedAt, onOmit)) {
    bytes += Buffer.byteLength(piece);
    if (bytes > maxBytes) throw new UserDataSizeError();
    yield piece;
  }
}

function* formatPieces(data: UserData, exportedAt: number, onOmit: () => void): Generator<string> {
  yield `{\n "format": ${JSON.stringify(userDataFormat)},\n "version": ${String(userDataVersion)}`;
  yield `,\n "exported": ${JSON.stringify(new Date(exportedAt).toISOString())}`;
  if (data.orcid !== undefined) yield `,\n "orcid": ${JSON.stringify(data.orcid)}`;
  yield* formatList('connections', data.connections);
  yield* formatList('databases', data.databases);
  yield* formatList('transfers', selectTransfers(data.transfers.toSorted(compareTransfers), onOmit));
  yield '\n}\n';
}

function* selectTransfers(transfers: readonly Transfer[], onOmit: () => void): Generator<Transfer> {
  for (const transfer of transfers) {
    const selected = parseTransfer(transfer);
    if (selected) yield selected;
    else onOmit();
  }
}

function* formatList(name: string, entries: Iterable<object>): Generator<string> {
  yield `,\n "${name}": [`;
  let isFirst = true;
  for (const entry of entries) {
    yield `${isFirst ? '' : ','}\n  ${JSON.stringify(entry)}`;
    isFirst = false;
  }
  yield isFirst ? ']' : '\n ]';
}

function compareTransfers(one: Transfer, other: Transfer): number {
  return one.createdAt - other.createdAt || (one.key < other.key ? -1 : 1);
}
