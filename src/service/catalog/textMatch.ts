import type { SearchTerm } from './searchLanguage.ts';
import { folderEndMarker } from './textNormalization.ts';

/** A term of a search that text must contain. */
export type TextTerm = Extract<SearchTerm, { kind: 'text' }>;

/** Columns of the `words` table. */
export type WordColumn = 'name' | 'title' | 'folder' | 'rest';

/** All columns, most relevant first. */
export const allColumns: readonly WordColumn[] = ['name', 'title', 'folder', 'rest'];

/** Column sets in order of relevance: matches in the name come first, then matches in name and title, and so on. */
export const columnTiers = allColumns.map((_, index) => allColumns.slice(0, index + 1));

/** Returns the FTS5 match expression for a term. Words contain only letters and digits, so no escaping is needed. */
export function buildIndexMatch(term: TextTerm, columns: readonly WordColumn[]): string {
  const star = term.isPrefix ? ' *' : '';
  const whole = `{${columns.join(' ')}} : "${term.words}"${star}`;
  if (term.splitAtSlash === undefined || !columns.includes('folder')) return `(${whole})`;
  const { folder, name } = term.splitAtSlash;
  return `((${whole}) OR ((folder : "${folder} ${folderEndMarker}") AND (name : ^ "${name}"${star})))`;
}
