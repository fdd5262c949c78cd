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
  const fields = listFields(citation).filter(([, value]) => value !== undefined && value !== '');
  const lines = fields.map(([name, value]) => `  ${name} = {${value ?? ''}},\n`);
  return `@dataset{${citation.key},\n${lines.join('')}}\n`;
}

function listFields(citation: Citation): readonly (readonly [name: string, value: string | undefined])[] {
  const { title, authors, editors, issued, doi, url, accessed } = citation;
  return [
    ['author', writeNames(authors)],
    ['editor', writeNames(editors)],
    ['title', `{${escapeTex(title)}}`],
    ['date', issued],
    ['year', issued?.slice(0, 4)],
    // In double braces, because BibLaTeX divides publishers at "and".
    ['publisher', citation.publisher === undefined ? undefined : `{${escapeTex(citation.publisher)}}`],
    ['version', escapeField(citation.version)],
    ['doi', doi],
    ['url', url],
    ['urldate', accessed],
    ['abstract', escapeField(citation.abstract)],
    ['note', escapeTex(listAllNotes(citation).join('; '))],
  ];
}

/** Returns everything for which BibTeX has no field of its own. */
function listAllNotes(citation: Citation): readonly string[] {
  const { identifier, otherTitles } = citation;
  return [...(identifier === undefined ? [] : [identifier]), ...otherTitles, ...listNotes(citation)];
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
