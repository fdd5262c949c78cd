import { formatSortedName, listNotes, type Citation, type CitedName } from './citation.ts';

const special: Readonly<Record<string, string>> = {
  '\\': '\\textbackslash{}',
  // BibTeX counts escaped braces too, so that a single one would break the entry.
  '{': '\\textbraceleft{}',
  '}': '\\textbraceright{}',
  '~': '\\textasciitilde{}',
  '^': '{\\textasciicircum}',
  '`': '\\textasciigrave{}',
  '-': '-{}',
  "'": "'{}",
  '<': '<{}',
  '>': '>{}',
  ',': ',{}',
};

/** Characters with a meaning in TeX, and the first of two characters that TeX would join to a dash or a quote. */
const specialPattern = /[\\{}&%$#_~^`]|-(?=-)|'(?=')|<(?=<)|>(?=>)|,(?=,)/g;

/** Writes citations as BibTeX entries of the type `dataset`, which BibLaTeX defines and BibTeX styles treat as `misc`. */
export function writeBibtex(citations: readonly Citation[]): string {
  return citations.map(writeEntry).join('\n');
}

function writeEntry(citation: Citation): string {
  const { key, title, issued, publisher } = citation;
  const people = `${writeField('author', writeNames(citation.authors))}${writeField('editor', writeNames(citation.editors))}`;
  const dates = `${writeField('date', issued)}${writeField('year', issued?.slice(0, 4))}`;
  // In double braces, because BibLaTeX divides publishers at "and".
  const source = publisher === undefined ? '' : writeField('publisher', `{${escapeTex(publisher)}}`);
  const heading = `${people}${writeField('title', `{${escapeTex(title)}}`)}${dates}${source}`;
  return `@dataset{${key},\n${heading}${writeOtherFields(citation)}}\n`;
}

function writeOtherFields(citation: Citation): string {
  const { version, doi, url, accessed, abstract } = citation;
  const address = `${writeField('doi', doi)}${writeField('url', url)}${writeField('urldate', accessed)}`;
  const texts = `${writeField('abstract', escapeField(abstract))}${writeField('note', escapeTex(joinNotes(citation)))}`;
  return `${writeField('version', escapeField(version))}${address}${texts}`;
}

function writeField(name: string, value: string | undefined): string {
  return value === undefined || value === '' ? '' : `  ${name} = {${value}},\n`;
}

/** Joins everything for which BibTeX has no field of its own. */
function joinNotes(citation: Citation): string {
  const { identifier, otherTitles } = citation;
  const notes = [...otherTitles, ...listNotes(citation)];
  return (identifier === undefined ? notes : [identifier, ...notes]).join('; ');
}

function writeNames(names: readonly CitedName[]): string {
  return names.map(writeName).join(' and ');
}

function writeName(name: CitedName): string {
  const { family, given } = name;
  if (family === undefined || given === undefined) return `{${escapeTex(formatSortedName(name))}}`;
  return `${protectName(family, !family.includes(' '))}, ${protectName(given, !/\band\b/i.test(given))}`;
}

/** Words of letters, with dots, hyphens and apostrophes between them. BibTeX and BibLaTeX don't interpret them. */
const plainName = /^\p{L}(?:[-.’']{0,2}[\p{L}\p{M}])*\.?(?: \p{L}(?:[-.’']{0,2}[\p{L}\p{M}])*\.?)*$/u;

/**
 * Puts a part of a name in braces, unless it is plain: BibTeX interprets commas, "and" and "von" otherwise, but doesn't
 * abbreviate a given name in braces.
 */
function protectName(part: string, isOneName: boolean): string {
  const text = escapeTex(part);
  return isOneName && plainName.test(part) ? text : `{${text}}`;
}

function escapeField(text: string | undefined): string | undefined {
  return text === undefined ? undefined : escapeTex(text);
}

function escapeTex(text: string): string {
  return text.replace(specialPattern, (character) => special[character] ?? `\\${character}`);
}
