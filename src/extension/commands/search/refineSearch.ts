import { l10n } from 'vscode';
import type { OpenConnection } from '../../../core/flows/openConnections.ts';
import type { SearchQuery } from '../../../core/model/searchModel.ts';
import type { Search } from '../../../core/store/searchStore.ts';
import type { SearchNode } from '../../editor/contributions.ts';
import { getOrOpenConnection } from '../connections/connectionOpener.ts';
import { requireOrcid } from '../connections/setOrcid.ts';
import { editIds } from '../files/findFiles.ts';
import type { CommandServices } from '../services.ts';
import { toSearchQuery } from './searchOptions.ts';
import { askSearch } from './searchPrompt.ts';
import { chooseSearch } from './searches.ts';

/**
 * Asks for new terms and options, or for new IDs, and runs the search. Removes the old search unless the user has
 * checked files in it.
 */
export async function refineSearch(services: CommandServices, node: SearchNode | undefined): Promise<void> {
  const search = await chooseSearch(services, node, l10n.t('Select the search to refine'));
  if (!search) return;
  // The available filter parameters are known only for the active connection.
  const options = { mustBeActive: search.query.ids === undefined };
  const session = await getOrOpenConnection(services, search.connectionId, options);
  if (!session || (await requireOrcid(services, session.connection.id)) === undefined) return;
  const query = await editQuery(services, session, search.query);
  if (query) await replaceSearch(services, session, search, query);
}

/** Runs a search, and removes the old one unless the user has checked files in it. */
async function replaceSearch(
  { searchStore, searchFlow, views }: CommandServices,
  session: OpenConnection,
  search: Search,
  query: SearchQuery,
): Promise<void> {
  const count = searchStore.getCheckedCount(search.key);
  // A search by IDs checks all of its files automatically, so the user didn't necessarily check them.
  const areChecksOwn = search.query.ids !== undefined && count === search.files.length;
  const running = searchFlow.run(session, query);
  if (count === 0 || areChecksOwn) searchFlow.dismiss([search.key]);
  void views.focusStartedSearch();
  await running;
}

async function editQuery(
  services: CommandServices,
  session: OpenConnection,
  earlier: SearchQuery,
): Promise<SearchQuery | undefined> {
  if (earlier.ids) return await editIds(services, earlier);
  const { database, query, status, pageSize, specific } = earlier;
  const draft = { database, query, status, pageSize, specific };
  const options = { title: l10n.t('Refine Search'), draft, isDatabaseGiven: true, hasFilterStep: true };
  const edited = await askSearch(services, session, options);
  return edited && toSearchQuery(edited, database);
}
