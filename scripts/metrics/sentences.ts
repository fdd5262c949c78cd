import ts from 'typescript';
import { formatPosition, walk, type Source } from './sources.ts';

/** A text in the code, and its place. Values that the program inserts are `{}`. */
interface Sentence {
  readonly path: string;
  readonly position: string;
  readonly text: string;
}

/** The places of a text that the code has more than once. */
export interface RepeatedSentence {
  /** The forms of the text, which may differ in case and punctuation. */
  readonly texts: readonly string[];
  readonly positions: readonly string[];
}

const minWords = 3;

/** Matches queries, styles, paths and other texts that only programs read. */
const code =
  /\b(?:SELECT|INSERT|UPDATE|DELETE|CREATE|DROP|PRAGMA|ATTACH|BEGIN|WHERE|ORDER BY)\b|[<>{};=]\s*$|^\s*[<.#/-]|=>|\w\(\)|[a-z]+-[a-z]+: /;

/**
 * Returns the English texts of at least three words that several files contain, or that the code has in forms that
 * differ only in case and punctuation.
 */
export function findRepeatedSentences(sources: readonly Source[]): RepeatedSentence[] {
  const byWords = new Map<string, Sentence[]>();
  for (const sentence of sources.flatMap(listSentences)) {
    const words = toWords(sentence.text);
    byWords.set(words, [...(byWords.get(words) ?? []), sentence]);
  }
  return [...byWords.values()].filter(isRepeated).map((same) => ({
    texts: [...new Set(same.map(({ text }) => text))],
    positions: same.map(({ position }) => position),
  }));
}

/** Repeated sentences, in any of their forms, with the reason why each may be repeated. */
export const repetitionReasons: Readonly<Record<string, string>> = {
  'Cancel a transfer': 'the names of a command, a tool and a route, each in the form of its program',
  'a whole number': "types in the client's errors for programs, and in the service's descriptions of JSON",
  'Remove the part that starts with ? or #.':
    "the client's error for programs in English, and the input box in the user's language before there is a client",
  'true or false': "a type in the service's English descriptions of JSON, and in the user's language in the editor",
  'has no path': "a warning in the service's log, and a row of a report in the user's language",
};

/**
 * Lists the repeated sentences with and without a reason. A reason for a sentence that isn't repeated counts as
 * unexplained.
 */
export function checkSentences(
  sources: readonly Source[],
  reasons: Readonly<Record<string, string>>,
): Record<'explained' | 'unexplained', readonly string[]> {
  const repeated = new Map(findRepeatedSentences(sources).map((same) => [toWords(same.texts[0] ?? ''), same]));
  const explained = Object.entries(reasons).map(([text, reason]) => {
    const same = repeated.get(toWords(text));
    repeated.delete(toWords(text));
    return { text, line: same && `${text} (${reason}): ${same.positions.join(', ')}` };
  });
  const stale = explained.filter(({ line }) => line === undefined);
  return {
    explained: explained.flatMap(({ line }) => line ?? []),
    unexplained: [
      ...[...repeated.values()].map(({ texts, positions }) => `${texts.join(' | ')}: ${positions.join(', ')}`),
      ...stale.map(({ text }) => `${text}: has a reason to be repeated, but is not repeated`),
    ],
  };
}

function isRepeated(same: readonly Sentence[]): boolean {
  return new Set(same.map(({ path }) => path)).size > 1 || new Set(same.map(({ text }) => text)).size > 1;
}

function listSentences(source: Source): Sentence[] {
  const found: Sentence[] = [];
  walk(source.tree, (node) => {
    const text = readText(node);
    if (text === undefined || !isEnglish(text)) return;
    found.push({ path: source.path, position: formatPosition(source, node), text: text.trim() });
  });
  return found;
}

/** Returns the text of a literal; undefined for other nodes, and for literals in types and imports. */
function readText(node: ts.Node): string | undefined {
  if (ts.isJsxText(node)) return node.text.replaceAll(/\s+/g, ' ');
  if (ts.isTemplateExpression(node)) {
    return [node.head.text, ...node.templateSpans.map(({ literal }) => literal.text)].join('{}');
  }
  if (!ts.isStringLiteralLike(node)) return undefined;
  const isCode = ts.isLiteralTypeNode(node.parent) || ts.isImportDeclaration(node.parent) || isLogged(node);
  return isCode ? undefined : node.text.replaceAll(/\{\d+\}/g, '{}');
}

function isLogged(node: ts.Node): boolean {
  return ts.isCallExpression(node.parent) && /\blog(?:ger)?\.\w+$/.test(node.parent.expression.getText());
}

function isEnglish(text: string): boolean {
  if (code.test(text)) return false;
  const words = text.split(/\s+/).filter((word) => /^[“"'(]*\p{L}[\p{L}'’-]*[”"'),.:;!?…]*$/u.test(word));
  return words.length >= minWords;
}

function toWords(text: string): string {
  return text
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{N}{}']+/gu, ' ')
    .trim();
}
