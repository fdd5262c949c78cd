import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { promisify } from 'node:util';
import { readAtActivation } from '../../support/activationFiles.ts';

const run = promisify(execFile);
const root = join(import.meta.dirname, '..', '..', '..');
const folder = join(root, 'dist', 'extension');

/** What the built files take of the editor's API. */
function editorNames(): string[] {
  const names = readdirSync(folder)
    .filter((file) => file.endsWith('.js'))
    .flatMap((file) => [
      ...readFileSync(join(folder, file), 'utf8').matchAll(/import\s*\{([^}]*)\}\s*from\s*"vscode"/g),
    ])
    .flatMap(([, list = '']) => list.split(',').map((name) => name.trim().split(/\s+as\s+/)[0] ?? ''));
  return [...new Set(names)].filter((name) => name !== '');
}

/**
 * Loads modules in a fresh process, where the editor's API is a stand-in that answers everything, and tells what they
 * export and which of the slots for everybody's dispatcher they filled.
 */
async function loaded(...modules: string[]): Promise<{ readonly names: string[]; readonly slots: string[] }> {
  const api = `
    const anything = new Proxy(function () {}, { get: (_, name) => (name === 'then' ? undefined : name === Symbol.toPrimitive ? () => 'en' : anything), apply: () => anything, construct: () => anything });
    ${editorNames()
      .map((name) => `const ${name}$ = anything; export { ${name}$ as ${name} };`)
      .join('\n')}
  `;
  const script = `
    import { registerHooks } from 'node:module';
    registerHooks({
      resolve: (name, context, next) => (name === 'vscode' ? { url: 'vscode:api', shortCircuit: true } : next(name, context)),
      load: (url, context, next) =>
        url === 'vscode:api' ? { format: 'module', source: ${JSON.stringify(api)}, shortCircuit: true } : next(url, context),
    });
    const slots = ['undici.globalDispatcher.1', 'undici.globalDispatcher.2'];
    const filled = new Set();
    const { defineProperty } = Object;
    Object.defineProperty = (object, key, value) => {
      const slot = slots.find((name) => key === Symbol.for(name));
      if (slot === undefined) return defineProperty(object, key, value);
      // Node fills them itself with its own, which is nobody's doing.
      if (!new Error().stack.includes('node:internal/deps/undici')) filled.add(slot);
      return object;
    };
    const names = [];
    for (const module of ${JSON.stringify(modules)}) names.push(...Object.keys(await import(module)));
    console.log(JSON.stringify({ names, slots: [...filled].sort() }));
  `;
  const { stdout } = await run(process.execPath, ['--input-type=module', '--eval', script], { cwd: root });
  return JSON.parse(stdout) as { names: string[]; slots: string[] };
}

describe('The built extension', () => {
  before(() => assert.ok(existsSync(join(folder, 'extension.js')), 'It is not built: run "npm run build".'));

  it('leaves the dispatcher of everybody else in the editor alone', async () => {
    const files = readdirSync(folder).filter((file) => file.endsWith('.js'));
    const { names, slots } = await loaded(...files.map((file) => pathToFileURL(join(folder, file)).href));
    assert.ok(names.includes('activate') && names.includes('DataTransferClient'));
    assert.deepEqual(slots, []);
  }).timeout(20_000);

  it('would not, were it to load the main file of undici: the check above can fail', async () => {
    const { slots } = await loaded('undici');
    assert.deepEqual(slots, ['undici.globalDispatcher.1', 'undici.globalDispatcher.2']);
  }).timeout(20_000);

  it('reads nothing at activation that only connecting needs', () => {
    const text = readAtActivation(folder)
      .map((file) => readFileSync(file, 'utf8'))
      .join('\n');
    assert.match(text, /function activate\b/);
    assert.doesNotMatch(text, /^\/\/ node_modules\//m);
    assert.doesNotMatch(text, /\bclass DataTransferClient\b/);
  });

  it('reads nothing at activation that only a command or a page needs', () => {
    const text = readAtActivation(folder)
      .map((file) => readFileSync(file, 'utf8'))
      .join('\n');
    assert.match(text, /^\/\/ src\/views\/transferStatusBar/m);
    assert.doesNotMatch(text, /^\/\/ src\/(?:commands|panels|core\/landed|host\/sharing)\//m);
  });

  it('reads at most 120 kB at activation, as it is shipped', async () => {
    const shipped = mkdtempSync(join(tmpdir(), 'shipped-'));
    try {
      const build = ['esbuild.mjs', '--production', '--only', 'extension', '--outdir', shipped];
      await run(process.execPath, build, { cwd: root });
      const files = readAtActivation(join(shipped, 'extension'));
      assert.ok(readdirSync(join(shipped, 'extension')).length > files.length, 'not all is read');
      const bytes = files.reduce((sum, file) => sum + statSync(file).size, 0);
      assert.ok(bytes > 10_000 && bytes <= 120_000, `it reads ${bytes} bytes`);
    } finally {
      rmSync(shipped, { recursive: true });
    }
  }).timeout(20_000);
});
