import { l10n } from 'vscode';
import type { OpenConnection } from '../../../core/connections/openConnections.ts';
import type { SearchQuery } from '../../../core/model/searchModel.ts';
import type { Search } from '../../../core/search/searchStore.ts';
import type { DatabaseNode, LeftOutNode, SearchNode } from '../../editor/contributions.ts';
import { createNoDatabasesHint } from '../../editor/nextSteps.ts';
import { getActiveDatabases, requireSession } from '../connections/connectionPicker.ts';
import { getOrOpenConnection } from '../connections/connectionOpener.ts';
import { requireOrcid } from '../connections/credentials.ts';
import { editIds } from './findFiles.ts';
import type { CommandServices } from '../services.ts';
import { toSearchQuery, type SearchDraft } from './searchOptions.ts';
import { askAllFiles, askSearch, createDraft } from './searchPrompt.ts';
import { chooseSearch } from './searches.ts';
import { getDialogTitle } from '../../words/commandTitles.ts';

/** Asks for the search terms and, unless it is given, for the database. Starts the search. */
export async function searchFiles(services: CommandServices, node: DatabaseNode | undefined): Promise<void> {
  await askAndSearch(services, node, false);
}

/** Asks for the search terms, the filters and, unless it is given, the database. Starts the search. */
export async function searchWithFilters(services: CommandServices, node: DatabaseNode | undefined): Promise<void> {
  await askAndSearch(services, node, true);
}

/** Expands a database, asks for search terms, and starts the search. Asks for the database unless it is given. */
export async function openDatabase(services: CommandServices, node: DatabaseNode | undefined): Promise<void> {
  if (node) services.views.expandDatabase(node);
  await askAndSearch(services, node, false);
}

/** Lists all files in a database. Asks for the database unless it is given. */
export async function listFiles(services: CommandServices, node: DatabaseNode | undefined): Promise<void> {
  const session = await requireSession(services);
  if (!session || (await requireOrcid(services, session.connection.id)) === undefined) return;
  const search = await askAllFiles(services, session, getDialogTitle('dataTransfer.listFiles'), node?.name);
  if (search) await startSearch(services, session, search);
}

async function askAndSearch(
  services: CommandServices,
  node: DatabaseNode | undefined,
  hasFilterStep: boolean,
): Promise<void> {
  const session = await requireSession(services);
  if (!session || (await requireOrcid(services, session.connection.id)) === undefined) return;
  const draft = await createDraft(services, session, {
    ...(node && { scope: { database: node.name } }),
    hasFilterStep,
  });
  const options = {
    title: getDialogTitle('dataTransfer.searchFiles'),
    draft,
    isDatabaseGiven: node !== undefined,
    hasFilterStep,
  };
  const search = await askSearch(services, session, options);
  if (search) await startSearch(services, session, search);
}

/**
 * Asks for terms and options, and searches every database except those known to refuse such a search (D38: learned
 * searchability). If started from the row that lists the excluded databases, repeats the last search in those databases
 * only.
 */
export async function searchAllDatabases(services: CommandServices, node: LeftOutNode | undefined): Promise<void> {
  const { searchFlow, searchStore } = services;
  const { leftOut } = searchStore;
  const isRest = node !== undefined && leftOut !== undefined;
  const session = await (isRest ? getOrOpenConnection(services, leftOut.connectionId) : requireSession(services));
  if (!session || (await requireOrcid(services, session.connection.id)) === undefined) return;
  if (isRest) {
    await searchFlow.runLeftOut(session);
    return;
  }
  if (getActiveDatabases(services, session.connection.id).length === 0) {
    throw createNoDatabasesHint();
  }
  const draft = await createDraft(services, session, { scope: {} });
  const title = getDialogTitle('dataTransfer.searchAllDatabases');
  const search = await askSearch(services, session, { title, draft, isDatabaseGiven: true });
  if (search) await startSearch(services, session, search);
}

async function startSearch(services: CommandServices, session: OpenConnection, draft: SearchDraft): Promise<void> {
  const { searchFlow, views } = services;
  const { database } = draft;
  if (database === undefined) {
    const all = getActiveDatabases(services, session.connection.id).map(({ name }) => toSearchQuery(draft, name));
    await searchFlow.runWhereAccepted(session, all, views.focusStartedSearch);
    return;
  }
  const running = searchFlow.runAll(session, [toSearchQuery(draft, database)]);
  void views.focusStartedSearch();
  await running;
}

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
  const options = {
    title: getDialogTitle('dataTransfer.refineSearch'),
    draft,
    isDatabaseGiven: true,
    hasFilterStep: true,
  };
  const edited = await askSearch(services, session, options);
  return edited && toSearchQuery(edited, database);
}
