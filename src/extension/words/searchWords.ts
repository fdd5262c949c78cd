import { env, l10n } from 'vscode';
import type { SearchParameter } from '../../core/model/databaseModel.ts';
import type { FoundFile } from '../../core/model/fileEntry.ts';
import type { Reason } from '../../core/model/reason.ts';
import type { FileStaging, ResultOrder, Searchability, SearchQuery } from '../../core/model/searchModel.ts';
import type { CheckedTally } from '../../core/search/searchStore.ts';
import { hasInfinity, type JsonObject } from '../../core/util/json.ts';
import type { LeftOutCounts } from '../../core/util/leftOut.ts';
import { readJsonObject } from '../../core/util/jsonObject.ts';
import { findQueryMistakes, type QueryMistake } from '../../core/util/searchSyntax.ts';
import { capitalize } from '../../core/util/sharedTexts.ts';
import { parseWrittenDate, parseWrittenSize, writeDate, writeSize } from '../../core/util/writtenValues.ts';
import { describeLeftOut } from '../../core/words/leftOutWords.ts';
import { formatFileCount, formatList, formatNumber, formatSize, plural } from './localeFormats.ts';
import { toPathLabel, toPlainLine } from './plainText.ts';
import { describeReason } from './reasonWords.ts';

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
  const parameters = Object.entries(specific ?? {}).map(([name, value]) =>
    l10n.t('{0}: {1}', getParameterLabel(name, isLocal), describeParameterValue(name, value, isLocal)),
  );
  return toPlainLine([status && describeStagingStatus(status), ...parameters].filter(Boolean).join(' · '));
}

/** Describes for a row which requests a database refuses (D38: learned searchability). */
export function describeSearchability({ kind }: Searchability): string {
  const words: Readonly<Record<Searchability['kind'], string>> = {
    notSearchable: l10n.t('not searchable'),
    wantsQuery: l10n.t('custom query format'),
    wantsWords: l10n.t('needs search terms'),
  };
  return words[kind];
}

/** Describes in a sentence which requests a database refuses, with the server's message, if any. */
export function describeSearchabilityDetail({ kind, detail }: Searchability): string {
  const sentences: Readonly<Record<Searchability['kind'], string>> = {
    notSearchable: l10n.t("This database can't be searched."),
    wantsQuery: l10n.t('This database only accepts queries in its own format.'),
    wantsWords: l10n.t("This database can't be searched without search terms."),
  };
  const message = toPlainLine(detail ?? '');
  return message === '' ? sentences[kind] : l10n.t('{0} Server message: {1}', sentences[kind], message);
}

