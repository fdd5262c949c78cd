import { l10n } from 'vscode';
import type { SearchNode } from '../../host/contributions.ts';
import type { Search } from '../../core/store/searchStore.ts';
import type { Notices } from '../../host/notices.ts';
import { filesText, plural } from '../../host/words.ts';
import { canAsk, keyOf } from './searches.ts';
import type { SearchRowParts } from './searchRows.ts';

/** Loaded files at which the person is asked before more are loaded; then at ten times as many, and so on. */
const firstBound = 5000;

/** Loads page after page until there is no more; asks at some thousands whether to go on. */
export async function loadAll(parts: SearchRowParts, node: SearchNode | undefined): Promise<void> {
  const { searchStore, notices } = parts;
  const open = searchStore.all().filter((search) => search.mayHaveMore);
  const key = node?.key ?? (await keyOf(open, l10n.t('Select the search to load all files of')));
  if (key === undefined || !(await canAsk(parts, key))) return;
  let goesOn = await loadSome(parts, key);
  while (goesOn && (await wantsMore(notices, searchStore.get(key)))) goesOn = await loadSome(parts, key);
  const search = searchStore.get(key);
  if (search && !search.mayHaveMore) notices.done(l10n.t('All {0} are loaded.', filesText(search.files.length)));
}

/** Loads up to the next bound; whether that was reached and there is more. */
async function loadSome({ searchStore, searchFlow }: SearchRowParts, key: string): Promise<boolean> {
  const before = searchStore.get(key);
  if (!before?.mayHaveMore) return false;
  const bound = boundAfter(before.files.length);
  await searchFlow.loadUpTo(key, bound);
  const after = searchStore.get(key);
  return after !== undefined && after.mayHaveMore && after.files.length >= bound;
}

function boundAfter(count: number): number {
  let bound = firstBound;
  while (bound <= count) bound *= 10;
  return bound;
}

/** Asks whether to keep loading. Without an answer nothing more is loaded, and the rows of the search say so. */
async function wantsMore(notices: Notices, search: Search | undefined): Promise<boolean> {
  let isWanted = false;
  const text = plural(
    search?.files.length ?? 0,
    '{0} file loaded; the total is unknown. Keep loading?',
    '{0} files loaded; the total is unknown. Keep loading?',
  );
  await notices.info(text, { label: l10n.t('Keep Loading'), run: () => (isWanted = true) });
  return isWanted;
}
