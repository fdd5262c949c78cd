import { openableLink } from '../../messages/links.ts';

/** An identifier as it is to be read, and where it leads, when that is known. */
export interface Identifier {
  readonly text: string;
  readonly address?: string;
}

const resolvers: readonly { readonly form: RegExp; readonly prefix: string; readonly base: string }[] = [
  {
    form: /^(?:https?:\/\/(?:dx\.)?doi\.org\/|doi:\s*)?(10\.\d{4,9}\/\S+)$/i,
    prefix: 'doi:',
    base: 'https://doi.org/',
  },
  {
    form: /^(?:https?:\/\/orcid\.org\/|orcid:\s*)?(\d{4}-\d{4}-\d{4}-\d{3}[\dX])$/i,
    prefix: '',
    base: 'https://orcid.org/',
  },
  { form: /^(?:https?:\/\/ror\.org\/|ror:\s*)(0[a-z0-9]{6}\d{2})$/i, prefix: '', base: 'https://ror.org/' },
];

/** Reads a DOI, an ORCID iD, a ROR id or an address, in any of the forms that servers write them in. */
export function readIdentifier(written: string): Identifier {
  const trimmed = written.trim();
  for (const { form, prefix, base } of resolvers) {
    const name = form.exec(trimmed)?.[1];
    if (name !== undefined)
      return { text: prefix + name, address: base + encodeURI(name).replace(/[?#]/g, encodeURIComponent) };
  }
  const address = openableLink(trimmed);
  return address === undefined ? { text: trimmed } : { text: trimmed, address };
}
