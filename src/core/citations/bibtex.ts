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

/** Matches special characters of TeX, and the first of two that TeX would combine into a dash or a quote. */
const specialPattern = /[\\{}&%$#_~^`]|-(?=-)|'(?=')|<(?=<)|>(?=>)|,(?=,)/g;

/** Writes BibTeX entries of type `dataset`, which BibLaTeX defines and BibTeX styles treat as `misc`. */
export function writeBibtex(citations: readonly Citation[]): string {
  return citations.map(writeEntry).join('\n');
}

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
  // The date of a visit means nothing without an address.
  if (url !== undefined && accessed !== undefined) fields += `  urldate = {${accessed}},\n`;
  if (abstract !== undefined) fields += `  abstract = {${escapeTex(abstract)}},\n`;
  const notes = joinNotes(citation);
  return notes === '' ? fields : `${fields}  note = {${notes}},\n`;
}

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
  const surname = protectName(family, !family.includes(' '), (text) => text.replaceAll(labelLetter, writeAccent));
  const isOneGiven = !/\band\b/i.test(given);
  return `${surname}, ${protectName(given, isOneGiven, (text) => text.replaceAll(initialLetter, writeInitial))}`;
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
function protectName(part: string, isOneName: boolean, writeLetters: (text: string) => string): string {
  const text = escapeTex(part);
  if (!isOneName || !plainName.test(part)) return `{${text}}`;
  return /^[\0-\x7F]*$/.test(text) ? text : writeLetters(text);
}

/** Matches the letters outside ASCII to which styles abbreviate given names. */
const initialLetter = /(?<=^|[ -])[^\0-\x7F]\p{M}*/gu;
/** Matches the letters outside ASCII that styles such as `alpha` use in labels: the first three of a family name. */
const labelLetter = /(?<=^.{0,2})[^\0-\x7F]/gu;

/** Commands of TeX for letters and combining marks. BibTeX, biber, pandoc and bibutils know all of them. */
const letterCommands = toCommands('åaa ÅAA æae ÆAE łl ŁL øo ØO ßss ıi');
const markCommands = toCommands(
  '\u0300` \u0301\' \u0302^ \u0303~ \u0304= \u0306u \u0307. \u0308" \u030BH \u030Cv \u0327c \u0328k',
);

function toCommands(list: string): ReadonlyMap<string, string> {
  return new Map(list.split(' ').map((pair) => [pair.slice(0, 1), pair.slice(1)]));
}

/**
 * Writes a letter as a command of TeX in braces, such as `{\'O}`, which BibTeX treats as one letter. It counts other
 * text in bytes, and would abbreviate a name to half of its first letter. Returns a letter without a command unchanged.
 */
function writeAccent(letter: string): string {
  const named = letterCommands.get(letter);
  if (named !== undefined) return `{\\${named}}`;
  const [base = '', mark = '', ...more] = letter.normalize('NFD');
  const command = markCommands.get(mark);
  if (command === undefined || more.length > 0 || !/[a-z]/i.test(base)) return letter;
  return /[a-z]/i.test(command) ? `{\\${command}{${base}}}` : `{\\${command}${base}}`;
}

function writeInitial(letter: string): string {
  const written = writeAccent(letter);
  return written === letter ? `{\\textrm{${letter}}}` : written;
}

function escapeTex(text: string): string {
  return text.replace(specialPattern, (character) => special[character] ?? `\\${character}`);
}
