/** Builds everything that ships (and, with `--tests`, the suites that run inside the editor) into `dist/`. */
import { build, context } from 'esbuild';
import { existsSync, readdirSync, statSync } from 'node:fs';
import { rm, writeFile } from 'node:fs/promises';
import { join, relative, resolve } from 'node:path';
import { describeLicenses, findLoadedFiles, minifyScripts } from './scripts/build/outputFiles.mjs';
import { shareChunks } from './scripts/build/chunkPlugin.mjs';
import { decodeNamesInBrowser, loadNodeModules, omitStores, omitUnusedCode } from './scripts/build/packagePlugins.mjs';
import { readOptions } from './scripts/setup/scriptOptions.mjs';

const root = import.meta.dirname;
const flag = { type: 'boolean', default: false };
const options = readBuildOptions({
  command: 'npm run build --',
  about: 'Builds everything that ships into dist.',
  options: {
    production: { ...flag, about: 'minifies, as for a package' },
    watch: { ...flag, about: 'rebuilds after every change' },
    tests: { ...flag, about: 'also builds the suites that run inside the editor' },
    only: { type: 'string', value: 'NAME,…', about: 'builds only these bundles' },
    outdir: { type: 'string', default: 'dist', value: 'FOLDER', about: 'builds into this folder' },
  },
});

const common = {
  absWorkingDir: root,
  bundle: true,
  minify: options.production,
  // Function names make stack traces easier to read, but slow down startup. No code depends on them.
  keepNames: !options.production,
  sourcemap: options.production ? false : 'linked',
  sourcesContent: false,
  legalComments: 'external',
  metafile: true,
  logLevel: 'silent',
};
const node = {
  ...common,
  platform: 'node',
  format: 'cjs',
  target: 'node22',
  // The package's default main file passes `require` to a function, so esbuild can't find the files that it loads.
  alias: { 'jsonc-parser': 'jsonc-parser/lib/esm/main.js' },
};

/** Returns the path of a file or folder of the build. */
function built(name) {
  return join(options.outdir, name);
}

const bundles = {
  // Everything that the extension host reads at activation, in one small CommonJS file.
  extension: {
    ...node,
    entryPoints: ['src/extension/extension.ts'],
    outfile: built('extension.cjs'),
    external: ['vscode'],
    plugins: [
      beside({
        './startup.ts': './lib/startup.js',
        '../../core/transfers/ledgerImport.ts': './lib/ledgerImport.js',
      }),
    ],
  },
  // The rest of the extension, the command line and the service, with the code that they share in chunks. Each file is
  // read at its first use.
  lib: {
    ...node,
    target: 'node20',
    format: 'esm',
    splitting: true,
    entryPoints: {
      startup: 'src/extension/startup.ts',
      ledgerImport: 'src/core/transfers/ledgerImport.ts',
      program: 'src/cli/program.ts',
      service: 'src/service/main.ts',
      thread: 'src/service/threads/thread.ts',
    },
    outdir: built('lib'),
    chunkNames: '[hash]',
    external: ['vscode'],
    plugins: [
      shareChunks(root, {
        programs: { 'src/extension': 'src/extension/startup.ts', 'src/cli': 'src/cli/program.ts' },
        common: [
          'src/core/util',
          'src/core/model',
          'src/core/agents/agentError.ts',
          'src/core/agents/transferPlan.ts',
          'src/core/client/reply.ts',
          'src/core/duplicates/equalFiles.ts',
          'src/core/recipes/nearestName.ts',
          'src/core/recipes/recipeFile.ts',
          'src/core/recipes/recipeNames.ts',
          'src/core/tables/cellDoubt.ts',
          'src/core/tables/tableError.ts',
          'src/core/transfers/planFiles.ts',
          'src/core/transfers/recordFolders.ts',
          'src/core/transfers/submissionFacts.ts',
        ],
        // Only some commands read licenses.
        separate: ['src/core/util/spdxLicense.ts'],
        independent: ['src/core/transfers/ledgerImport.ts'],
      }),
      omitUnusedCode(),
      loadNodeModules(),
    ],
  },
  // Runs on the nodes of a cluster, as one file that the service copies to where they reach it.
  cluster: {
    ...node,
    target: 'node20',
    format: 'esm',
    entryPoints: { task: 'src/service/cluster/clusterTask.ts' },
    outdir: built('cluster'),
    plugins: [omitStores()],
  },
  // Handles `--version` without loading the rest of the command line, which is in `lib/program.js`.
  cli: {
    ...node,
    target: 'node20',
    entryPoints: ['src/cli/main.ts'],
    outfile: built('cli/main.cjs'),
    plugins: [beside({ './program.ts': '../lib/program.js' })],
  },
  pages: {
    ...common,
    platform: 'browser',
    target: 'chrome128',
    format: 'esm',
    splitting: true,
    entryPoints: {
      metadata: 'src/webviews/metadata/main.ts',
      table: 'src/webviews/table/main.ts',
      transfer: 'src/webviews/transfer/main.ts',
    },
    outdir: built('webviews'),
    chunkNames: '[hash]',
    loader: { '.ttf': 'file', '.woff2': 'file', '.svg': 'dataurl' },
    assetNames: '[name]',
    plugins: [decodeNamesInBrowser()],
  },
  tests: {
    ...node,
    entryPoints: ['test/host/index.ts'],
    outfile: built('test/host.cjs'),
    external: ['vscode', 'mocha'],
    plugins: [hostSuites()],
  },
};

