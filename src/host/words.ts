import { env, l10n } from 'vscode';
import type { Estimate } from '../core/model/estimate.ts';
import type { Reason, ReasonKind } from '../core/model/reason.ts';
import { fileCountOf, hasEnded, isPaused, type Transfer, type TransferState } from '../core/model/transfer.ts';
import { getOutcome, getProgress } from '../core/model/transferOutcome.ts';
import { limitAmount, limitMarks, shortenText } from '../core/util/displayLimits.ts';
import { signInText } from './signInWords.ts';

const reasonWords: Readonly<Record<ReasonKind, (reason: Reason) => string>> = {
  badAddress: () => l10n.t('the address must begin with http:// or https://, for example https://dts.example.org'),
  insecureAddress: () => l10n.t('the key would travel unencrypted; use https://'),
  badArgument: (reason) => reason.detail ?? l10n.t('a value is not valid'),
  notConnected: () => l10n.t('there is no connection to the service'),
  keyMissing: () => l10n.t('no API key is saved for it'),
  keyGone: () => l10n.t('the API key that was saved here is gone; this editor may not keep secrets'),
  keyElsewhere: () => l10n.t('its address has changed, and the API key is not sent to another one'),
  variableEmpty: ({ detail = '' }) =>
    l10n.t('the environment variable {0}, which is to hold its API key, is not set', plainLine(detail)),
  unreachable: (reason) => withCode(l10n.t('the service cannot be reached'), reason),
  certificate: (reason) => withCode(l10n.t('the certificate of the service is not trusted'), reason),
  proxy: proxyText,
  timeout: () => l10n.t('the service did not answer in time'),
  dropped: (reason) =>
    reason.isIdAtFault
      ? l10n.t('the service closes the connection when asked for this ID')
      : withCode(l10n.t('the connection was lost before the answer was complete'), reason),
  unauthorized: (reason) => withDetail(signInText(reason), reason),
  forbidden: (reason) => withDetail(reason.signIn ? signInText(reason) : l10n.t('this is not allowed'), reason),
  notFound: (reason) => withDetail(l10n.t('unknown to the service'), reason),
  refused: (reason) => withDetail(l10n.t('the service refused the request'), reason),
  serverError: (reason) => withDetail(l10n.t('the service failed'), reason),
  entryRejected: (reason) => withDetail(l10n.t("the service's own validation rejected an entry of its answer"), reason),
  redirect: () => l10n.t('the service redirects to another address; the key is not sent there'),
  noService: ({ detail }) =>
    detail === undefined
      ? l10n.t('no data transfer service answers at this address')
      : l10n.t('no data transfer service answers at this address; try {0}', detail),
  serviceStopped: () => l10n.t('the local service is stopped'),
  unreadable: () => l10n.t('the server at this address is not a data transfer service'),
  tooLarge: () => l10n.t('the answer is too large; ask for fewer files at a time'),
  foreignAnswer: foreignText,
  queued: () => l10n.t('waiting for a submission to this server to finish'),
  lookupFailed: ({ cause }) =>
    l10n.t('nothing was sent, because looking up the files failed: {0}', cause ? reasonText(cause) : ''),
  cancelled: () => l10n.t('it was cancelled'),
};

/** Describes how an answer showed that it belongs to another request (D35). */
function foreignText({ code, detail = '' }: Reason): string {
  const said = plainLine(detail);
  if (code === 'NIL_ID') return l10n.t('the server answered with an empty transfer ID ({0})', said);
  if (code === 'KNOWN_ID') return l10n.t('the server answered with the ID of another transfer ({0})', said);
  if (code === 'TOO_MANY_FILES') {
    return l10n.t('the server counts more files under the ID it gave than were requested ({0})', said);
  }
  return l10n.t('the server answered another request instead: {0}', withoutStop(said));
}

function proxyText(reason: Reason): string {
  if (reason.status === 407) return l10n.t('the proxy wants a user name and a password (407)');
  if (reason.status !== undefined) return l10n.t('the proxy did not let the request through ({0})', reason.status);
  if (reason.code === 'UNSUPPORTED_PROXY') return l10n.t('a proxy of this kind cannot be used');
  return withCode(l10n.t('the proxy cannot be used'), reason);
}

function withCode(words: string, reason: Reason): string {
  return reason.code === undefined ? words : l10n.t('{0} ({1})', words, reason.code);
}

function withDetail(words: string, reason: Reason): string {
  const { status } = reason;
  const detail = withoutStop(plainLine(reason.detail ?? ''));
  if (detail !== '') return l10n.t('{0}: {1}', words, detail);
  return status === undefined ? words : l10n.t('{0} ({1})', words, status);
}

/** Returns a sentence as a part of another one, which brings its own end: without a full stop or another end mark. */
function withoutStop(text: string): string {
  return text.replace(/[\s.!?…]+$/u, '');
}

