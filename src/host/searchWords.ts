import { l10n } from 'vscode';
import type { ResultOrder } from '../core/model/resultOrder.ts';
import type { SearchParameter } from '../core/model/searchParameter.ts';
import type { Searchability } from '../core/model/searchability.ts';
import type { SearchQuery, StagingStatus } from '../core/model/searchQuery.ts';
import type { CheckedTally } from '../core/store/checkedFiles.ts';
import type { Search } from '../core/store/searchStore.ts';
import type { JsonObject } from '../core/util/json.ts';
import { findQueryMistakes, type QueryMistake } from '../core/util/searchSyntax.ts';
import { filesText, listText, numberText, plainLine, plural, sizeText } from './words.ts';

/** What narrows a search. */
interface Filters {
  readonly status?: StagingStatus | undefined;
  readonly specific?: JsonObject | undefined;
}

/** What a database is called; a service may give it a name in which nothing can be seen. */
export function databaseText(name: string): string {
  return plainLine(name) || l10n.t('(no name)');
}

/** What was searched for: the words in quotes, all files, or so many ids. */
export function wantedText({ query, ids }: Pick<SearchQuery, 'query' | 'ids'>): string {
  if (ids) return plural(ids.length, '{0} id', '{0} ids');
  const words = plainLine(query);
  return words === '' ? l10n.t('All files') : l10n.t('“{0}”', words);
}

/** Status and specific parameters of a search; empty where there are none. */
export function filtersText({ status, specific }: Filters): string {
  const given = Object.entries(specific ?? {}).map(parameterText);
  return plainLine([status && statusText(status), ...given].filter(Boolean).join(' · '));
}

function parameterText([name, value]: [string, unknown]): string {
  return l10n.t('{0}: {1}', plainLine(name), plainLine(valueText(value)));
}

/** A value of a parameter as a person would type it. */
export function valueText(value: unknown): string {
  return typeof value === 'string' ? value : JSON.stringify(value);
}

/** What may be given for a parameter: "one of asc, desc", "text", "a number". */
export function parameterTypeText({ type, values }: SearchParameter): string {
  if (values.length > 0) return l10n.t('one of {0}', plainLine(listText(values.map(valueText))));
  const scalar = /^array\((\w+)\)$/.exec(type)?.[1] ?? type;
  const words: Readonly<Record<string, string>> = {
    string: l10n.t('text'),
    number: l10n.t('a number'),
    boolean: l10n.t('true or false'),
  };
  return Object.hasOwn(words, scalar) ? (words[scalar] ?? '') : plainLine(type);
}

/** Returns what a database is known to refuse, in a word or two for its row (D38). */
export function searchabilityText({ kind }: Searchability): string {
  const words: Readonly<Record<Searchability['kind'], string>> = {
    notSearchable: l10n.t('not searchable'),
    wantsQuery: l10n.t('special queries'),
    wantsWords: l10n.t('needs search words'),
  };
  return words[kind];
}

/** Returns the same as a sentence with what the server said. */
export function searchabilityDetail({ kind, detail }: Searchability): string {
  const sentences: Readonly<Record<Searchability['kind'], string>> = {
    notSearchable: l10n.t("This database can't be searched."),
    wantsQuery: l10n.t('This database accepts only queries of its own form.'),
    wantsWords: l10n.t("This database can't be searched without search words."),
  };
  const said = plainLine(detail ?? '');
  return said === '' ? sentences[kind] : l10n.t('{0} Server message: {1}', sentences[kind], said);
}

/** The word for a staging status. */
export function statusText(status: StagingStatus): string {
  return status === 'staged' ? l10n.t('staged') : l10n.t('unstaged');
}

/** The word for an order of the results. */
export function orderText(order: ResultOrder): string {
  const words: Readonly<Record<ResultOrder, string>> = {
    relevance: l10n.t('Relevance'),
    name: l10n.t('Name'),
    size: l10n.t('Size'),
  };
  return words[order];
}

/** How many files a search has brought: "40+ files" where there may be more; empty before any came. */
export function countText({ files, mayHaveMore }: Search): string {
  if (files.length === 0) return '';
  return mayHaveMore ? plural(files.length, '{0}+ files', '{0}+ files') : filesText(files.length);
}

/**
 * How many files are checked and how much that is, where that is known; empty where none is. It stands beside a title
 * and four buttons, so it is short, and begins with the number, which is cut off last.
 */
export function checkedText({ count, sizeBytes }: CheckedTally): string {
  if (count === 0) return '';
  if (sizeBytes === 0) return plural(count, '{0} checked', '{0} checked');
  return `${numberText(count)} ✓ ${sizeText(sizeBytes)}`;
}

/** Describes the first mistake in a query in the language of the local service (D21); undefined when there is none. */
export function queryMistakeText(query: string): string | undefined {
  const [mistake] = findQueryMistakes(query);
  return mistake && mistakeText(mistake);
}

function mistakeText({ kind, position, condition }: QueryMistake): string {
  const [what, where] = [plainLine(condition), numberText(position)];
  switch (kind) {
    case 'openQuote':
      return l10n.t('Close the quotation mark at character {0}.', where);
    case 'badSize':
      return l10n.t('Enter a size after {0} (character {1}), for example bytes:>1MB.', what, where);
    case 'noValue':
      return l10n.t('Enter a value after {0} (character {1}).', what, where);
    case 'unknownCondition':
      return l10n.t(
        '{0} (character {1}) is not a condition. Use format:, path: or bytes:, or put the words in quotation marks.',
        what,
        where,
      );
  }
}
