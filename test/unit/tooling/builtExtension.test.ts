import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import {
  copyFileSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { promisify } from 'node:util';
import { readTogether } from '../../support/builtFiles.ts';

const run = promisify(execFile);
const root = join(import.meta.dirname, '..', '..', '..');
const entry = join(root, 'dist', 'extension.cjs');
const folder = join(root, 'dist', 'extension');
const beginning = join(folder, 'beginning.js');

/** What the built files take of the editor's API. */
function editorNames(): string[] {
  const parts = readdirSync(folder).filter((file) => file.endsWith('.js'));
  const texts = [entry, ...parts.map((file) => join(folder, file))].map((file) => readFileSync(file, 'utf8'));
  const lists = texts.flatMap((text) => [...text.matchAll(/import\s*\{([^}]*)\}\s*from\s*"vscode"/g)]);
  const imported = lists.flatMap(([, list = '']) =>
    list.split(',').map((name) => name.trim().split(/\s+as\s+/)[0] ?? ''),
  );
  const taken = texts.flatMap((text) => [...text.matchAll(/\bimport_vscode\d*\.(\w+)/g)]).map(([, name = '']) => name);
  return [...new Set([...imported, ...taken])].filter((name) => name !== '');
}

/**
 * Runs a script in a fresh process, where the editor's API is a stand-in that answers everything; `files` are the files
 * that were loaded until now, by address. Resolves to what the script hands to `tell`.
 */
async function inFreshProcess(script: string): Promise<unknown> {
  const api = `
    const anything = new Proxy(function () {}, { get: (_, name) => (name === 'then' ? undefined : name === Symbol.toPrimitive ? () => 'en' : anything), apply: () => anything, construct: () => anything });
    ${editorNames()
      .map((name) => `const ${name}$ = globalThis.given?.${name} ?? anything; export { ${name}$ as ${name} };`)
      .join('\n')}
  `;
  const whole = `
    import { registerHooks } from 'node:module';
    const files = [];
    const tell = (answer) => { console.log(JSON.stringify(answer)); process.exit(); };
    registerHooks({
      resolve: (name, context, next) => (name === 'vscode' ? { url: 'vscode:api', shortCircuit: true } : next(name, context)),
      load: (url, context, next) => {
        files.push(url);
        return url === 'vscode:api' ? { format: 'module', source: ${JSON.stringify(api)}, shortCircuit: true } : next(url, context);
      },
    });
    ${script}
  `;
  const { stdout } = await run(process.execPath, ['--input-type=module', '--eval', whole], { cwd: root });
  return JSON.parse(stdout);
}

/** Loads modules, and tells what they export and which of the slots for everybody's dispatcher they filled. */
async function loaded(...modules: string[]): Promise<{ readonly names: string[]; readonly slots: string[] }> {
  const answer = await inFreshProcess(`
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
    tell({ names, slots: [...filled].sort() });
  `);
  return answer as { names: string[]; slots: string[] };
}

/**
 * The beginning of a script that activates the extension which stands in this file, over such a storage. `trees`, `did`
 * and `pages` hold what it gave the editor, by id; `told` holds what it told the person without being asked.
 */
function activation(file: string, storage: string): string {
  return `
    import { join } from 'node:path';
    const trees = {}, did = {}, pages = {}, told = [];
    let changeSetting;
    const part = { dispose: () => undefined };
    globalThis.given = {
      Uri: { joinPath: ({ fsPath }, ...names) => ({ fsPath: join(fsPath, ...names) }) },
      EventEmitter: class { event = () => part; dispose() {} },
      l10n: { t: (text, ...values) => text.replace(/{(\\d)}/g, (_, index) => values[index]) },
      commands: { registerCommand: (id, run) => { did[id] = run; return part; } },
      window: {
        createTreeView: (id, { treeDataProvider }) => { trees[id] = treeDataProvider; return part; },
        registerWebviewPanelSerializer: (id, serializer) => { pages[id] = serializer; return part; },
        showErrorMessage: async (message) => void told.push(message),
      },
      workspace: { onDidChangeConfiguration: (act) => { changeSetting = (name) => act({ affectsConfiguration: (one) => one === name }); return part; } },
      ExtensionMode: { Production: 1, Test: 3 },
    };
    const { default: { activate } } = await import(${JSON.stringify(pathToFileURL(file).href)});
    const activated = () => activate({ extensionMode: 1, subscriptions: [], globalStorageUri: { fsPath: ${JSON.stringify(storage)} } });
  `;
}