/** Why something failed, as the second half of a sentence, without a full stop: "the service cannot be reached". */
export function reasonText(reason: Reason): string {
  return reasonWords[reason.kind](reason);
}

const longestLine = 300;

/** What a server said, as one line that a notice or a row can hold: no control or direction marks, no line breaks. */
export function plainLine(text: string): string {
  return plainPart(text, longestLine);
}

/** As {@link plainLine}, but up to `longest` characters: for a tooltip that shows what could not be read. */
export function plainPart(text: string, longest: number): string {
  const line = text
    .slice(0, 4 * longest)
    .replace(/[\p{Cc}\p{Zl}\p{Zp}]+/gu, ' ')
    .replace(/[\p{Cf}]/gu, '')
    .trim();
  return shortenText(limitMarks(line), longest);
}

/**
 * The text where the editor would read icons, `$(name)`, and links, `[text](command)`, out of it: in notices and quick
 * inputs. What a server says must be neither.
 */
export function inert(text: string): string {
  return text.replaceAll('$(', '$ (').replaceAll('](', '] (');
}

/** The word for a state of a transfer, for rows, pages and notices. */
export function stateText(state: TransferState): string {
  const words: Readonly<Record<TransferState, string>> = {
    submitting: l10n.t('submitting'),
    notConfirmed: l10n.t('not confirmed'),
    refused: l10n.t('refused'),
    accepted: l10n.t('accepted'),
    staging: l10n.t('staging'),
    active: l10n.t('active'),
    finalizing: l10n.t('finalizing'),
    inactive: l10n.t('inactive'),
    unknown: l10n.t('unknown'),
    running: l10n.t('running'),
    succeeded: l10n.t('succeeded'),
    failed: l10n.t('failed'),
    cancelled: l10n.t('cancelled'),
    expired: l10n.t('expired'),
  };
  return words[state];
}

const numberFormat = new Intl.NumberFormat(env.language);

/** A number for people, by their locale. */
export function numberText(value: number): string {
  return numberFormat.format(limitAmount(value));
}

/** The language that the words are in: the one of the editor, or English where there are no words in that. */
export const wordsLanguage = l10n.bundle === undefined ? 'en' : env.language;

const pluralRules = new Intl.PluralRules(wordsLanguage);

/**
 * A text that goes by a count, in the plural form that the language wants. `{0}` is the count by locale, the others
 * follow. A bundle has a form under the English text and its name, `{0} files/many`, and the usual one without a name.
 */
export function plural(count: number, one: string, other: string, ...others: readonly string[]): string {
  const form = pluralRules.select(count);
  const message = form === 'one' ? one : other;
  return l10n.t({ message, args: [numberText(count), ...others], comment: form === 'other' ? [] : [form] });
}

/** "1 file", "1,200 files". */
export function filesText(count: number): string {
  return plural(count, '{0} file', '{0} files');
}

const percentFormat = new Intl.NumberFormat(env.language, { style: 'percent', maximumFractionDigits: 0 });

/** A share of 0 to 1 in whole percent, of which 100 is only said of the whole: "62%". */
export function percentText(share: number): string {
  return percentFormat.format(Math.floor(100 * share) / 100);
}

const listFormat = new Intl.ListFormat(env.language, { type: 'unit', style: 'short' });

/** Some texts as a list in a row: "a, b, c". What is empty or undefined is left out. */
export function listText(parts: readonly (string | undefined)[]): string {
  return listFormat.format(parts.filter((part) => part !== undefined).filter(Boolean));
}

const longestInRow = 18;

/** What a transfer is called in rows and questions: "3 files to My Data". */
export function transferTitle(transfer: Transfer): string {
  const count = fileCountOf(transfer);
  const files = count === undefined ? l10n.t('some files') : (missedText(transfer) ?? filesText(count));
  if (transfer.startedElsewhere) return l10n.t('{0} (started elsewhere)', files);
  return l10n.t('{0} to {1}', files, plainLine(transfer.order.destination));
}

/** Returns "0 of 2 files" for a transfer that completed without all its files; undefined for any other. */
function missedText(transfer: Transfer): string | undefined {
  return getOutcome(transfer) === 'partial' ? movedText(transfer) : undefined;
}

/** {@link transferTitle} for a row of the side bar, where a long destination would leave no room for the state. */
export function transferRowTitle(transfer: Transfer): string {
  const { order } = transfer;
  const destination = plainPart(order.destination, longestInRow);
  return transferTitle({ ...transfer, order: { ...order, destination } });
}

/** A time of today as a time, any other as a date with its time; milliseconds since 1970. */
export function timeText(at: number, now: number): string {
  const sameDay = new Date(at).toDateString() === new Date(now).toDateString();
  const form: Intl.DateTimeFormatOptions = sameDay
    ? { timeStyle: 'short' }
    : { dateStyle: 'medium', timeStyle: 'short' };
  return new Intl.DateTimeFormat(env.language, form).format(at);
}

