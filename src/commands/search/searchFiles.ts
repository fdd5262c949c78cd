import { l10n } from 'vscode';
import type { SearchFlow } from '../../core/flows/searchFlow.ts';
import type { Session } from '../../core/flows/sessions.ts';
import type { SearchQuery } from '../../core/model/searchQuery.ts';
import type { ConnectionStore } from '../../core/store/connectionStore.ts';
import type { LeftOutSearches, SearchStore } from '../../core/store/searchStore.ts';
import { CommandFailure } from '../../host/commandBoundary.ts';
import type { DatabaseNode, LeftOutNode, SearchNode } from '../../host/contributions.ts';
import { requireSession, type ConnectionParts } from '../connections/connections.ts';
import { editIds, type FindFilesParts } from '../files/findFiles.ts';
import { askSearch, draftOf, type SearchDraftParts } from './searchDraft.ts';
import { keyOf, sessionOf } from './searches.ts';
import type { SearchDraft } from './searchOptions.ts';
import { requireOrcid } from '../connections/setOrcid.ts';

/** What these commands need. */
export interface SearchFilesParts extends ConnectionParts, SearchDraftParts, FindFilesParts {
  readonly connectionStore: ConnectionStore;
  readonly searchStore: SearchStore;
  readonly searchFlow: SearchFlow;
  /** Shows a search that has begun. */
  revealSearches(): void;
}

/** Asks for what is missing, database, words and options, and searches. */
export async function searchFiles(parts: SearchFilesParts, node: DatabaseNode | undefined): Promise<void> {
  const session = await requireSession(parts);
  if (!session || (await requireOrcid(parts)) === undefined) return;
  const draft = await (node ? draftOf(parts, session, { database: node.name }) : draftOf(parts, session));
  const title = l10n.t('Search Files');
  const wanted = await askSearch(parts, session, { title, draft, isDatabaseGiven: node !== undefined });
  if (wanted) await start(parts, session, wanted);
}

/**
 * Asks for words and options, and searches every database for them, except those that are known to refuse such a search
 * (D38). From the line that names those, it searches them too.
 */
export async function searchAllDatabases(parts: SearchFilesParts, node: LeftOutNode | undefined): Promise<void> {
  const { leftOut } = parts.searchStore;
  if (node && leftOut) {
    await includeLeftOut(parts, leftOut);
    return;
  }
  const session = await requireSession(parts);
  if (!session || (await requireOrcid(parts)) === undefined) return;
  if (parts.connectionStore.listing.databases.length === 0) {
    throw new CommandFailure(l10n.t('The service has no databases to search.'));
  }
  const draft = await draftOf(parts, session, {});
  const title = l10n.t('Search All Databases');
  const wanted = await askSearch(parts, session, { title, draft, isDatabaseGiven: true });
  if (wanted) await start(parts, session, wanted);
}

/**
 * Asks again for the words and options of a search, and searches for them. The new search takes the place of the old
 * one, unless files of that are checked.
 */
export async function refineSearch(parts: SearchFilesParts, node: SearchNode | undefined): Promise<void> {
  const { searchStore, searchFlow } = parts;
  const key = node?.key ?? (await keyOf(searchStore.all(), l10n.t('Select the search to refine')));
  const search = key === undefined ? undefined : searchStore.get(key);
  const session = search && (await sessionOf(parts, search));
  if (!session || (await requireOrcid(parts)) === undefined) return;
  const query = search.query.ids ? await editIds(parts, search.query) : await editWords(parts, session, search.query);
  if (!query) return;
  const found = searchFlow.run(session, query);
  if (searchStore.checkedCount(search.key) === 0) searchFlow.dismiss([search.key]);
  await found;
}

async function editWords(
  parts: SearchFilesParts,
  session: Session,
  { database, query, status, pageSize, specific }: SearchQuery,
): Promise<SearchQuery | undefined> {
  const draft = { database, query, status, pageSize, specific };
  const wanted = await askSearch(parts, session, { title: l10n.t('Refine Search'), draft, isDatabaseGiven: true });
  return wanted && queryOf(wanted, database);
}

async function start(parts: SearchFilesParts, session: Session, draft: SearchDraft): Promise<void> {
  const { searchFlow } = parts;
  const { database } = draft;
  const found =
    database === undefined
      ? searchFlow.runWhereAccepted(session, allQueries(parts, draft))
      : searchFlow.runAll(session, [queryOf(draft, database)]);
  parts.revealSearches();
  await found;
}

async function includeLeftOut(parts: SearchFilesParts, leftOut: LeftOutSearches): Promise<void> {
  const session = await sessionOf(parts, leftOut);
  if (session && (await requireOrcid(parts)) !== undefined) await parts.searchFlow.runLeftOut(session);
}

function allQueries({ connectionStore }: SearchFilesParts, draft: SearchDraft): readonly SearchQuery[] {
  return connectionStore.listing.databases.map(({ name }) => queryOf(draft, name));
}

function queryOf({ query, status, pageSize, specific }: SearchDraft, database: string): SearchQuery {
  return { database, query, pageSize, ...(status && { status }), ...(specific && { specific }) };
}
