/** The lint rule that holds imports to the table in `fences.mjs`, by where a file lies and what it imports. */
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

/** What is forbidden about an import, as the end of a sentence; `undefined` when nothing is. */
function objection(fence, file, source, isType) {
  if (isBuiltin(source) || source.startsWith('node:')) return fence.node ? undefined : `not use ${source} of Node`;
  if (!source.startsWith('.')) {
    const name = packageName(source);
    return fence.packages?.includes(name) ? undefined : `not use the package ${name}`;
  }
  const target = fenceOf(resolve(dirname(file), source))?.place;
  if (target === undefined) return `not import ${source}, which is no part of the program`;
  if (target === fence.place || fence.code?.includes(target)) return undefined;
  if (!fence.types?.includes(target)) return `not import from ${target}`;
  return isType ? undefined : `import only types from ${target}`;
}

/** `house/fences`: each import has to be allowed by the row of the place that it stands in. */
export const fenceRule = {
  meta: { type: 'problem', schema: [], messages: { fence: '{{place}} may {{what}} (docs/architecture.md).' } },
  create(context) {
    const fence = fenceOf(context.filename);
    if (fence === undefined) return {};
    const check = (node, source, isType) => {
      const what =
        typeof source === 'string'
          ? objection(fence, context.filename, source, isType)
          : 'not import by a computed name';
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
