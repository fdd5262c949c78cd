/** An esbuild plugin that keeps the number of chunks small. */
import { readFile } from 'node:fs/promises';
import { dirname, join, relative } from 'node:path';

/**
 * Lets modules that a program imports dynamically import the program's main module as well. It is always loaded before
 * them, but esbuild doesn't know that, and would put the code that both use into separate chunks. `programs` maps
 * folders to main modules, both relative to `root`.
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
