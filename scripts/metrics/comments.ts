import ts from 'typescript';
import { formatPosition, walk, type Source } from './sources.ts';

/** Returns the position of each doc comment. */
export function findDocComments(sources: readonly Source[]): string[] {
  return sources.flatMap((source) =>
    [...source.text.matchAll(/^[ \t]*\/\*\*/gm)].map(({ index }) => `${source.path}:${countLines(source.text, index)}`),
  );
}

/** Returns the name and the position of each function with a doc comment that only its own file can use. */
export function findPrivateDocComments(sources: readonly Source[]): string[] {
  return sources.flatMap((source) => {
    const found: string[] = [];
    walk(source.tree, (node) => {
      if (isPrivateFunction(node) && ts.getJSDocCommentsAndTags(node).length > 0) {
        found.push(`${formatPosition(source, node)} ${getName(node)}`);
      }
    });
    return found;
  });
}

function isPrivateFunction(node: ts.Node): boolean {
  if (ts.isMethodDeclaration(node)) return hasModifier(node, ts.SyntaxKind.PrivateKeyword);
  if (ts.isFunctionDeclaration(node)) return !hasModifier(node, ts.SyntaxKind.ExportKeyword);
  return (
    ts.isVariableStatement(node) &&
    !hasModifier(node, ts.SyntaxKind.ExportKeyword) &&
    node.declarationList.declarations.some(({ initializer }) => initializer && ts.isArrowFunction(initializer))
  );
}

function hasModifier(node: ts.HasModifiers, kind: ts.SyntaxKind): boolean {
  return ts.getModifiers(node)?.some((modifier) => modifier.kind === kind) ?? false;
}

function getName(node: ts.Node): string {
  if (ts.isVariableStatement(node)) return node.declarationList.declarations[0]?.name.getText() ?? '';
  return ts.isMethodDeclaration(node) || ts.isFunctionDeclaration(node) ? (node.name?.getText() ?? '') : '';
}

function countLines(text: string, position: number): number {
  return text.slice(0, position).split('\n').length;
}
