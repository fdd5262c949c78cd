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

/** Appends to one string: templates with many fields create a string for each of them first. */
function writeEntry(citation: Citation): string {
  const { key, title, issued, publisher } = citation;
  let entry = `@dataset{${key},\n`;
  entry += writeNames('  author = {', citation.authors);
  entry += writeNames('  editor = {', citation.editors);
  entry += `  title = {{${escapeTex(title)}}},\n`;
  if (issued !== undefined) entry += `  date = {${issued}},\n  year = {${issued.slice(0, 4)}},\n`;
  // In double braces, because BibLaTeX divides publishers at "and".
  if (publisher !== undefined) entry += `  publisher = {{${escapeTex(publisher)}}},\n`;
  return `${entry}${writeOtherFields(citation)}}\n`;
}

function writeOtherFields(citation: Citation): string {
  const { version, doi, url, accessed, abstract } = citation;
  let fields = version === undefined ? '' : `  version = {${escapeTex(version)}},\n`;
  if (doi !== undefined) fields += `  doi = {${doi}},\n`;
  if (url !== undefined) fields += `  url = {${url}},\n`;
  if (accessed !== undefined) fields += `  urldate = {${accessed}},\n`;
  if (abstract !== undefined) fields += `  abstract = {${escapeTex(abstract)}},\n`;
  const notes = joinNotes(citation);
  return notes === '' ? fields : `${fields}  note = {${notes}},\n`;
}

/** Joins everything that has no dedicated BibTeX field. */
function joinNotes(citation: Citation): string {
  const { identifier, otherTitles } = citation;
  let joined = identifier === undefined ? '' : escapeTex(identifier);
  for (const title of otherTitles) joined = joined === '' ? escapeTex(title) : `${joined}; ${escapeTex(title)}`;
  for (const note of listNotes(citation)) joined = joined === '' ? escapeTex(note) : `${joined}; ${escapeTex(note)}`;
  return joined;
}

function writeNames(opening: string, names: readonly CitedName[]): string {
  const [first] = names;
  if (!first) return '';
  const written = names.length === 1 ? writeName(first) : names.map(writeName).join(' and ');
  return `${opening}${written}},\n`;
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

function escapeTex(text: string): string {
  return text.replace(specialPattern, (character) => special[character] ?? `\\${character}`);
}
