import { l10n } from 'vscode';
import type { OpenConnection } from '../../../core/flows/openConnections.ts';
import type { DatabaseNode, LeftOutNode } from '../../editor/contributions.ts';
import { createNoDatabasesHint } from '../../notifications/nextSteps.ts';
import { getActiveDatabases } from '../connections/activeDatabases.ts';
import { getOrOpenConnection } from '../connections/connectionOpener.ts';
import { requireSession } from '../connections/connectionPicker.ts';
import { requireOrcid } from '../connections/setOrcid.ts';
import type { CommandServices } from '../services.ts';
import { toSearchQuery, type SearchDraft } from './searchOptions.ts';
import { askAllFiles, askSearch, createDraft } from './searchPrompt.ts';

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
  const search = await askAllFiles(services, session, l10n.t('List All Files'), node?.name);
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
  const options = { title: l10n.t('Search Files'), draft, isDatabaseGiven: node !== undefined, hasFilterStep };
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
  const title = l10n.t('Search All Databases');
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
