import { l10n } from 'vscode';
import { getMachine } from '../../../core/model/connection.ts';
import type { Search } from '../../../core/search/searchStore.ts';
import { Lifetime } from '../../../core/util/lifetime.ts';
import { CommandHint } from '../../editor/commandBoundary.ts';
import type { SearchNode } from '../../editor/contributions.ts';
import { withProgress } from '../../editor/notifications.ts';
import { createSingleStep, pickOne, type Choice } from '../../editor/quickInput.ts';
import { createResultsStep, createSearchStep } from '../../editor/nextSteps.ts';
import { formatResultCount, getDatabaseLabel, describeFilters, describeSearchTerms } from '../../words/searchWords.ts';
import { getOrOpenConnection } from '../connections/connectionOpener.ts';
import type { CommandServices } from '../services.ts';

/** The criteria for the searches that the user can choose from. */
/** Describes an empty list of searches. */
export function getNoSearchText(): string {
  return l10n.t('Run a search first.');
}

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
  { isEligible = () => true, emptyText = getNoSearchText() }: SearchFilter = {},
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
 * Returns the row's search, or one that may have more results and isn't loading them, and opens its connection if
 * needed. Returns undefined if the user cancels or the search was removed in the meantime.
 */
export async function chooseIncompleteSearch(
  services: CommandServices,
  node: SearchNode | undefined,
  placeholder: string,
): Promise<Search | undefined> {
  return await chooseConnectedSearch(services, node, placeholder, {
    // A page can't be loaded while another one of the same search is being loaded.
    isEligible: ({ mayHaveMore, isLoading }) => mayHaveMore && !isLoading,
    emptyText: describeNothingToLoad(services.searchStore.getAll()),
  });
}

function describeNothingToLoad(searches: readonly Search[]): string | undefined {
  if (searches.some(({ isLoading }) => isLoading)) return l10n.t('The search results are still loading.');
  return searches.length > 0 ? l10n.t('All results are loaded.') : undefined;
}

/**
 * Waits until a search is ready, and returns it. Returns undefined if the user cancels or the search was removed in the
 * meantime.
 */
export async function waitForSearch(
  { searchStore }: CommandServices,
  { key, query }: Search,
  isReady: (search: Search) => boolean,
): Promise<Search | undefined> {
  const isWaiting = (): boolean => {
    const search = searchStore.get(key);
    return search !== undefined && !isReady(search);
  };
  if (!isWaiting()) return searchStore.get(key);
  const title = l10n.t('Waiting for the search results ({0})', describeSearchTerms(query));
  return await withProgress(title, async (signal) => {
    const lifetime = new Lifetime();
    await new Promise<void>((resolve) => {
      const resolveIfReady = (): void => {
        if (!isWaiting()) resolve();
      };
      lifetime.track(searchStore.onDidChange(resolveIfReady));
      signal.addEventListener('abort', () => resolve(), { once: true });
      // The search may have become ready before the editor showed the progress.
      resolveIfReady();
    });
    lifetime.dispose();
    return signal.aborted ? undefined : searchStore.get(key);
  });
}

/** Creates a choice for a search. Its value is the search's key. */
export function createSearchChoice(search: Search): Choice<string> {
  const { key, query } = search;
  const filters = describeFilters(query, getMachine(search.connectionId) !== undefined);
  const facts = [getDatabaseLabel(query.database), filters, formatResultCount(search)];
  return { label: describeSearchTerms(query), description: facts.filter(Boolean).join(' · '), value: key };
}
