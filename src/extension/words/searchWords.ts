import { l10n } from 'vscode';
import type { FileStaging, ResultOrder, SearchQuery } from '../../core/model/searchModel.ts';
import type { Searchability } from '../../core/model/searchability.ts';
import type { CheckedTally } from '../../core/store/checkedFiles.ts';
import type { JsonObject } from '../../core/util/json.ts';
import { findQueryMistakes, type QueryMistake } from '../../core/util/searchSyntax.ts';
import { formatFileCount, formatNumber, plural, formatSize } from './localeFormats.ts';
import { describeParameter } from './parameterWords.ts';
import { toPlainLine } from './plainText.ts';

/** Filters of a search. */
interface Filters {
  readonly status?: FileStaging | undefined;
  readonly specific?: JsonObject | undefined;
}

/** Returns the name of a database, or a substitute for a name without visible characters. */
export function getDatabaseLabel(name: string): string {
  return toPlainLine(name) || l10n.t('(no name)');
}

/** Describes what a search looks for: the terms in quotes, all files, or a number of IDs. */
export function describeSearchTerms({ query, ids }: Pick<SearchQuery, 'query' | 'ids'>): string {
  if (ids) return plural(ids.length, '{0} ID', '{0} IDs');
  const words = toPlainLine(query);
  return words === '' ? l10n.t('All files') : l10n.t('“{0}”', words);
}

/** Describes a search's staging status and database-specific parameters. Returns an empty string if there are none. */
export function describeFilters({ status, specific }: Filters, isLocal: boolean): string {
  const parameters = Object.entries(specific ?? {}).map(([name, value]) => describeParameter(name, value, isLocal));
  return toPlainLine([status && describeStagingStatus(status), ...parameters].filter(Boolean).join(' · '));
}

/**
 * Describes briefly, for a database's row, which requests the database is known to refuse (D38: learned searchability).
 */
export function describeSearchability({ kind }: Searchability): string {
  const words: Readonly<Record<Searchability['kind'], string>> = {
    notSearchable: l10n.t('not searchable'),
    wantsQuery: l10n.t('custom query format'),
    wantsWords: l10n.t('needs search terms'),
  };
  return words[kind];
}

/**
 * Returns a sentence that states which requests a database is known to refuse, followed by the server's message, if
 * any.
 */
export function describeSearchabilityDetail({ kind, detail }: Searchability): string {
  const sentences: Readonly<Record<Searchability['kind'], string>> = {
    notSearchable: l10n.t("This database can't be searched."),
    wantsQuery: l10n.t('This database only accepts queries in its own format.'),
    wantsWords: l10n.t("This database can't be searched without search terms."),
  };
  const message = toPlainLine(detail ?? '');
  return message === '' ? sentences[kind] : l10n.t('{0} Server message: {1}', sentences[kind], message);
}

/** Returns the word for a staging status. */
export function describeStagingStatus(status: FileStaging): string {
  return status === 'staged' ? l10n.t('staged') : l10n.t('unstaged');
}

/** Returns the name of a sort order for results. */
export function describeOrder(order: ResultOrder): string {
  const words: Readonly<Record<ResultOrder, string>> = {
    relevance: l10n.t('Relevance'),
    name: l10n.t('Name'),
    size: l10n.t('Size'),
  };
  return words[order];
}

/** The results to count: all or some of the results of a search. */
interface ResultCount {
  readonly files: readonly unknown[];
  readonly mayHaveMore: boolean;
}

/** Formats the number of files found, such as "40+ files" if there may be more. Returns an empty string for 0 files. */
export function formatResultCount({ files, mayHaveMore }: ResultCount): string {
  if (files.length === 0) return '';
  return mayHaveMore ? plural(files.length, '{0}+ files', '{0}+ files') : formatFileCount(files.length);
}

/**
 * Formats the number of checked files, and their size if known. Returns an empty string if there are none. The text is
 * short, because the view's title and buttons leave little room. The number comes first, because the editor truncates
 * the end.
 */
export function formatCheckedCount({ count, sizeBytes }: CheckedTally): string {
  if (count === 0) return '';
  if (sizeBytes === 0) return plural(count, '{0} checked', '{0} checked');
  return `${formatNumber(count)} ✓ ${formatSize(sizeBytes)}`;
}

/** Describes the first syntax error, if any, in a query to the local service (D21: search syntax). */
export function describeQueryMistake(query: string): string | undefined {
  const [mistake] = findQueryMistakes(query);
  return mistake && describeMistake(mistake);
}

function describeMistake({ kind, position, condition }: QueryMistake): string {
  const [text, place] = [toPlainLine(condition), formatNumber(position)];
  switch (kind) {
    case 'openQuote':
      return l10n.t("The quotation mark at character {0} isn't closed.", place);
    case 'badSize':
      return l10n.t('Enter a size after {0} (character {1}), for example bytes:>1MB.', text, place);
    case 'noValue':
      return l10n.t('Enter a value after {0} (character {1}).', text, place);
    case 'unknownCondition':
      return l10n.t(
        "{0} (character {1}) isn't a valid filter. Use format:, path:, or bytes:, or put it in quotation marks to search for it as text.",
        text,
        place,
      );
  }
}
