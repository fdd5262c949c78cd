import { readFileSync } from 'node:fs';
import ts from 'typescript';
import type { Import } from './imports.ts';
import { findRepeated, type Source } from './sources.ts';

/** A named export of a source file. */
export interface Export {
  readonly path: string;
  readonly name: string;
  readonly isType: boolean;
}

/** Returns the named exports that the files declare. */
export function readExports(sources: readonly Source[]): Export[] {
  return sources.flatMap(({ path, tree }) =>
    tree.statements.filter(isExported).flatMap((statement) => {
      const isType = ts.isInterfaceDeclaration(statement) || ts.isTypeAliasDeclaration(statement);
      const isClass = ts.isClassDeclaration(statement);
      return declaredNames(statement).map((name) => ({ path, name, isType: isType || isClass }));
    }),
  );
}

function isExported(statement: ts.Statement): boolean {
  if (!ts.canHaveModifiers(statement)) return false;
  return ts.getModifiers(statement)?.some(({ kind }) => kind === ts.SyntaxKind.ExportKeyword) ?? false;
}

function declaredNames(statement: ts.Statement): string[] {
  if (ts.isVariableStatement(statement)) {
    return statement.declarationList.declarations.flatMap(({ name }) => (ts.isIdentifier(name) ? [name.text] : []));
  }
  const { name } = statement as { readonly name?: ts.Node };
  return name && ts.isIdentifier(name) ? [name.text] : [];
}

/**
 * Returns the entry points in the build script that each have their own bundle. Their exports are used by the program
 * that loads the bundle.
 */
export function readEntryPoints(buildScript: string): Set<string> {
  const matches = readFileSync(buildScript, 'utf8').matchAll(/entryPoints: \['([^']+)'\]/g);
  return new Set([...matches].map(([, path = '']) => path));
}

/** Returns the exports that no file imports. All exports of a file that is imported as a whole count as used. */
export function findUnimported(exports: readonly Export[], imports: readonly Import[]): Export[] {
  const used = new Set(imports.flatMap(({ to, names }) => (names ?? ['*']).map((name) => `${to} ${name}`)));
  return exports.filter(({ path, name }) => !used.has(`${path} ${name}`) && !used.has(`${path} *`));
}

/** Returns each type name that more than one file exports, together with the files. */
export function findSharedTypeNames(exports: readonly Export[]): string[] {
  return findRepeated(
    exports.filter(({ isType }) => isType),
    ({ name }) => name,
  );
}
