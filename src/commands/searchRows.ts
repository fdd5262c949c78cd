import { l10n } from 'vscode';
import type { SearchFlow } from '../core/flows/searchFlow.ts';
import type { Search, SearchStore } from '../core/store/searchStore.ts';
import { CommandFailure } from '../host/commandRegistry.ts';
import type { SearchNode } from '../host/contributions.ts';
import type { Notices } from '../host/notices.ts';
import { alone, pickOne } from '../host/quickInput.ts';
import { filesText, plainLine } from '../host/words.ts';

/** What these commands need. */
export interface SearchRowParts {
  readonly searchStore: SearchStore;
  readonly searchFlow: SearchFlow;
  readonly notices: Notices;
}

/** Asks for the next page of a search, or again for the page that failed. */
export async function loadMore(parts: SearchRowParts, node: SearchNode | undefined): Promise<void> {
  const open = parts.searchStore.all().filter((search) => search.mayHaveMore);
  const key = node?.key ?? (await askSearch(open, l10n.t('Select the search to load more files of')));
  if (key !== undefined) await parts.searchFlow.loadMore(key);
}

/** Runs a search again from its start. */
export async function repeatSearch(parts: SearchRowParts, node: SearchNode | undefined): Promise<void> {
  const key = node?.key ?? (await askSearch(parts.searchStore.all(), l10n.t('Select the search to repeat')));
  if (key !== undefined) await parts.searchFlow.repeat(key);
}

/** Takes a search out of the list. */
export async function dismissSearch(parts: SearchRowParts, node: SearchNode | undefined): Promise<void> {
  const key = node?.key ?? (await askSearch(parts.searchStore.all(), l10n.t('Select the search to dismiss')));
  if (key !== undefined) parts.searchFlow.dismiss([key]);
}

/** Takes all searches out of the list. */
export function clearResults({ searchFlow, searchStore, notices }: SearchRowParts): void {
  const keys = searchStore.all().map((search) => search.key);
  if (keys.length === 0) void notices.info(l10n.t('There are no searches to clear.'));
  else searchFlow.dismiss(keys);
}

async function askSearch(searches: readonly Search[], placeholder: string): Promise<string | undefined> {
  if (searches.length === 0) throw new CommandFailure(l10n.t('There is no search for this. Search for files first.'));
  const answer = await pickOne(alone(l10n.t('Searches')), {
    placeholder,
    choices: searches.map(({ key, query, files }) => ({
      label: plainLine(query.query) || l10n.t('All files'),
      description: `${plainLine(query.database)} · ${filesText(files.length)}`,
      value: key,
    })),
  });
  return typeof answer === 'string' ? undefined : answer.value;
}
