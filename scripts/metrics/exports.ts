import ts from 'typescript';
import type { Import } from './imports.ts';
import { findRepeated, type Source } from './sources.ts';

/** A name that a file exports. */
export interface Export {
  readonly path: string;
  readonly name: string;
  readonly isType: boolean;
}

/** Returns what the files declare and export by name. */
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

/** Returns the exports that no file imports; a file that is imported as a whole counts as used. */
export function findUnimported(exports: readonly Export[], imports: readonly Import[]): Export[] {
  const used = new Set(imports.flatMap(({ to, names }) => (names ?? ['*']).map((name) => `${to} ${name}`)));
  return exports.filter(({ path, name }) => !used.has(`${path} ${name}`) && !used.has(`${path} *`));
}

/** Returns each type name that more than one file exports, with the files. */
export function findSharedTypeNames(exports: readonly Export[]): string[] {
  return findRepeated(
    exports.filter(({ isType }) => isType),
    ({ name }) => name,
  );
}