/** Returns a plugin that redirects imports of these modules to the bundles that contain them, as external imports. */
function beside(places) {
  return {
    name: 'beside',
    setup(setup) {
      setup.onResolve({ filter: /./ }, ({ path }) =>
        Object.hasOwn(places, path) ? { path: places[path], external: true } : undefined,
      );
    },
  };
}

/** Returns a plugin that generates the module `host-suites`, which loads each `test/host/**\/*.test.ts` on demand. */
function hostSuites() {
  const folder = join(root, 'test', 'host');
  return {
    name: 'host-suites',
    setup(setup) {
      setup.onResolve({ filter: /^host-suites$/ }, () => ({ path: 'host-suites', namespace: 'host-suites' }));
      setup.onLoad({ filter: /.*/, namespace: 'host-suites' }, () => {
        const files = readdirSync(folder, { recursive: true, encoding: 'utf8' })
          .map((file) => file.replaceAll('\\', '/'))
          .filter((file) => file.endsWith('.test.ts'))
          .sort();
        if (files.length === 0) return { errors: [{ text: 'No file matches test/host/**/*.test.ts.' }] };
        const entries = files.map(
          (file) => `  ${JSON.stringify(`test/host/${file}`)}: () => require(${JSON.stringify(`./${file}`)}),`,
        );
        return {
          contents: `export const suites = {\n${entries.join('\n')}\n};\n`,
          resolveDir: folder,
          loader: 'js',
          watchDirs: [folder],
        };
      });
    },
  };
}

function chosenBundles() {
  const names = options.only?.split(',') ?? Object.keys(bundles).filter((name) => name !== 'tests' || options.tests);
  const unknown = names.filter((name) => !(name in bundles));
  if (unknown.length > 0)
    fail(`Unknown bundle: ${unknown.join(', ')}. Available bundles: ${Object.keys(bundles).join(', ')}.`);
  const missing = names
    .flatMap((name) => Object.values(bundles[name].entryPoints))
    .filter((entry) => !existsSync(join(root, entry)));
  if (missing.length > 0) fail(`Nothing was built: ${missing.join(', ')} does not exist.`);
  return names;
}

function readBuildOptions(usage) {
  try {
    return readOptions(usage)?.values ?? process.exit();
  } catch (error) {
    return fail(error.message);
  }
}

function fail(sentence) {
  console.error(`esbuild: ${sentence}`);
  process.exit(1);
}

function printMessages({ errors, warnings }) {
  for (const [kind, messages] of Object.entries({ error: errors, warning: warnings })) {
    for (const { text, location, notes } of messages) {
      const where = location ? `${location.file}:${location.line}:${location.column + 1}: ` : '';
      console.error(`${where}${kind}: ${text}`);
      for (const note of notes) console.error(`    ${note.text}`);
    }
  }
}

async function writeBuilt(name, text) {
  await writeFile(resolve(root, built(name)), text);
}

/** Writes the list of files for the command line's package. The service and its threads are separate programs. */
async function writeCliFiles(metafiles) {
  const programs = ['cli/main.cjs', 'lib/program.js', 'lib/service.js', 'lib/thread.js', 'cluster/task.js'];
  const files = findLoadedFiles(metafiles, relative(root, resolve(root, options.outdir)), programs);
  await writeBuilt('cli/files.json', `${JSON.stringify(files, undefined, 2)}\n`);
}

/** Removes the output folders of the bundles, because chunks of an earlier build would otherwise be shipped too. */
async function removeEarlierChunks(names) {
  const folders = names.map((name) => bundles[name].outdir).filter((folder) => folder !== undefined);
  for (const folder of folders) await rm(resolve(root, folder), { recursive: true, force: true });
}

function printSizes(files) {
  for (const path of files.filter((file) => /\.(cjs|js|css)$/.test(file)).map((file) => resolve(root, file)))
    console.log(`${relative('.', path)}  ${Math.ceil(statSync(path).size / 1000)} kB`);
}

async function buildOnce(names) {
  const started = performance.now();
  await removeEarlierChunks(names);
  const results = await Promise.all(
    names.map(async (name) => {
      return build(bundles[name]).catch((error) => ({
        errors: error.errors ?? [{ text: String(error), notes: [] }],
        warnings: error.warnings ?? [],
      }));
    }),
  );
  results.forEach(printMessages);
  if (results.some(({ errors, warnings }) => errors.length + warnings.length > 0))
    fail('the build failed (warnings count as errors).');
  if (options.production) await minifyScripts(results, root);
  const shipped = results.filter((_, index) => names[index] !== 'tests').map((result) => result.metafile);
  if (options.only === undefined) await writeBuilt('LICENSE-THIRD-PARTY.txt', describeLicenses(shipped, root));
  if (['cli', 'lib', 'cluster'].every((name) => names.includes(name))) await writeCliFiles(shipped);
  printSizes(results.flatMap(({ metafile }) => Object.keys(metafile.outputs)));
  console.log(`built in ${Math.round(performance.now() - started)} ms`);
}

/** Returns a plugin that prints two lines for each build, which `.vscode/tasks.json` waits for. */
function watchReport(name) {
  return {
    name: 'watch-report',
    setup(setup) {
      setup.onStart(() => console.log(`[watch] ${name}: build started`));
      setup.onEnd((result) => {
        printMessages(result);
        console.log(`[watch] ${name}: build finished`);
      });
    },
  };
}

async function watch(names) {
  for (const name of names) {
    const bundle = bundles[name];
    const watcher = await context({ ...bundle, plugins: [...(bundle.plugins ?? []), watchReport(name)] });
    await watcher.watch();
  }
}

const names = chosenBundles();
if (options.watch) await watch(names);
else await buildOnce(names);
