import { l10n } from 'vscode';
import type { SearchNode } from '../../host/contributions.ts';
import type { Notices } from '../../host/notices.ts';
import { filesText, numberText } from '../../host/words.ts';
import { canAsk, keyOf } from './searches.ts';
import type { SearchRowParts } from './searchRows.ts';

/** From so many files on, and at each ten times as many, the person is asked before more are loaded. */
const firstBound = 5000;

/** Loads page after page until there is no more; asks at some thousands whether to go on. */
export async function loadAll(parts: SearchRowParts, node: SearchNode | undefined): Promise<void> {
  const { searchStore, notices } = parts;
  const open = searchStore.all().filter((search) => search.mayHaveMore);
  const key = node?.key ?? (await keyOf(open, l10n.t('Select the search to load all files of')));
  if (key === undefined || !(await canAsk(parts, key))) return;
  let goesOn = true;
  while (goesOn) goesOn = await loadSome(parts, key);
  const search = searchStore.get(key);
  if (search && !search.mayHaveMore) notices.done(l10n.t('All {0} are loaded.', filesText(search.files.length)));
}

/** Loads up to the next bound; whether that was reached and there is more. */
async function loadSome({ searchStore, searchFlow, notices }: SearchRowParts, key: string): Promise<boolean> {
  const before = searchStore.get(key);
  if (!before?.mayHaveMore) return false;
  const count = before.files.length;
  if (count >= firstBound && !(await wantsMore(notices, count))) return false;
  const bound = boundAfter(count);
  await searchFlow.loadUpTo(key, bound);
  const after = searchStore.get(key);
  return after !== undefined && after.mayHaveMore && after.files.length >= bound;
}

function boundAfter(count: number): number {
  let bound = firstBound;
  while (bound <= count) bound *= 10;
  return bound;
}

async function wantsMore(notices: Notices, count: number): Promise<boolean> {
  let isWanted = false;
  const text = l10n.t('{0} files are loaded, and the service does not tell how many there are.', numberText(count));
  await notices.info(text, { label: l10n.t('Load On'), run: () => (isWanted = true) });
  return isWanted;
}
