import { either, isString, isStringRecord, object, oneOf, optional, typeOnly, type Guarded } from './guards.ts';

/** Checks a page's display language and translations. */
export const isPageWords = object({
  /** The editor's language, such as `en` or `pt-br`; used for numbers and dates. */
  language: isString,
  /** The translations; absent if there are none for the language. */
  bundle: optional(isStringRecord),
});

/** A page's display language and translations. */
export type PageWords = Guarded<typeof isPageWords>;

/** Checks that a value is a {@link PageRemedy}. */
export const isPageRemedy = oneOf('orcid', 'key');

/** The remedy for a rejected sign-in, other than retrying: use a different ORCID iD or a different key. */
export type PageRemedy = Guarded<typeof isPageRemedy>;

/** Checks messages that the host handles in the same way for all pages. `ignored`: the page received an unknown one. */
export const isHostIntent = either(
  typeOnly('ready', 'ignored'),
  object({
    type: oneOf('openLink'),
    address: (value: unknown): value is string => isString(value) && toOpenableLink(value) !== undefined,
  }),
);

/** Messages that the host handles in the same way for all pages. */
export type HostIntent = Guarded<typeof isHostIntent>;

/** Checks messages of all pages. `remedy`: the user selected the remedy that the page offers. */
export const isCommonIntent = either(isHostIntent, typeOnly('copyId', 'remedy'));

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
  const mail = url.protocol === 'mailto:' ? trimmed.slice('mailto:'.length) : undefined;
  return mail === undefined || (mail.length <= maxMailLength && mailAddress.test(mail)) ? url.href : undefined;
}
