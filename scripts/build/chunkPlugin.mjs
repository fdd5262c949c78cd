/** An esbuild plugin that keeps the number of chunks small. */
import { readFile } from 'node:fs/promises';
import { dirname, join, relative } from 'node:path';

/**
 * Adds an import of a program's main module to every module that the program imports dynamically. The main module is
 * always loaded first. Without the import, esbuild wouldn't know that and would put the code that both modules use into
 * separate chunks. `programs` maps folders to main modules, both relative to `root`.
 */
export function shareProgramChunks(root, programs) {
  const findProgram = (path) => programs[Object.keys(programs).find((folder) => path.startsWith(join(root, folder)))];
  return {
    name: 'share-program-chunks',
    setup({ onResolve, onLoad }) {
      onResolve({ filter: /^\.{1,2}\// }, ({ path, kind, resolveDir }) => {
        const pluginData = kind === 'dynamic-import' ? findProgram(join(resolveDir, path)) : undefined;
        return pluginData === undefined ? undefined : { path: join(resolveDir, path), pluginData };
      });
      onLoad({ filter: /\.tsx?$/ }, async ({ path, pluginData }) => {
        if (pluginData === undefined) return undefined;
        const program = relative(dirname(path), join(root, pluginData)).replaceAll('\\', '/');
        return { contents: `${await readFile(path, 'utf8')}\nimport '${program}';`, loader: 'ts' };
      });
    },
  };
}
