import { formatSortedName, listNotes, type Citation, type CitedName } from './citation.ts';

const special: Readonly<Record<string, string>> = {
  '\\': '\\textbackslash{}',
  // BibTeX counts escaped braces too, so an unmatched one would break the entry.
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

/**
 * Matches characters that are special in TeX. Also matches the first of any two characters that TeX would combine into
 * a dash or a quote.
 */
const specialPattern = /[\\{}&%$#_~^`]|-(?=-)|'(?=')|<(?=<)|>(?=>)|,(?=,)/g;

/**
 * Writes citations as BibTeX entries of type `dataset`. BibLaTeX defines this type; BibTeX styles treat it as `misc`.
 */
export function writeBibtex(citations: readonly Citation[]): string {
  return citations.map(writeEntry).join('\n');
}

/** Writes a BibTeX entry. Appends field by field, which is faster than one large template literal. */
function writeEntry(citation: Citation): string {
  const { key, title, issued, publisher } = citation;
  let entry = `@dataset{${key},\n`;
  entry += writeNames('  author = {', citation.authors);
  entry += writeNames('  editor = {', citation.editors);
  entry += `  title = {{${escapeTex(title)}}},\n`;
  if (issued !== undefined) entry += `  date = {${issued}},\n  year = {${issued.slice(0, 4)}},\n`;
  // The double braces prevent BibLaTeX from splitting publishers at "and".
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

/** Joins the parts of a citation that have no dedicated BibTeX field. */
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

/**
 * Matches names that contain no characters with a special meaning in BibTeX or BibLaTeX. The words of such names
 * consist of letters, and can contain periods, hyphens and apostrophes.
 */
const plainName = /^\p{L}(?:[-.’']{0,2}[\p{L}\p{M}])*\.?(?: \p{L}(?:[-.’']{0,2}[\p{L}\p{M}])*\.?)*$/u;

/**
 * Encloses a part of a name in braces if BibTeX could misread it. BibTeX interprets commas, "and" and "von" only
 * outside braces. Other parts stay unbraced, because BibTeX doesn't abbreviate a braced given name.
 */
function protectName(part: string, isOneName: boolean): string {
  const text = escapeTex(part);
  return isOneName && plainName.test(part) ? text : `{${text}}`;
}

function escapeTex(text: string): string {
  return text.replace(specialPattern, (character) => special[character] ?? `\\${character}`);
}
