import { posix } from 'node:path';
import ts from 'typescript';
import { walk, type Source } from './sources.ts';

/** An import or re-export of another source file. */
export interface Import {
  readonly from: string;
  readonly to: string;
  /** Imported names; undefined if the whole module is imported. */
  readonly names: readonly string[] | undefined;
  /** True for a type-only import, which is erased at compile time. */
  readonly isType: boolean;
}

/** Returns the imports between the given files; omits imports of packages and other files. */
export function readImports(sources: readonly Source[]): Import[] {
  const paths = new Set(sources.map(({ path }) => path));
  return sources.flatMap(({ path, tree }) => listImports(path, tree)).filter(({ to }) => paths.has(to));
}

function listImports(from: string, tree: ts.SourceFile): Import[] {
  const found: Import[] = [];
  walk(tree, (node) => {
    const specifier = getSpecifier(node);
    if (!specifier?.startsWith('.')) return;
    const to = posix.join(posix.dirname(from), specifier);
    found.push({ from, to, names: listImportedNames(node), isType: isTypeOnly(node) });
  });
  return found;
}

function getSpecifier(node: ts.Node): string | undefined {
  if (ts.isImportDeclaration(node)) return literalText(node.moduleSpecifier);
  if (ts.isExportDeclaration(node)) return literalText(node.moduleSpecifier);
  if (ts.isImportTypeNode(node) && ts.isLiteralTypeNode(node.argument)) return literalText(node.argument.literal);
  if (ts.isCallExpression(node) && node.expression.kind === ts.SyntaxKind.ImportKeyword) {
    return literalText(node.arguments[0]);
  }
  return undefined;
}

function literalText(node: ts.Node | undefined): string | undefined {
  return node && ts.isStringLiteral(node) ? node.text : undefined;
}

function listImportedNames(node: ts.Node): readonly string[] | undefined {
  if (ts.isImportDeclaration(node)) {
    const bindings = node.importClause?.namedBindings;
    if (!bindings || ts.isNamespaceImport(bindings)) return undefined;
    return bindings.elements.map((element) => (element.propertyName ?? element.name).text);
  }
  if (ts.isExportDeclaration(node) && node.exportClause && ts.isNamedExports(node.exportClause)) {
    return node.exportClause.elements.map((element) => (element.propertyName ?? element.name).text);
  }
  if (ts.isImportTypeNode(node) && node.qualifier) return [node.qualifier.getText().replace(/\..*$/, '')];
  return undefined;
}

function isTypeOnly(node: ts.Node): boolean {
  if (ts.isImportDeclaration(node)) return node.importClause?.phaseModifier === ts.SyntaxKind.TypeKeyword;
  return ts.isImportTypeNode(node) || (ts.isExportDeclaration(node) && node.isTypeOnly);
}

/**
 * Returns the largest group of files that import each other in a cycle; an empty list if there is none. Counts type
 * imports, too.
 */
export function findLargestCycle(sources: readonly Source[], imports: readonly Import[]): readonly string[] {
  const next = new Map(sources.map(({ path }) => [path, new Set<string>()]));
  for (const { from, to } of imports) next.get(from)?.add(to);
  const reachable = new Map([...next.keys()].map((path) => [path, reach(path, next)]));
  const cycles = [...reachable].map(([path, all]) => [...all].filter((other) => reachable.get(other)?.has(path)));
  return cycles.reduce((largest, cycle) => (cycle.length > largest.length ? cycle : largest), []);
}

function reach(start: string, next: ReadonlyMap<string, ReadonlySet<string>>): Set<string> {
  const found = new Set<string>();
  const open = [start];
  for (let path = open.pop(); path !== undefined; path = open.pop()) {
    for (const to of next.get(path) ?? []) {
      if (found.has(to)) continue;
      found.add(to);
      open.push(to);
    }
  }
  return found;
}
