import { l10n } from 'vscode';
import { getMachine } from '../../../core/model/connection.ts';
import type { Search } from '../../../core/store/searchStore.ts';
import { CommandHint } from '../../editor/commandBoundary.ts';
import type { SearchNode } from '../../editor/contributions.ts';
import { createSingleStep, pickOne, type Choice } from '../../editor/quickInput.ts';
import { createResultsStep, createSearchStep } from '../../notifications/nextSteps.ts';
import { formatResultCount, getDatabaseLabel, describeFilters, describeSearchTerms } from '../../words/searchWords.ts';
import { getOrOpenConnection } from '../connections/connectionOpener.ts';
import type { CommandServices } from '../services.ts';

/** The criteria for the searches that the user can choose from. */
interface SearchFilter {
  readonly isEligible?: (search: Search) => boolean;
  /** Message to show if no search is eligible. */
  readonly emptyText?: string | undefined;
}

/**
 * Returns the row's search, the only eligible search, or one that the user picks. Returns undefined if the user cancels
 * or the search was removed in the meantime.
 */
export async function chooseSearch(
  { searchStore }: CommandServices,
  node: SearchNode | undefined,
  placeholder: string,
  { isEligible = () => true, emptyText = l10n.t('Run a search first.') }: SearchFilter = {},
): Promise<Search | undefined> {
  if (node) return searchStore.get(node.key);
  const all = searchStore.getAll();
  const searches = all.filter(isEligible);
  const [first, second] = searches;
  if (!first) throw new CommandHint(emptyText, all.length > 0 ? createResultsStep() : createSearchStep());
  if (!second) return first;
  const choices = searches.map(createSearchChoice);
  const answer = await pickOne(createSingleStep(l10n.t('Searches')), { placeholder, choices });
  return typeof answer === 'string' ? undefined : searchStore.get(answer.value);
}

/**
 * Chooses a search, and opens its connection if needed. Returns undefined if the user cancels or the search was removed
 * in the meantime.
 */
export async function chooseConnectedSearch(
  services: CommandServices,
  node: SearchNode | undefined,
  placeholder: string,
  filter?: SearchFilter,
): Promise<Search | undefined> {
  const search = await chooseSearch(services, node, placeholder, filter);
  return search && (await getOrOpenConnection(services, search.connectionId)) ? search : undefined;
}

/**
 * Returns the row's search, or one that may have more results to load, and opens its connection if needed. Returns
 * undefined if the user cancels or the search was removed in the meantime.
 */
export async function chooseIncompleteSearch(
  services: CommandServices,
  node: SearchNode | undefined,
  placeholder: string,
): Promise<Search | undefined> {
  const hasSearches = services.searchStore.getAll().length > 0;
  return await chooseConnectedSearch(services, node, placeholder, {
    isEligible: ({ mayHaveMore }) => mayHaveMore,
    emptyText: hasSearches ? l10n.t('All results are loaded.') : undefined,
  });
}

/** Creates a choice for a search. Its value is the search's key. */
export function createSearchChoice(search: Search): Choice<string> {
  const { key, query } = search;
  const filters = describeFilters(query, getMachine(search.connectionId) !== undefined);
  const facts = [getDatabaseLabel(query.database), filters, formatResultCount(search)];
  return { label: describeSearchTerms(query), description: facts.filter(Boolean).join(' · '), value: key };
}
