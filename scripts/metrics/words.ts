import ts from 'typescript';
import { walk, type Source } from './sources.ts';

/** Words to avoid in code; docs/glossary.md lists the terms to use instead. */
const unusualWords = /^(troubles?|troubled|shelf|shelves|anew|told|standing|surroundings|wish(es)?|whoever)$/i;

/** Returns the position and first line of each doc comment that begins with a question word instead of a verb. */
export function findQuestionComments(sources: readonly Source[]): string[] {
  return sources.flatMap(({ path, text }) =>
    [...text.matchAll(/\/\*\*[\s*]*(What|Whether|How|Who|Where)\b[^\n]*/g)].map(
      (match) => `${path}:${getLine(text, match.index)} ${match[0].replace(/^[\s/*]+/, '')}`,
    ),
  );
}

/** Returns each unusual word in a comment or a declared name, with its position. */
export function findUnusualWords(sources: readonly Source[]): string[] {
  return sources.flatMap((source) => [...inComments(source), ...inNames(source)]);
}

function inComments({ path, text, tree }: Source): string[] {
  return commentRanges(tree).flatMap(({ pos, end }) =>
    text
      .slice(pos, end)
      .split(/[^A-Za-z]+/)
      .filter((word) => unusualWords.test(word))
      .map((word) => `${path}:${getLine(text, pos)} comment: ${word}`),
  );
}

function commentRanges(tree: ts.SourceFile): ts.CommentRange[] {
  const ranges = new Map<number, ts.CommentRange>();
  walk(tree, (node) => {
    for (const range of ts.getLeadingCommentRanges(tree.text, node.getFullStart()) ?? []) ranges.set(range.pos, range);
    for (const range of ts.getTrailingCommentRanges(tree.text, node.getEnd()) ?? []) ranges.set(range.pos, range);
  });
  return [...ranges.values()];
}

function inNames({ path, text, tree }: Source): string[] {
  const found: string[] = [];
  walk(tree, (node) => {
    const name = declaredName(node);
    if (!name) return;
    const words = name.text.split(/(?=[A-Z])|[^A-Za-z]+/).filter((word) => unusualWords.test(word));
    for (const word of words) found.push(`${path}:${getLine(text, name.getStart())} name ${name.text}: ${word}`);
  });
  return found;
}

function declaredName(node: ts.Node): ts.Identifier | undefined {
  if (
    !ts.isVariableDeclaration(node) &&
    !ts.isParameter(node) &&
    !ts.isBindingElement(node) &&
    !ts.isMethodDeclaration(node) &&
    !ts.isPropertyDeclaration(node) &&
    !ts.isPropertySignature(node) &&
    !ts.isFunctionDeclaration(node) &&
    !ts.isClassDeclaration(node) &&
    !ts.isInterfaceDeclaration(node) &&
    !ts.isTypeAliasDeclaration(node)
  )
    return undefined;
  return node.name && ts.isIdentifier(node.name) ? node.name : undefined;
}

function getLine(text: string, position: number): number {
  return text.slice(0, position).split('\n').length;
}
