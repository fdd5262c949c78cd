import type { ClusterPlace, StoreListing } from '../../core/model/databaseModel.ts';
import type { Reason } from '../../core/model/reason.ts';
import { cannotBeRead, toSentence } from '../../core/util/sharedTexts.ts';
import { describeCluster as describeClusterPlace } from '../../core/words/clusterWords.ts';
import { ReasonWords } from '../../core/words/reasonWords.ts';
import { describeListing as describeStoreListing } from '../../core/words/listingWords.ts';
import { formatBytes, toPlainCell, type Output } from '../output.ts';

function fillIn(message: string, ...args: readonly (string | number)[]): string {
  return message.replace(/[“”]/g, '"').replace(/\{(\d)\}/g, (_, index: string) => String(args[Number(index)] ?? ''));
}

/** Replaces `{0}`, `{1}` … in the editor's English sentences with the arguments, and straightens quotation marks. */
export const english = { t: fillIn };

/** The wording of sentences about tables. */
export const tableWording = { l10n: english, toPlainLine: toPlainCell, formatNumber: String, formatSize: formatBytes };

/** Fills in the sentence for one or the one for several, whose `{0}` is the count. */
export function plural(count: number, one: string, other: string, ...others: readonly string[]): string {
  return english.t(count === 1 ? one : other, count, ...others);
}

/** Describes the cluster on which a transfer runs, as a clause. */
export function describeCluster(place: ClusterPlace): string {
  return `runs on: ${describeClusterPlace({ l10n: english, plural, toPlainLine: toPlainCell }, place)}`;
}

function toClause(sentences: string): string {
  return sentences
    .replace(/^\p{Lu}(?!\p{Lu})/u, (letter) => letter.toLowerCase())
    .replace(/(?:\.|(?<=\}))\s(\p{Lu})/gu, (_, letter: string) => `; ${letter.toLowerCase()}`)
    .replace(/\.$/, '');
}

/** Like {@link english}, but as clauses for a terminal: no capital letter, period or typographic quotes. */
export const clauses = {
  t: (message: string, ...args: readonly (string | number)[]): string =>
    // The values must keep their capital letters and periods.
    fillIn(toClause(message), ...args),
};

/** Describes a store's listing that is old or incomplete, in a sentence; undefined if that isn't known of it. */
export function describeListing(listing: StoreListing): string | undefined {
  const wording = { l10n: english, toPlainLine: toPlainCell, formatTime: String };
  const text = describeStoreListing(wording, listing);
  return text && toSentence(text);
}

/** Notes that a store's listing is old or incomplete, if that is known of it. */
export function noteListing(output: Output, listing: StoreListing | undefined): void {
  const text = listing && describeListing(listing);
  if (text !== undefined) output.note(text);
}

/** Describes files that the command line can't use. */
export const unusableFile = {
  missing: "doesn't exist",
  unreadable: cannotBeRead,
  tooLarge: 'is too large',
} as const;

/** Suggests the name that is most similar to an unknown one. */
export function askAboutName(name: string): string {
  return `Did you mean ${name}?`;
}

const createWords = (): ReasonWords =>
  new ReasonWords({
    l10n: english,
    toPlainLine: toPlainCell,
    remedies: {
      badAddress: ({ detail = '' }) => `the address isn't valid${detail === '' ? '' : `; ${toPlainCell(detail)}`}`,
      insecureAddress: () =>
        'the key would be sent unencrypted; use https://, or allowInsecureHttp in a connections file',
      keyMissing: () => 'no API key was given; use --key-variable, --key-file or --key-stdin',
      keyGone: () => 'the API key is gone',
      keyElsewhere: () => 'the API key belongs to a different address',
      internalError: () => 'an unexpected error occurred in this program',
    },
  });

/** Describes why a transfer was not sent, as a clause after a sentence which says that nothing was sent. */
export function describeUnsentReason(reason: Reason): string {
  return createWords().describeUnsent(reason);
}

/** Describes a failure as a clause without a period: `the API key is gone`. */
export function describeReason(reason: Reason): string {
  return createWords().describe(reason);
}