const sizeUnits = ['byte', 'kilobyte', 'megabyte', 'gigabyte', 'terabyte', 'petabyte'] as const;

/** A number of bytes for people, in the decimal units that data repositories use: `67 kB`. */
export function sizeText(size: number): string {
  const sizeBytes = limitAmount(size);
  const power = sizeBytes < 1000 ? 0 : Math.min(Math.floor(Math.log10(sizeBytes) / 3), sizeUnits.length - 1);
  const value = sizeBytes / 1000 ** power;
  return new Intl.NumberFormat(env.language, {
    style: 'unit',
    unit: sizeUnits[power] ?? 'byte',
    unitDisplay: power === 0 ? 'long' : 'short',
    maximumFractionDigits: value < 10 && power > 0 ? 1 : 0,
  }).format(value);
}

/** Returns how many files of a transfer were moved: "2 of 3 files". Undefined when the server did not report it. */
export function movedText(transfer: Transfer): string | undefined {
  const { moved, total } = getProgress(transfer);
  return moved === undefined || total === undefined
    ? undefined
    : l10n.t('{0} of {1}', numberText(moved), filesText(total));
}

/** A word of the server's own for a state is shown in rows and tables. */
const longestState = 40;

/** Returns the status of a transfer in a few words: its state, or what is happening to it instead (D10, D13, D39). */
export function standingText(transfer: Transfer): string {
  if (transfer.replacedBy !== undefined && transfer.state === 'refused') {
    return l10n.t('did not start, submitted again');
  }
  if (getOutcome(transfer) === 'partial') {
    const moved = movedText(transfer) ?? '';
    return l10n.t('completed: {0} transferred', moved);
  }
  if (isPaused(transfer)) return l10n.t('paused: {0}', reasonText({ kind: 'serviceStopped' }));
  const word = transfer.state === 'running' ? plainPart(transfer.status?.status ?? '', longestState) : '';
  const state = word === '' ? stateText(transfer.state) : word;
  if (transfer.cancelAcceptedAt === undefined || hasEnded(transfer.state)) return state;
  return transfer.cancelUnheeded ? l10n.t('cancel accepted, the server still says {0}', state) : l10n.t('cancelling');
}

/** Returns the status of a transfer and how far it came: "active · 2 of 3 files". */
export function progressText(transfer: Transfer): string {
  const moved = getOutcome(transfer) === 'partial' ? undefined : movedText(transfer);
  return [standingText(transfer), moved].filter(Boolean).join(' · ');
}

/** How long a transfer will still take, for a row: "about 4 min", "4–7 min, from 3 earlier transfers". */
export function estimateText(estimate: Estimate): string {
  const isEarlier = estimate.kind === 'range' && estimate.basis === 'earlier';
  return listText([timeLeftText(estimate), isEarlier ? basisText(estimate) : undefined]);
}

/** The estimate alone: "about 4 min", "4–7 min", "no movement for 40 min". */
export function timeLeftText(estimate: Estimate): string {
  if (estimate.kind === 'range') return spanText(estimate.lowMs, estimate.highMs);
  const unit = unitFor(estimate.sinceMs);
  return l10n.t('no movement for {0}', unitFormat(unit).format(inUnits(estimate.sinceMs, unit)));
}

/** What an estimate is drawn from: "from 3 earlier transfers". */
export function basisText(estimate: Estimate): string | undefined {
  if (estimate.kind === 'stalled') return undefined;
  if (estimate.basis === 'movement') return l10n.t('from the files moved so far');
  const { count = 1 } = estimate;
  return plural(count, 'from {0} earlier transfer', 'from {0} earlier transfers');
}

const timeUnits = { minute: 60_000, hour: 3_600_000, day: 86_400_000 } as const;
type TimeUnit = keyof typeof timeUnits;

function spanText(lowMs: number, highMs: number): string {
  if (highMs < timeUnits.minute) return l10n.t('less than a minute');
  const unit = unitFor(highMs);
  const [low, high] = [inUnits(lowMs, unit), inUnits(highMs, unit)];
  const format = unitFormat(unit);
  if (low === high) return l10n.t('about {0}', format.format(high));
  return low === 0 ? l10n.t('up to {0}', format.format(high)) : format.formatRange(low, high);
}

function unitFor(durationMs: number): TimeUnit {
  if (durationMs < 1.5 * timeUnits.hour) return 'minute';
  return durationMs < 1.5 * timeUnits.day ? 'hour' : 'day';
}

/** Rounded to what a person would say: half hours and half days as long as they are few. */
function inUnits(durationMs: number, unit: TimeUnit): number {
  const value = durationMs / timeUnits[unit];
  const step = unit !== 'minute' && value < 10 ? 0.5 : 1;
  return Math.round(value / step) * step;
}

function unitFormat(unit: TimeUnit): Intl.NumberFormat {
  return new Intl.NumberFormat(env.language, { style: 'unit', unit, unitDisplay: 'short' });
}
