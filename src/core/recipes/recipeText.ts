import { findNodeAtLocation, getNodeValue, parseTree, type Node, type ParseError } from 'jsonc-parser';

/** A range in a string. Offsets are in UTF-16 code units, counted from 0. */
interface TextRange {
  readonly offset: number;
  readonly length: number;
  /** The line of the first character, counted from 1. */
  readonly line: number;
}

/** The maximum number of levels of lists and objects in a recipe. */
export const maxLevels = 100;

/** The maximum number of problems of one kind to report. Finding the position of each problem takes time. */
export const maxProblems = 100;

/** The names and indexes that lead to a value. */
export type RecipePath = readonly (string | number)[];

/** JSON with comments, and the positions of its values. */
export class RecipeText {
  private readonly text: string;
  private readonly root: Node | undefined;
  /** The parsed value; undefined if there is none. */
  readonly value: unknown;
  private lineBreaks: readonly number[] | undefined;
  /** The position of the first syntax error. Later errors are often caused by the first one. */
  readonly error: TextRange | undefined;

  constructor(text: string) {
    this.text = text.replace(/^\uFEFF/, ' ');
    const { root, value, errors } = parseText(this.text);
    this.root = root;
    this.value = value;
    this.error = errors[0] && this.toRange(errors[0].offset, errors[0].length);
  }

  /** Returns the position of a value or, if it doesn't exist, of the nearest one that would contain it. */
  findValue(path: RecipePath): TextRange {
    const node = this.root && findNodeAtLocation(this.root, [...path]);
    if (node) return this.toRange(node.offset, node.length);
    return path.length === 0 ? this.toRange(0, 1) : this.findValue(path.slice(0, -1));
  }

  /**
   * Returns the position of a property's name, or of a list element. If the path doesn't exist, returns the position of
   * the nearest value that would contain it.
   */
  findName(path: RecipePath): TextRange {
    const node = this.root && findNodeAtLocation(this.root, [...path]);
    const name = node?.parent?.type === 'property' ? node.parent.children?.[0] : node;
    return name ? this.toRange(name.offset, name.length) : this.findValue(path);
  }

  /** Finds the first {@link maxProblems} names that an object repeats; parsers keep only the last value. */
  findRepeatedNames(): readonly { readonly path: RecipePath; readonly range: TextRange }[] {
    const found: { readonly path: RecipePath; readonly range: TextRange }[] = [];
    if (!this.root) return found;
    for (const repeated of this.listRepeated(this.root, [])) {
      found.push(repeated);
      if (found.length === maxProblems) break;
    }
    return found;
  }

  private *listRepeated(node: Node, path: RecipePath): Generator<{ path: RecipePath; range: TextRange }> {
    // A repeated name can hide a deeply nested value from a check of the parsed value.
    if (path.length > maxLevels) return;
    const children = node.children ?? [];
    if (node.type === 'object') yield* this.listRepeatedHere(children, path);
    for (const [index, child] of children.entries()) {
      const [name, value] = child.type === 'property' ? [child.children?.[0], child.children?.[1]] : [undefined, child];
      if (value) yield* this.listRepeated(value, [...path, name ? String(name.value) : index]);
    }
  }

  private *listRepeatedHere(properties: readonly Node[], path: RecipePath) {
    const seen = new Set<string>();
    for (const name of properties.flatMap(({ children }) => children?.slice(0, 1) ?? [])) {
      const text = String(name.value);
      if (seen.has(text)) yield { path: [...path, text], range: this.toRange(name.offset, name.length) };
      seen.add(text);
    }
  }

  private toRange(offset: number, length: number): TextRange {
    this.lineBreaks ??= Array.from(this.text.matchAll(/\n/g), ({ index }) => index);
    return { offset, length, line: countBelow(this.lineBreaks, offset) + 1 };
  }
}

/** Returns the number of sorted values that are less than a limit, in logarithmic time. */
function countBelow(sorted: readonly number[], limit: number): number {
  let [low, high] = [0, sorted.length];
  while (low < high) {
    const middle = Math.floor((low + high) / 2);
    if ((sorted[middle] ?? limit) < limit) low = middle + 1;
    else high = middle;
  }
  return low;
}

function parseText(text: string): {
  readonly root?: Node | undefined;
  readonly value?: unknown;
  readonly errors: readonly Pick<ParseError, 'offset' | 'length'>[];
} {
  const errors: ParseError[] = [];
  try {
    const root = parseTree(text, errors, { allowTrailingComma: true });
    return { root, value: root && (getNodeValue(root) as unknown), errors };
  } catch (error) {
    // The parser is recursive, and deep nesting overflows the stack.
    if (error instanceof RangeError) return { errors: [{ offset: 0, length: 1 }] };
    throw error;
  }
}

/** The reason why a recipe can't be used, as data; the caller provides the wording. */
export type RecipeProblemKind =
  | 'syntax' // not JSON
  | 'tooLarge' // larger than a recipe may be
  | 'notObject' // JSON, but not an object, or nested too deeply
  | 'newerVersion' // written for a later version
  | 'secret' // a key, a password or a token, which a recipe may never contain
  | 'unknownField' // `nearest` is a known field with a similar name
  | 'repeatedField' // a name that occurs more than once in an object, or a folder that the instructions name, too
  | 'missingField' // a field that every recipe needs
  | 'wrongType' // `expected` is the type
  | 'wrongValue' // `expected` lists the allowed values
  | 'empty' // an empty string or list
  | 'tooLong' // a string or list that is longer than `expected`
  | 'wrongNumber' // negative, not an integer, or greater than `Number.MAX_SAFE_INTEGER`
  | 'wrongRange' // `least` exceeds `most`
  | 'sourceCount' // not exactly one of search, ids and table
  | 'outsideFolder' // a table, script or program outside the recipe's folder
  | 'followUpCount' // not exactly one of sbatch and program
  | 'followUpPlace' // a follow-up in the instructions instead of `then`
  | 'wrongFolderName' // not a plain name for the folder at the destination
  | 'sameDatabase' // `from` and `to` are the same database
  // the service has no such database; `nearest` is one with a similar name, otherwise `expected` lists all
  | 'unknownDatabase'
  | 'unknownId' // the database had no file with this ID when it was last looked up
  | 'readOnlyDatabase' // the service refuses transfers to this database
  | 'unknownParameter'; // the database has no such search parameter; `nearest` is a similar one

/** Returns the name of the field at a path, such as `ids[0]`; empty for the recipe itself. */
export function getFieldName(path: RecipePath): string {
  const last = path.at(-1) ?? '';
  return typeof last === 'number' ? `${path.at(-2) ?? ''}[${last}]` : last;
}

/** A problem with a recipe, and its position in the text. */
export interface RecipeProblem {
  readonly kind: RecipeProblemKind;
  readonly path: RecipePath;
  readonly range: TextRange;
  readonly nearest?: string;
  readonly expected?: string;
}
