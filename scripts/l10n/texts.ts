import { glob, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import ts from 'typescript';

/** A translatable string in the sources. */
export interface Text {
  /**
   * The key in a bundle: the English text, in some cases with a suffix. The suffix is `/one` for a singular form, and a
   * slash and the comment for a text with a comment.
   */
  readonly key: string;
  readonly english: string;
  /** True for the `other` form of a plural. Some languages need further forms of such a text. */
  readonly isCounted: boolean;
}

/**
 * The translatable strings in the sources, and the locations of calls whose strings cannot be determined statically.
 */
export interface Texts {
  readonly texts: readonly Text[];
  readonly errors: readonly string[];
}

/** The file that contains the English strings. */
export const englishBundle = 'l10n/bundle.l10n.json';

/** The strings of a language by their keys. */
export type Strings = Readonly<Record<string, string>>;

/** The languages beside English. */
export const languages = ['fr'];

/** Returns the strings in all calls to `l10n.t` and `plural` in the sources, sorted by key. */
export async function collectTexts(root: string): Promise<Texts> {
  const found = new Map<string, Text>();
  const errors: string[] = [];
  for await (const file of glob('src/**/*.{ts,tsx}', { cwd: root })) {
    for (const call of findCalls(file.replaceAll('\\', '/'), await readFile(join(root, file), 'utf8'))) {
      const texts = readTexts(call);
      for (const text of texts ?? []) found.set(text.key, text);
      if (!texts) errors.push(formatPosition(call));
    }
  }
  const texts = [...found.values()].toSorted((one, other) => (one.key < other.key ? -1 : 1));
  return { texts, errors: errors.toSorted() };
}

/** Returns the content of the English bundle file. */
export function bundleText(texts: readonly Text[]): string {
  return `${JSON.stringify(Object.fromEntries(texts.map(({ key, english }) => [key, english])), undefined, 2)}\n`;
}

/** Returns the keys of a language's bundle: the English keys, and those of the language's further plural forms. */
export function listKeys(texts: readonly Text[], language: string): readonly string[] {
  const forms = new Intl.PluralRules(language).resolvedOptions().pluralCategories;
  const further = forms.filter((form) => form !== 'one' && form !== 'other');
  return texts.flatMap(({ key, isCounted }) => [key, ...(isCounted ? further.map((form) => `${key}/${form}`) : [])]);
}

/** Finds the calls to `l10n.t` and `plural` in a file. Doesn't parse a file that contains none. */
function findCalls(path: string, content: string): Iterable<ts.CallExpression> {
  if (!/\b(l10n\.t|plural)\(/.test(content)) return [];
  return callsIn(ts.createSourceFile(path, content, ts.ScriptTarget.Latest, true));
}

function* callsIn(node: ts.Node): Generator<ts.CallExpression> {
  // Inside the helpers themselves, the strings are parameters.
  if (isNamed(node, 'plural')) return;
  if (ts.isCallExpression(node) && isTextCall(node)) yield node;
  const inner: ts.Node[] = [];
  ts.forEachChild(node, (child) => void inner.push(child));
  for (const child of inner) yield* callsIn(child);
}

function formatPosition(node: ts.Node): string {
  const source = node.getSourceFile();
  return `${source.fileName}:${source.getLineAndCharacterOfPosition(node.getStart()).line + 1}`;
}

function isNamed(node: ts.Node, name: string): boolean {
  return (
    (ts.isFunctionDeclaration(node) || ts.isPropertyAssignment(node)) &&
    node.name !== undefined &&
    node.name.getText() === name
  );
}

function isTextCall({ expression }: ts.CallExpression): boolean {
  return expression.getText() === 'l10n.t' || isPlural(expression);
}

function isPlural(callee: ts.Expression): boolean {
  return /(^|\.)plural$/.test(callee.getText());
}

function readTexts(call: ts.CallExpression): readonly Text[] | undefined {
  const [first, second, third] = call.arguments;
  if (isPlural(call.expression)) return countedTexts(literal(second), literal(third));
  if (first && ts.isObjectLiteralExpression(first)) return commentedText(first);
  const english = literal(first);
  return english === undefined ? undefined : [{ key: english, english, isCounted: false }];
}

function countedTexts(one: string | undefined, other: string | undefined): readonly Text[] | undefined {
  if (one === undefined || other === undefined) return undefined;
  return [
    { key: `${one}/one`, english: one, isCounted: false },
    { key: other, english: other, isCounted: true },
  ];
}

function commentedText(options: ts.ObjectLiteralExpression): readonly Text[] | undefined {
  const given = (name: string): ts.Expression | undefined =>
    options.properties.filter(ts.isPropertyAssignment).find((property) => property.name.getText() === name)
      ?.initializer;
  const comment = given('comment');
  const english = literal(given('message'));
  if (english === undefined || !comment || !ts.isArrayLiteralExpression(comment)) return undefined;
  const words = comment.elements.map(literal);
  if (words.includes(undefined)) return undefined;
  return [{ key: `${english}/${words.join('')}`, english, isCounted: false }];
}

function literal(node: ts.Expression | undefined): string | undefined {
  return node && ts.isStringLiteralLike(node) ? node.text : undefined;
}

/** Returns a line for each missing and each unused key of a file. */
export function compareKeys(file: string, strings: Strings, keys: Iterable<string>): readonly string[] {
  const [found, needed] = [new Set(Object.keys(strings)), new Set(keys)];
  return [
    ...[...needed].filter((key) => !found.has(key)).map((key) => `missing in ${file}: ${key}`),
    ...[...found].filter((key) => !needed.has(key)).map((key) => `unused in ${file}: ${key}`),
  ];
}
