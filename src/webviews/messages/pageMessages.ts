import { optional, object, isString, isStringRecord, oneOf, taggedUnion, type Guard } from './guards.ts';
import { toOpenableLink } from './links.ts';

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