/** Activates the extension over such a storage, lets something happen, and tells whether it began. */
async function begins(storage: string, happens: string): Promise<unknown> {
  return await inFreshProcess(`
    ${activation(entry, storage)}
    const begun = () => files.includes(${JSON.stringify(pathToFileURL(beginning).href)});
    // It may not come far with what little of an editor there is here.
    process.on('unhandledRejection', () => tell(begun()));
    // Nothing is left to do.
    process.on('beforeExit', () => tell(begun()));
    if (activated() !== undefined || begun()) tell('waits');
    ${happens}
  `);
}

describe('The built extension', () => {
  before(() => assert.ok(existsSync(entry), 'It is not built: run "npm run build".'));

  it('leaves the dispatcher of everybody else in the editor alone', async () => {
    const files = readdirSync(folder).filter((file) => file.endsWith('.js'));
    const { names, slots } = await loaded(...files.map((file) => pathToFileURL(join(folder, file)).href));
    assert.ok(names.includes('begin') && names.includes('DataTransferClient'));
    assert.deepEqual(slots, []);
  }).timeout(20_000);

  it('would not, were it to load the main file of undici: the check above can fail', async () => {
    const { slots } = await loaded('undici');
    assert.deepEqual(slots, ['undici.globalDispatcher.1', 'undici.globalDispatcher.2']);
  }).timeout(20_000);

  it('begins with nothing that only connecting needs', () => {
    const text = readTogether(beginning)
      .map((file) => readFileSync(file, 'utf8'))
      .join('\n');
    assert.match(text, /function begin\b/);
    assert.match(text, /^\/\/ src\/views\/transferStatusBar/m);
    assert.doesNotMatch(text, /^\/\/ node_modules\//m);
    assert.doesNotMatch(text, /\bclass DataTransferClient\b/);
  });

  it('reads at most 20 kB at activation, as it is shipped', async () => {
    const shipped = mkdtempSync(join(tmpdir(), 'shipped-'));
    try {
      const build = ['esbuild.mjs', '--production', '--only', 'extension', '--outdir', shipped];
      await run(process.execPath, build, { cwd: root });
      const files = readTogether(join(shipped, 'extension.cjs'));
      const bytes = files.reduce((sum, file) => sum + statSync(file).size, 0);
      assert.ok(bytes > 1_000 && bytes <= 20_000, `it reads ${bytes} bytes`);
    } finally {
      rmSync(shipped, { recursive: true });
    }
  }).timeout(20_000);

  describe('at a start of the editor', () => {
    let storage: string;
    let running: string;
    beforeEach(() => {
      storage = mkdtempSync(join(tmpdir(), 'storage-'));
      running = join(storage, 'transfers', 'running');
      mkdirSync(join(storage, 'transfers', 'ended'), { recursive: true });
      writeFileSync(join(storage, 'transfers', 'ended', 'one.json'), '{}');
    });
    afterEach(() => rmSync(storage, { recursive: true }));

    it('waits where no transfer runs', async () => {
      assert.equal(await begins(storage, ''), false);
      assert.ok(existsSync(running), 'where another window writes the first one is watched');
      assert.equal(await begins(storage, `changeSetting('editor.fontSize');`), false);
    }).timeout(20_000);

    it('begins where one runs, without being asked', async () => {
      mkdirSync(running);
      writeFileSync(join(running, 'half.json.new'), '{');
      assert.equal(await begins(storage, ''), false);
      writeFileSync(join(running, 'two.json'), '{}');
      assert.equal(await begins(storage, ''), true);
    }).timeout(20_000);

    const uses = {
      'a row is to be drawn': `trees['dataTransfer.transfers'].getChildren().catch(() => tell(begun()));`,
      'a command is used': `did['dataTransfer.showLog']().catch(() => tell(begun()));`,
      'a page was open': `pages['dataTransfer.metadata'].deserializeWebviewPanel({}, {}).catch(() => tell(begun()));`,
      'the setting with the connections changes': `changeSetting('dataTransfer.connections');`,
    };
    for (const [use, happens] of Object.entries(uses)) {
      it(`begins where ${use}`, async () => {
        assert.equal(await begins(storage, happens), true);
      }).timeout(20_000);
    }
  });

  describe('with another beginning', () => {
    let folder: string;
    let storage: string;
    beforeEach(() => {
      folder = mkdtempSync(join(tmpdir(), 'other-'));
      storage = join(folder, 'storage');
      mkdirSync(join(folder, 'extension'));
      mkdirSync(join(storage, 'transfers', 'running'), { recursive: true });
      copyFileSync(entry, join(folder, 'extension.cjs'));
      writeFileSync(join(folder, 'package.json'), '{ "type": "module" }');
    });
    afterEach(() => rmSync(folder, { recursive: true }));

    /** Activates the extension with this in the place of what it begins with; resolves to what the script tells. */
    async function withBeginning(text: string, script: string): Promise<unknown> {
      writeFileSync(join(folder, 'extension', 'beginning.js'), text);
      return await inFreshProcess(`${activation(join(folder, 'extension.cjs'), storage)} ${script}`);
    }

    it('draws rows as soon as there are some, whatever else the beginning waits for', async () => {
      const slow = `export const begin = async (context, lifetime, sideBar) => {
        sideBar.transfers.fill({ getChildren: (parent) => [parent, 'a row'] });
        await new Promise(() => undefined);
      };`;
      const look = `activated(); tell(await trees['dataTransfer.transfers'].getChildren('of this'));`;
      assert.deepEqual(await withBeginning(slow, look), ['of this', 'a row']);
    }).timeout(20_000);

    const fails = `globalThis.begun = 0; export const begin = async () => { begun++; throw new Error('no more files can be opened'); };`;
    const words = 'Data Transfer could not start: no more files can be opened. Reload the window to try again.';

    it('says why nothing works where it cannot begin, whatever is used, and does not begin by halves again', async () => {
      const use = `activated();
        const said = [];
        for (const used of [did['dataTransfer.showLog'], did['dataTransfer.showLog'], trees['dataTransfer.transfers'].getChildren.bind(trees['dataTransfer.transfers']), pages['dataTransfer.metadata'].deserializeWebviewPanel])
          await used({}).catch(({ message }) => said.push(message));
        tell({ said, told, begun });`;
      const said = [words, words, words, words];
      assert.deepEqual(await withBeginning(fails, use), { said, told: [], begun: 1 });
    }).timeout(20_000);

    const alone = {
      'a transfer runs': `activated();`,
      'the setting with the connections changes': `activated(); changeSetting('dataTransfer.connections');`,
    };
    for (const [reason, happens] of Object.entries(alone)) {
      it(`tells of it by itself where it should begin because ${reason}`, async () => {
        if (reason === 'a transfer runs') writeFileSync(join(storage, 'transfers', 'running', 'one.json'), '{}');
        const tellAtEnd = `process.on('unhandledRejection', () => tell('not handled')); process.on('beforeExit', () => tell(told));`;
        assert.deepEqual(await withBeginning(fails, `${tellAtEnd} ${happens}`), [words]);
      }).timeout(20_000);
    }
  });
});
