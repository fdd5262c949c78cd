/** An esbuild plugin that keeps the number of chunks small. */
import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';

const commonName = 'common-chunk';

/**
 * Adds imports to every entry point, except `independent` ones, and to every module that is imported dynamically: of
 * all `common` modules, or those in `common` folders, but the `separate` ones, and of the main module of the program that the module
 * belongs to, which is always loaded first. Without them, esbuild wouldn't know that these are loaded anyway, and would
 * put the code that each set of modules uses into a separate chunk. Dozens of small files compress poorly.
 *
 * `programs` maps folders to main modules. All paths are relative to `root`.
 */
export function shareChunks(root, { programs, common, separate, independent }) {
  const shared = common.flatMap((folder) => listModules(root, folder)).filter((file) => !separate.includes(file));
  return {
    name: 'share-chunks',
    setup({ initialOptions, onResolve, onLoad }) {
      const entries = Object.values(initialOptions.entryPoints);
      const loaded = new Set([...entries.filter((file) => !independent.includes(file)), ...findDynamicImports(root)]);
      onResolve({ filter: new RegExp(`^${commonName}$`) }, ({ path }) => ({ path, namespace: commonName }));
      onLoad({ filter: /./, namespace: commonName }, () => ({ contents: writeImports(shared), resolveDir: root }));
      onLoad({ filter: /\.tsx?$/ }, ({ path }) => {
        const file = normalize(relative(root, path));
        if (!loaded.has(file)) return undefined;
        const folder = Object.keys(programs).find((one) => file.startsWith(`${one}/`));
        const main = programs[folder] ?? file;
        const imports = writeImports(main === file ? [] : [normalize(relative(dirname(file), main))]);
        return { contents: `${readFileSync(path, 'utf8')}\nimport '${commonName}'; ${imports}`, loader: 'ts' };
      });
    },
  };
}

/** Returns the modules that code imports dynamically. */
function findDynamicImports(root) {
  return listModules(root, 'src').flatMap((file) =>
    [...readFileSync(join(root, file), 'utf8').matchAll(/\bimport\('(\.[^']+)'\)/g)].map(([, path]) =>
      normalize(join(dirname(file), path)),
    ),
  );
}

function listModules(root, folder) {
  if (folder.endsWith('.ts')) return [folder];
  const names = readdirSync(join(root, folder), { recursive: true });
  return names.filter((name) => name.endsWith('.ts')).map((name) => normalize(join(folder, name)));
}

function writeImports(paths) {
  return paths.map((path) => `import '${path.startsWith('.') ? path : `./${path}`}';`).join(' ');
}

function normalize(path) {
  return path.replaceAll('\\', '/');
}
