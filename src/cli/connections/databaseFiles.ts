import type { OpenConnection } from '../../core/flows/openConnections.ts';
import type { FileEntry } from '../../core/model/fileEntry.ts';
import type { SearchQuery } from '../../core/model/searchModel.ts';
import { createRequestError } from '../cliError.ts';
import { toPlainCell } from '../text/terminalText.ts';
import type { CliSession } from './cliSession.ts';

const maxPageSize = 1000;

/**
 * Returns up to `count` files that match a query. `hasMore` is true if there may be more. Throws an error if a request
 * fails.
 */
export async function loadFiles(
  { explorer }: CliSession,
  connection: OpenConnection,
  query: Omit<SearchQuery, 'pageSize'>,
  count: number,
): Promise<{ readonly files: readonly FileEntry[]; readonly hasMore: boolean }> {
  const { searchFlow, searchStore } = explorer;
  const key = await searchFlow.run(connection, { ...query, pageSize: Math.min(count, maxPageSize) });
  if (searchStore.get(key)?.mayHaveMore && !searchStore.get(key)?.reason) await searchFlow.loadUpTo(key, count);
  const { files = [], reason, mayHaveMore = false } = searchStore.get(key) ?? {};
  if (reason) throw createRequestError(`Couldn't search ${toPlainCell(query.database)}`, reason);
  const entries = files.flatMap((file) => (file.kind === 'file' ? [file] : []));
  return { files: entries.slice(0, count), hasMore: mayHaveMore || entries.length > count };
}
