import ts from 'typescript';
import { walk, type Source } from './sources.ts';

/** Returns the lengths, in lines, of all functions with a body, in ascending order. */
export function measureFunctions(sources: readonly Source[]): number[] {
  const lengths: number[] = [];
  for (const { tree } of sources) {
    walk(tree, (node) => {
      if (ts.isFunctionLike(node) && 'body' in node && node.body) lengths.push(countLines(tree, node));
    });
  }
  return lengths.sort((a, b) => a - b);
}

function countLines(tree: ts.SourceFile, node: ts.Node): number {
  const first = tree.getLineAndCharacterOfPosition(node.getStart()).line;
  return tree.getLineAndCharacterOfPosition(node.getEnd()).line - first + 1;
}

/** Returns the percentile for `share` (0 to 1) of the ascending values; 0 if there are no values. */
export function percentile(ascending: readonly number[], share: number): number {
  return ascending[Math.max(0, Math.ceil(share * ascending.length) - 1)] ?? 0;
}
