/** Builds everything that ships (and, with `--tests`, the suites that run inside the editor) into `dist/`. */
import { build, context } from 'esbuild';
import { existsSync, readFileSync, readdirSync } from 'node:fs';
import { mkdir, rm, writeFile } from 'node:fs/promises';
import { join, relative, resolve } from 'node:path';
import { parseArgs } from 'node:util';

const root = import.meta.dirname;
const { values: options } = parseArgs({
  options: {
    production: { type: 'boolean', default: false },
    watch: { type: 'boolean', default: false },
    tests: { type: 'boolean', default: false },
    only: { type: 'string' },
    outdir: { type: 'string', default: 'dist' },
  },
});

const common = {
  absWorkingDir: root,
  bundle: true,
  minify: options.production,
  // Nothing is decided by a name; they only make stacks easier to read, and a start slower.
  keepNames: !options.production,
  sourcemap: options.production ? false : 'linked',
  sourcesContent: false,
  legalComments: 'external',
  metafile: true,
  logLevel: 'silent',
};
const node = { ...common, platform: 'node', format: 'cjs', target: 'node22' };
// The service finds the program of its threads beside its own.
const service = {
  ...node,
  define: { 'import.meta.filename': '__filename', 'import.meta.dirname': '__dirname' },
};
const page = {
  ...common,
  platform: 'browser',
  format: 'iife',
  target: 'chrome128',
  loader: { '.ttf': 'file', '.woff2': 'file', '.svg': 'dataurl' },
  assetNames: '[name]',
};

// Packages of the older module format ask for Node's own modules this way.
const requireForPackages = `import { createRequire as createPackageRequire } from 'node:module'; const require = createPackageRequire(import.meta.url);`;

/** Where a file or folder of the build goes. */
function built(name) {
  return join(options.outdir, name);
}

const bundles = {
  // All that a start of the editor reads, in one small file that is loaded without a pause.
  extension: {
    ...node,
    entryPoints: ['src/extension/extension.ts'],
    outfile: built('extension.cjs'),
    external: ['vscode'],
    plugins: [
      beside({
        './startup.ts': './extension/startup.js',
        '../../core/ledger/ledgerImport.ts': './extension/ledgerImport.js',
      }),
    ],
  },
  // The rest, read at the first use; code that only some commands need is read when the first of them is used.
  startup: {
    ...node,
    format: 'esm',
    splitting: true,
    banner: { js: requireForPackages },
    entryPoints: ['src/extension/startup.ts', 'src/core/ledger/ledgerImport.ts'],
    entryNames: '[name]',
    outdir: built('extension'),
    chunkNames: '[name]-[hash]',
    external: ['vscode'],
    // Its main file loads the others by a name that is known only when it runs.
    alias: { 'jsonc-parser': 'jsonc-parser/lib/esm/main.js' },
  },
  service: { ...service, entryPoints: ['src/service/main.ts'], outfile: built('service/main.cjs') },
  thread: { ...service, entryPoints: ['src/service/threads/thread.ts'], outfile: built('service/thread.cjs') },
  // The version is printed without reading the program.
  cli: {
    ...service,
    target: 'node20',
    entryPoints: ['src/cli/main.ts'],
    outfile: built('cli/main.cjs'),
    plugins: [beside({ './program.ts': './program.cjs' })],
  },
  cliProgram: {
    ...service,
    target: 'node20',
    // Its main file loads the others by a name that is known only when it runs.
    alias: { 'jsonc-parser': 'jsonc-parser/lib/esm/main.js' },
    entryPoints: ['src/cli/program.ts'],
    outfile: built('cli/program.cjs'),
    plugins: [beside({ '../agents/mcpServer.ts': './mcp.cjs' })],
  },
  // The protocol's library, which only agents need.
  mcp: {
    ...service,
    target: 'node20',
    entryPoints: ['src/cli/agents/mcpServer.ts'],
    outfile: built('cli/mcp.cjs'),
  },
  metadata: { ...page, entryPoints: ['src/webviews/metadata/main.ts'], outfile: built('webviews/metadata.js') },
  transfer: { ...page, entryPoints: ['src/webviews/transfer/main.ts'], outfile: built('webviews/transfer.js') },
  tests: {
    ...node,
    entryPoints: ['test/host/index.ts'],
    outfile: built('test/host.cjs'),
    external: ['vscode', 'mocha'],
    plugins: [hostSuites()],
  },
};

/** Leaves what is imported by these names to other bundles, which are found at these places when the program runs. */
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

/** Gives the module `host-suites` one import for each `test/host/**\/*.test.ts`: no list has to be kept by hand. */
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
        if (files.length === 0)
          return { errors: [{ text: 'There is no test/host/**/*.test.ts to put in the bundle.' }] };
        const entries = files.map(
          (file) => `  ${JSON.stringify(file)}: () => require(${JSON.stringify(`./${file}`)}),`,
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
    fail(`There is no bundle ${unknown.join(', ')}; there are ${Object.keys(bundles).join(', ')}.`);
  const missing = names.flatMap((name) => bundles[name].entryPoints).filter((entry) => !existsSync(join(root, entry)));
  if (missing.length > 0) fail(`Nothing was built: ${missing.join(', ')} does not exist.`);
  return names;
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

/** Packages whose code went into a bundle, by folder. */
function bundledPackages(metafiles) {
  const inputs = metafiles
    .flatMap(({ outputs }) => Object.values(outputs))
    .flatMap((output) => Object.entries(output.inputs));
  const folders = inputs
    .filter(([, { bytesInOutput }]) => bytesInOutput > 0)
    .map(([input]) => /^(?:.*\/)?node_modules\/(?:@[^/]+\/)?[^/]+/.exec(input)?.[0]);
  return [...new Set(folders)].filter((folder) => folder !== undefined).sort();
}

/** MIT and its like want their text to travel with the code; most packages keep it in a file, not in a comment. */
async function writeNotices(metafiles) {
  const parts = ['This extension contains code of the following packages.'];
  for (const folder of bundledPackages(metafiles)) {
    const path = join(root, folder);
    const { name, version, license } = JSON.parse(readFileSync(join(path, 'package.json'), 'utf8'));
    const texts = readdirSync(path)
      .filter((file) => /^(licen[cs]e|notice|copying)/i.test(file))
      .map((file) => readFileSync(join(path, file), 'utf8').trim());
    parts.push(`${'='.repeat(80)}\n${name} ${version} (${license ?? 'see below'})\n\n${texts.join('\n\n')}`);
  }
  await mkdir(resolve(root, options.outdir), { recursive: true });
  await writeFile(resolve(root, built('LICENSE-THIRD-PARTY.txt')), `${parts.join('\n\n')}\n`);
}

async function buildOnce(names) {
  const started = performance.now();
  // Parts that nothing loads any more would be shipped.
  if (names.includes('startup')) await rm(resolve(root, bundles.startup.outdir), { recursive: true, force: true });
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
    fail('the build failed (a warning counts).');
  const shipped = results.filter((_, index) => names[index] !== 'tests').map((result) => result.metafile);
  if (options.only === undefined) await writeNotices(shipped);
  for (const { metafile } of results) {
    for (const [file, { bytes }] of Object.entries(metafile.outputs)) {
      if (/\.(cjs|js|css)$/.test(file))
        console.log(`${relative('.', resolve(root, file))}  ${Math.ceil(bytes / 1000)} kB`);
    }
  }
  console.log(`built in ${Math.round(performance.now() - started)} ms`);
}

/** The two lines printed for each round are what `.vscode/tasks.json` waits for. */
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