/** Returns a sentence, without a period, that says why a search failed. */
export function describeSearchFailure({ database, ids }: SearchQuery, reason: Reason): string {
  const [name, reasonText] = [getDatabaseLabel(database), describeReason(reason)];
  return ids
    ? l10n.t('Could not look up the IDs in {0}: {1}', name, reasonText)
    : l10n.t('Could not search {0}: {1}', name, reasonText);
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

interface SearchState {
  readonly mayHaveMore: boolean;
  readonly isStale: boolean;
}

interface ResultCount {
  readonly files: readonly unknown[];
  readonly mayHaveMore: boolean;
}

/** Formats the number of files found, such as "40+ files" if there may be more. Returns an empty string for 0 files. */
export function formatResultCount({ files, mayHaveMore }: ResultCount): string {
  if (files.length === 0) return '';
  return mayHaveMore ? plural(files.length, '{0}+ files', '{0}+ files') : formatFileCount(files.length);
}

/** Formats that number without a word, for the row of the search, whose other facts need the room. */
export function formatShortCount({ files, mayHaveMore }: ResultCount): string {
  if (files.length === 0) return '';
  return `${formatNumber(files.length)}${mayHaveMore ? '+' : ''}`;
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

/** Returns true if a search has requested all of its results since it was last restored. */
export function isEndKnown({ mayHaveMore, isStale }: SearchState): boolean {
  return !mayHaveMore && !isStale;
}

/** Describes a search's checked files that aren't among its loaded results. */
export function describeUnlisted(search: SearchState, count: number): string {
  return isEndKnown(search)
    ? plural(count, '{0} checked file no longer in the results', '{0} checked files no longer in the results')
    : plural(count, '{0} more checked file, not loaded yet', '{0} more checked files, not loaded yet');
}

/** Says that a search found nothing. */
export function describeNothingFound(): string {
  return l10n.t('No files found.');
}

/** Says that no files are checked. */
export function describeNothingChecked(): string {
  return l10n.t('No files are checked.');
}

interface WholeFolder {
  readonly query: SearchQuery;
  readonly files: readonly FoundFile[];
  readonly leftOut?: LeftOutCounts;
}

/** Returns the folder of which a search finds all files; empty for its database, undefined for another search. */
export function getWholeFolder({ query, ids, status, specific = {} }: SearchQuery): string | undefined {
  const { folder = '', ...others } = specific;
  if (query.trim() !== '' || ids || status || Object.keys(others).length > 0) return undefined;
  return typeof folder === 'string' ? folder : '';
}

/** Returns the label of a folder, or of the database if the folder is empty. */
export function getFolderLabel(folder: string, database: string): string {
  return toPathLabel(folder) || getDatabaseLabel(database);
}

/**
 * Describes a whole folder or database: its size, such as "exp.zarr (412 files, 1.2 GB, nothing left out)", and what is
 * left out, such as "Left out: hidden names (2)", which is empty if nothing is.
 */
export function describeWholeFolder({ query, files, leftOut }: WholeFolder): {
  readonly size: string;
  readonly leftOut: string;
} {
  const bytes = files.reduce((sum, file) => sum + (file.kind === 'file' ? (file.sizeBytes ?? 0) : 0), 0);
  const isComplete = leftOut && Object.keys(leftOut).length === 0;
  const facts = [formatFileCount(files.length), formatSize(bytes), isComplete ? formatLeftOut(leftOut) : undefined];
  const label = getFolderLabel(getWholeFolder(query) ?? '', query.database);
  return {
    size: l10n.t('{0} ({1})', label, formatList(facts)),
    leftOut: leftOut && !isComplete ? formatLeftOutLine(leftOut) : '',
  };
}

function formatLeftOut(counts: LeftOutCounts): string {
  return describeLeftOut(l10n, counts, formatNumber);
}

/** Describes, as a line of its own, what a listing leaves out. */
export function formatLeftOutLine(counts: LeftOutCounts): string {
  return capitalize(formatLeftOut(counts));
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

/** Returns a string unchanged, and any other value as JSON. */
export function formatParameterValue(value: unknown): string {
  return typeof value === 'string' ? value : JSON.stringify(value);
}

/** Describes the values that a parameter accepts, such as "one of asc, desc", "text" or "number". */
export function describeParameterType({ type, values }: SearchParameter): string {
  if (values.length > 0) return l10n.t('one of {0}', toPlainLine(formatList(values.map(formatParameterValue))));
  const scalar = /^array\((\w+)\)$/.exec(type)?.[1] ?? type;
  const words: Readonly<Record<string, string>> = {
    string: l10n.t('text'),
    number: l10n.t('number'),
    boolean: l10n.t('true or false'),
  };
  return Object.hasOwn(words, scalar) ? (words[scalar] ?? '') : toPlainLine(type);
}

/** Converts between a parameter's value and the notation that users see and type, for example 1000000 and "1 MB". */
export interface ParameterForm {
  /** Example of the notation. */
  readonly example: string;
  /** Returns the value to send, or undefined if the text can't be parsed. */
  parse(text: string): unknown;
  /** Formats a value in this notation. Omits fractions of a second. */
  write(value: unknown): string;
  /** Describes the parsed value in full, for example as the exact number of bytes. */
  describe(value: unknown): string;
}

interface LocalParameter {
  readonly label: string;
  readonly form?: ParameterForm;
  /** Display names of the parameter's predefined values. */
  readonly values?: Readonly<Record<string, string>>;
}

/** Returns the local service's parameters, keyed by name (D21: search syntax). */
function getLocalParameters(): Readonly<Record<string, LocalParameter>> {
  const orders = { asc: l10n.t('ascending'), desc: l10n.t('descending') };
  const keys = { bytes: l10n.t('size'), modified: l10n.t('date modified') };
  const names = { relevance: l10n.t('relevance'), path: l10n.t('path'), name: l10n.t('name') };
  return {
    format: { label: l10n.t('File format') },
    path: { label: l10n.t('Path') },
    folder: { label: l10n.t('Folder') },
    minBytes: { label: l10n.t('Minimum size'), form: sizeForm },
    maxBytes: { label: l10n.t('Maximum size'), form: sizeForm },
    modifiedAfter: { label: l10n.t('Modified after'), form: dateForm },
    sort: { label: l10n.t('Sort by'), values: { ...keys, ...names } },
    order: { label: l10n.t('Sort order'), values: orders },
  };
}

function findLocalParameter(name: string, isLocal: boolean): LocalParameter | undefined {
  const parameters = isLocal ? getLocalParameters() : {};
  return Object.hasOwn(parameters, name) ? parameters[name] : undefined;
}

/** Returns a parameter's label. Only the local service's parameters have labels that differ from their names. */
export function getParameterLabel(name: string, isLocal: boolean): string {
  return findLocalParameter(name, isLocal)?.label ?? (toPlainLine(name) || l10n.t('(no name)'));
}

/** Returns the notation for a local service's parameter; undefined if it is typed as it is sent. */
export function findParameterForm(name: string, isLocal: boolean): ParameterForm | undefined {
  return findLocalParameter(name, isLocal)?.form;
}

/** Formats a parameter's value for display. */
export function describeParameterValue(name: string, value: unknown, isLocal: boolean): string {
  const parameter = findLocalParameter(name, isLocal);
  const text = formatParameterValue(value);
  if (parameter?.form) return parameter.form.write(value);
  const { values = {} } = parameter ?? {};
  return toPlainLine(Object.hasOwn(values, text) ? (values[text] ?? text) : text);
}

const sizeForm: ParameterForm = {
  get example() {
    return l10n.t('10 MB or 1.5 GiB');
  },
  parse: parseWrittenSize,
  write: (value) => (typeof value === 'number' ? writeSize(value) : formatParameterValue(value)),
  describe: (value) => plural(Number(value), '{0} byte', '{0} bytes'),
};

const dateForm: ParameterForm = {
  get example() {
    return l10n.t('last week, 3 days ago, or {0}', '2026-05-01');
  },
  parse: (text) => {
    const at = parseWrittenDate(text, Date.now());
    return at === undefined ? undefined : new Date(at).toISOString();
  },
  write: (value) => {
    const at = Date.parse(String(value));
    return Number.isNaN(at) ? formatParameterValue(value) : writeDate(at);
  },
  describe: (value) =>
    new Intl.DateTimeFormat(env.language, { dateStyle: 'full', timeStyle: 'short' }).format(Date.parse(String(value))),
};

/** Describes why text can't be used as a JSON object. Returns undefined if it can. */
export function describeJsonError(text: string): string | undefined {
  const read = readJsonObject(text);
  if (read.kind === 'object')
    return hasInfinity(read.value)
      ? l10n.t('The JSON object contains a number that is too large. Put it in quotation marks.')
      : undefined;
  if (read.kind === 'other') return l10n.t('Enter a JSON object.');
  return l10n.t('Invalid JSON at character {0}.', read.column);
}
