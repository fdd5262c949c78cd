import { isString, isStringRecord, object, oneOf, optional, taggedUnion, type Guard } from './guards.ts';

/** A page's display language and translations. */
export interface PageWords {
  /** The editor's language, such as `en` or `pt-br`; used for numbers and dates. */
  readonly language: string;
  /** The translations; absent if there are none for the language. */
  readonly bundle?: Readonly<Record<string, string>>;
}

/** Checks that a value is {@link PageWords}. */
export const isPageWords: Guard<PageWords> = object<PageWords>({
  language: isString,
  bundle: optional(isStringRecord),
});

/** The remedy for a rejected sign-in, other than retrying: use a different ORCID iD or a different key. */
export type PageRemedy = 'orcid' | 'key';

/** Checks that a value is a {@link PageRemedy}. */
export const isPageRemedy = oneOf<PageRemedy>({ orcid: true, key: true });

/** Messages that the host handles in the same way for all pages. */
export type HostIntent =
  | { readonly type: 'ready' }
  /** The page received an unknown message. */
  | { readonly type: 'ignored' }
  /** The guard accepts only addresses that pass {@link toOpenableLink}. */
  | { readonly type: 'openLink'; readonly address: string };

/** Messages that all pages may send to the host. */
export type CommonIntent =
  | HostIntent
  | { readonly type: 'copyId' }
  /** The user selected the remedy that the page offers. */
  | { readonly type: 'remedy' };

const hostIntents = {
  ready: {},
  ignored: {},
  openLink: { address: (value: unknown): value is string => isString(value) && toOpenableLink(value) !== undefined },
};

/** Checks that a message is a {@link HostIntent}. */
export const isHostIntent = taggedUnion<HostIntent>(hostIntents);

/** The guards for the fields of all {@link CommonIntent} messages. */
export const commonIntents = { ...hostIntents, copyId: {}, remedy: {} };

const allowedProtocols: ReadonlySet<string> = new Set(['http:', 'https:', 'mailto:']);
const maxLinkLength = 2048;

const maxMailLength = 254;
const mailAddress = /^[\w.!'*+~-]{1,64}@(?:[a-z\d](?:[a-z\d-]{0,61}[a-z\d])?\.)+[a-z\d](?:[a-z\d-]{0,61}[a-z\d])?$/i;

/**
 * Returns an address in normalized form; undefined if it must not be opened. Only absolute http, https and mailto links
 * of limited length are allowed, without spaces, control characters, user names or passwords. A mailto link may contain
 * only one plausible address. Both the page and the host perform this check.
 */
export function toOpenableLink(address: string): string | undefined {
  const trimmed = address.trim();
  if (trimmed.length > maxLinkLength || /[\p{Cc}\s]/u.test(trimmed) || !URL.canParse(trimmed)) return undefined;
  const url = new URL(trimmed);
  if (!allowedProtocols.has(url.protocol) || url.username !== '' || url.password !== '') return undefined;
  if (url.protocol === 'mailto:' && !isMailAddress(trimmed.slice('mailto:'.length))) return undefined;
  return url.href;
}

function isMailAddress(text: string): boolean {
  return text.length <= maxMailLength && mailAddress.test(text);
}
