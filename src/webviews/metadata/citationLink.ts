import { readIdentifier } from '../shared/identifiers.ts';

/** A citation with its DOI as a separate part. */
interface SplitCitation {
  readonly text: string;
  /** The DOI as written in the citation, such as `https://doi.org/10.1234/a`. */
  readonly doi?: string;
  /** The address at doi.org to open. */
  readonly address?: string;
}

/** Splits off the DOI at the end of a citation in APA style. Other addresses remain in the text. */
export function splitCitation(citation: string): SplitCitation {
  const [, text, doi] = /^(.*) (https:\/\/doi\.org\/10\.\S+)$/s.exec(citation) ?? [];
  if (text === undefined || doi === undefined) return { text: citation };
  const { address } = readIdentifier(doi);
  return address?.startsWith('https://doi.org/') ? { text, doi, address } : { text: citation };
}
