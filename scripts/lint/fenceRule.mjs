/** The lint rule that enforces the table in `fences.mjs`, based on the importing file and the imported module. */
import { isBuiltin } from 'node:module';
import { dirname, relative, resolve } from 'node:path';
import { fences } from './fences.mjs';

const root = resolve(import.meta.dirname, '..', '..');

function fenceOf(file) {
  const path = relative(root, file).replaceAll('\\', '/');
  return fences.find(({ files }) => files.test(path));
}

function packageName(source) {
  return source
    .split('/')
    .slice(0, source.startsWith('@') ? 2 : 1)
    .join('/');
}

/** Returns the reason why an import is forbidden, worded to follow "may"; `undefined` if it is allowed. */
function objection(fence, file, source, isType) {
  if (isBuiltin(source) || source.startsWith('node:'))
    return fence.node ? undefined : `not use the Node.js module ${source}`;
  if (!source.startsWith('.')) {
    const name = packageName(source);
    return fence.packages?.includes(name) ? undefined : `not use the package ${name}`;
  }
  const target = fenceOf(resolve(dirname(file), source))?.place;
  if (target === undefined) return `not import ${source}, which isn't part of the program`;
  if (target === fence.place || fence.code?.includes(target)) return undefined;
  if (!fence.types?.includes(target)) return `not import from ${target}`;
  return isType ? undefined : `import only types from ${target}`;
}

/** `house/fences`: requires each import to be allowed by the row for the importing file. */
export const fenceRule = {
  meta: { type: 'problem', schema: [], messages: { fence: '{{place}} may {{what}} (docs/architecture.md).' } },
  create(context) {
    const fence = fenceOf(context.filename);
    if (fence === undefined) return {};
    const check = (node, source, isType) => {
      const what =
        typeof source === 'string'
          ? objection(fence, context.filename, source, isType)
          : 'not use an import specifier that is not a string literal';
      if (what) context.report({ node, messageId: 'fence', data: { place: fence.place, what } });
    };
    return {
      ImportDeclaration: (node) => check(node, node.source.value, node.importKind === 'type'),
      ExportAllDeclaration: (node) => check(node, node.source.value, node.exportKind === 'type'),
      ExportNamedDeclaration: (node) => node.source && check(node, node.source.value, node.exportKind === 'type'),
      ImportExpression: (node) => check(node, node.source.value, false),
      TSImportType: (node) => check(node, node.source?.value, true),
      TSExternalModuleReference: (node) => check(node, node.expression.value, false),
    };
  },
};
