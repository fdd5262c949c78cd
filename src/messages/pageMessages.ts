import { exactly, optional, shape, text, texts, word, type Guard } from './guards.ts';
import { openableLink } from './links.ts';

/** What a page needs to speak the person's language. */
export interface PageWords {
  /** Language of the editor, for numbers and dates: `en`, `pt-br`. */
  readonly language: string;
  /** The translations of that language; absent when it has none. */
  readonly bundle?: Readonly<Record<string, string>>;
}

/** See {@link PageWords}. */
export const isPageWords: Guard<PageWords> = shape<PageWords>({ language: text, bundle: optional(texts) });

/** The remedy for a rejected sign-in, besides trying again: another ORCID iD, or another key. */
export type PageRemedy = 'orcid' | 'key';

/** Guard for {@link PageRemedy}. */
export const isPageRemedy = word<PageRemedy>({ orcid: true, key: true });

/** What every page may say to the host. */
export type CommonIntent =
  | { readonly type: 'ready' }
  /** The page was sent something that it does not know. */
  | { readonly type: 'ignored' }
  /** Only an address that {@link openableLink} lets through gets past the guard. */
  | { readonly type: 'openLink'; readonly address: string }
  | { readonly type: 'copyId' }
  /** The person wants the remedy that the page offers. */
  | { readonly type: 'remedy' };

/** Guard of a message that carries nothing but its type. */
export function bare<K extends string>(type: K): Guard<{ readonly type: K }> {
  return shape<{ type: K }>({ type: exactly(type) });
}

/** Guards for {@link CommonIntent}. */
export const commonIntents = {
  ready: bare('ready'),
  ignored: bare('ignored'),
  copyId: bare('copyId'),
  remedy: bare('remedy'),
  openLink: shape<Extract<CommonIntent, { type: 'openLink' }>>({
    type: exactly('openLink'),
    address: (value): value is string => text(value) && openableLink(value) !== undefined,
  }),
};
