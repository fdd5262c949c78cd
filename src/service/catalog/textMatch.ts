import type { SearchTerm } from './searchLanguage.ts';
import { all, any, type SqlPart } from './sqlPart.ts';
import { folderEnd } from './words.ts';

/** A term that is words. */
export type TextTerm = Extract<SearchTerm, { kind: 'text' }>;

/** Where words are looked for. */
export type WordColumn = 'name' | 'title' | 'folder' | 'rest';

/**
 * Where words may stand, the best first: a file whose name has them all goes before one where it takes the title too,
 * and so on. Each holds what the ones before it hold.
 */
export const columnTiers: readonly (readonly WordColumn[])[] = [
  ['name'],
  ['name', 'title'],
  ['name', 'title', 'folder'],
  ['name', 'title', 'folder', 'rest'],
];

/** Everywhere. */
export const anyColumn: readonly WordColumn[] = ['name', 'title', 'folder', 'rest'];

/** The words as the full-text index takes them. Words hold letters and digits only, so nothing in them can be syntax. */
export function indexMatch(term: TextTerm, columns: readonly WordColumn[]): string {
  const star = term.isPrefix ? ' *' : '';
  const whole = `{${columns.join(' ')}} : "${term.words}"${star}`;
  if (term.parted === undefined || !columns.includes('folder')) return `(${whole})`;
  const { folder, name } = term.parted;
  return `((${whole}) OR ((folder : "${folder} ${folderEnd}") AND (name : ^ "${name}"${star})))`;
}

/** The same, looked at row by row in the table `w`. */
export function scanMatch(term: TextTerm, columns: readonly WordColumn[]): SqlPart {
  const end = term.isPrefix ? '' : ' ';
  const whole = columns.map((column) => ({ sql: `instr(w.${column}, ?)`, values: [` ${term.words}${end}`] }));
  if (term.parted === undefined || !columns.includes('folder')) return any(whole);
  const name = ` ${term.parted.name}${end}`;
  return any([
    ...whole,
    all([
      { sql: 'instr(w.folder, ?)', values: [` ${term.parted.folder} ${folderEnd} `] },
      { sql: 'substr(w.name, 1, length(?)) = ?', values: [name, name] },
    ]),
  ]);
}
