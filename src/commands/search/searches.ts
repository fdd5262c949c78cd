import { l10n } from 'vscode';
import type { Session } from '../../core/flows/sessions.ts';
import type { Search, SearchStore } from '../../core/store/searchStore.ts';
import { CommandFailure } from '../../host/commandBoundary.ts';
import { alone, pickOne } from '../../host/quickInput.ts';
import { countText, databaseText, filtersText, wantedText } from '../../host/searchWords.ts';
import { openConnection, type ConnectionParts } from '../connections/connections.ts';

/** What finding a search and its service needs. */
export interface SearchesParts extends ConnectionParts {
  readonly searchStore: SearchStore;
}

/** The only search there is for something, or the one that the person picks. Undefined when the person left. */
export async function keyOf(
  searches: readonly Search[],
  placeholder: string,
  nothing = l10n.t('There is no search for this. Search for files first.'),
): Promise<string | undefined> {
  const [first, second] = searches;
  if (!first) throw new CommandFailure(nothing);
  if (!second) return first.key;
  const answer = await pickOne(alone(l10n.t('Searches')), {
    placeholder,
    choices: searches.map((search) => ({
      label: wantedText(search.query),
      description: searchText(search),
      value: search.key,
    })),
  });
  return typeof answer === 'string' ? undefined : answer.value;
}

function searchText(search: Search): string {
  const { query } = search;
  return [databaseText(query.database), filtersText(query), countText(search)].filter(Boolean).join(' · ');
}

/** The session that a search asks; opens its connection again where it was closed. Undefined when the person left. */
export async function sessionOf(
  parts: ConnectionParts,
  { connectionId }: Pick<Search, 'connectionId'>,
): Promise<Session | undefined> {
  return parts.sessions.get(connectionId) ?? (await openConnection(parts, connectionId));
}

/** Whether the service of a search can be asked: its connection is opened again where it was closed. */
export async function canAsk(parts: SearchesParts, key: string): Promise<boolean> {
  const search = parts.searchStore.get(key);
  return search !== undefined && (await sessionOf(parts, search)) !== undefined;
}
