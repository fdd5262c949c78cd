import { limitMarks, shortenText } from '../../core/util/displayLimits.ts';
import { toOpenableLink } from '../messages/pageMessages.ts';

export { shortenText };

/**
 * Replaces control characters, and bidirectional embeddings, overrides and isolates, with visible symbols, so that text
 * isn't reordered. Keeps line breaks and tabs. Limits the number of combining marks (D39: server data display).
 */
export function toVisibleText(text: string): string {
  return limitMarks(text).replace(/[\p{Cc}\u202A-\u202E\u2066-\u2069]/gu, (character) => {
    const code = character.charCodeAt(0);
    if (code === 0x09 || code === 0x0a || code === 0x0d) return character;
    return code < 0x20 ? String.fromCharCode(0x2400 + code) : '\uFFFD';
  });
}

/**
 * Returns the trimmed text; undefined if the value is not a string or has no letter, digit or symbol (servers send ""
 * or "," for "unknown").
 */
export function toReadableText(value: unknown): string | undefined {
  if (typeof value !== 'string') return undefined;
  return /(?!\p{Default_Ignorable_Code_Point}|\u2800)[\p{L}\p{N}\p{S}]/u.test(value) ? value.trim() : undefined;
}

/** An identifier in readable form, with its web address if known. */
export interface Identifier {
  readonly text: string;
  readonly address?: string;
}

const resolvers: readonly { readonly pattern: RegExp; readonly prefix: string; readonly base: string }[] = [
  {
    pattern: /^(?:https?:\/\/(?:dx\.)?doi\.org\/|doi:\s*)?(10\.\d{4,9}\/\S+)$/i,
    prefix: 'doi:',
    base: 'https://doi.org/',
  },
  {
    pattern: /^(?:https?:\/\/orcid\.org\/|orcid:\s*)?(\d{4}-\d{4}-\d{4}-\d{3}[\dX])$/i,
    prefix: '',
    base: 'https://orcid.org/',
  },
  { pattern: /^(?:https?:\/\/ror\.org\/|ror:\s*)(0[a-z0-9]{6}\d{2})$/i, prefix: '', base: 'https://ror.org/' },
];

/** Parses a DOI, an ORCID iD, a ROR ID or a web address in any common form. Returns other text without an address. */
export function readIdentifier(written: string): Identifier {
  const trimmed = written.trim();
  for (const { pattern, prefix, base } of resolvers) {
    const name = pattern.exec(trimmed)?.[1];
    if (name === undefined) continue;
    const path = encodeURI(name.replace(/\p{Surrogate}/gu, '\ufffd')).replace(/[?#]/g, encodeURIComponent);
    return { text: prefix + name, address: base + path };
  }
  const address = toOpenableLink(trimmed);
  return address === undefined ? { text: trimmed } : { text: trimmed, address };
}
