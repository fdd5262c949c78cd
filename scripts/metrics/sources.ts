import { readFileSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import ts from 'typescript';

/** A parsed source file; `path` is relative to the repository, with forward slashes. */
export interface Source {
  readonly path: string;
  readonly text: string;
  readonly tree: ts.SourceFile;
}

/** Returns the sorted paths of all files below `folder`, relative to `root`. */
function listFiles(root: string, folder: string): string[] {
  return readdirSync(join(root, folder), { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) =>
      join(entry.parentPath, entry.name)
        .slice(root.length + 1)
        .replaceAll('\\', '/'),
    )
    .sort();
}

/** Parses all `.ts`, `.tsx` and `.mjs` files below `folder`. */
export function readSources(root: string, folder: string): Source[] {
  return listFiles(root, folder)
    .filter((path) => /\.(tsx?|mjs)$/.test(path))
    .map((path) => {
      const text = readFileSync(join(root, path), 'utf8');
      return { path, text, tree: ts.createSourceFile(path, text, ts.ScriptTarget.Latest, true) };
    });
}

/** Calls `visit` for a node and all its descendants. */
export function walk(node: ts.Node, visit: (node: ts.Node) => void): void {
  visit(node);
  ts.forEachChild(node, (child) => walk(child, visit));
}

/** Returns the path of a file and the line where a node begins: `src/core/json.ts:12`. */
export function formatPosition({ path, tree }: Source, node: ts.Node): string {
  return `${path}:${tree.getLineAndCharacterOfPosition(node.getStart()).line + 1}`;
}

/** Returns a line of the form "name: path, path" for each name that several items share. */
export function findRepeated<T extends { readonly path: string }>(
  items: readonly T[],
  nameOf: (item: T) => string,
): string[] {
  const paths = new Map<string, string[]>();
  for (const item of items) paths.set(nameOf(item), [...(paths.get(nameOf(item)) ?? []), item.path]);
  return [...paths].filter(([, all]) => all.length > 1).map(([name, all]) => `${name}: ${all.join(', ')}`);
}
