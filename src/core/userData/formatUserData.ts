import type { Connection } from '../model/connection.ts';
import type { Transfer } from '../model/transferModel.ts';
import { omit } from '../util/omit.ts';
import { userDataFormat, userDataVersion, type UserData } from './userData.ts';

/** Yields a user data file in chunks. Each entry is a line; the order depends only on the content. */
export function* formatUserData(data: UserData, exportedAt: number): Generator<string> {
  yield `{\n "format": ${JSON.stringify(userDataFormat)},\n "version": ${String(userDataVersion)}`;
  yield `,\n "exported": ${JSON.stringify(new Date(exportedAt).toISOString())}`;
  if (data.orcid !== undefined) yield `,\n "orcid": ${JSON.stringify(data.orcid)}`;
  yield* formatList('connections', data.connections.map(withoutPermission));
  yield* formatList('databases', data.databases);
  yield* formatList('transfers', data.transfers.toSorted(compareTransfers));
  yield '\n}\n';
}

function* formatList(name: string, entries: readonly object[]): Generator<string> {
  yield `,\n "${name}": [`;
  for (const [index, entry] of entries.entries()) yield `${index === 0 ? '' : ','}\n  ${JSON.stringify(entry)}`;
  yield entries.length === 0 ? ']' : '\n ]';
}

/** Omits the permission to send a key over plain HTTP, which is for one network (D4: server address). */
function withoutPermission(connection: Connection): object {
  return omit(connection, 'allowInsecureHttp');
}

function compareTransfers(one: Transfer, other: Transfer): number {
  return one.createdAt - other.createdAt || (one.key < other.key ? -1 : 1);
}
