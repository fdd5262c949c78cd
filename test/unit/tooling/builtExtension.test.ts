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
const folder = join(root, 'dist', 'lib');
const startup = join(folder, 'startup.js');

/** Returns the names that the built files import from the editor's API. */
function listEditorNames(): string[] {
  const parts = readdirSync(folder).filter((file) => file.endsWith('.js'));
  const texts = [entry, ...parts.map((file) => join(folder, file))].map((file) => readFileSync(file, 'utf8'));
  const lists = texts.flatMap((text) => [...text.matchAll(/import\s*\{([^}]*)\}\s*from\s*"vscode"/g)]);
  const imported = lists.flatMap(([, list = '']) =>
    list.split(',').map((name) => name.trim().split(/\s+as\s+/)[0] ?? ''),
  );
  const usages = texts.flatMap((text) => [...text.matchAll(/\bimport_vscode\d*\.(\w+)/g)]).map(([, name = '']) => name);
  return [...new Set([...imported, ...usages])].filter((name) => name !== '');
}

/**
 * Runs a script in a new process with a stub of the editor's API. In the script, `files` contains the URLs of the
 * loaded files. Resolves to the value that the script passes to `report`.
 */
async function runInNewProcess(script: string): Promise<unknown> {
  const api = `
    const anything = new Proxy(function () {}, { get: (_, name) => (name === 'then' ? undefined : name === Symbol.toPrimitive ? () => 'en' : anything), apply: () => anything, construct: () => anything });
    ${listEditorNames()
      .map((name) => `const ${name}$ = globalThis.given?.${name} ?? anything; export { ${name}$ as ${name} };`)
      .join('\n')}
  `;
  const source = `
    import { registerHooks } from 'node:module';
    const files = [];
    const report = (answer) => { console.log(JSON.stringify(answer)); process.exit(); };
    registerHooks({
      resolve: (name, context, next) => (name === 'vscode' ? { url: 'vscode:api', shortCircuit: true } : next(name, context)),
      load: (url, context, next) => {
        files.push(url);
        return url === 'vscode:api' ? { format: 'module', source: ${JSON.stringify(api)}, shortCircuit: true } : next(url, context);
      },
    });
    ${script}
  `;
  const { stdout } = await run(process.execPath, ['--input-type=module', '--eval', source], { cwd: root });
  return JSON.parse(stdout);
}

/**
 * Loads modules in a new process. Returns the names of their exports and the slots of global dispatchers that they set.
 */
async function loadModules(...modules: string[]): Promise<{ readonly names: string[]; readonly slots: string[] }> {
  const answer = await runInNewProcess(`
    const slots = ['undici.globalDispatcher.1', 'undici.globalDispatcher.2'];
    const filled = new Set();
    const { defineProperty } = Object;
    Object.defineProperty = (object, key, value) => {
      const slot = slots.find((name) => key === Symbol.for(name));
      if (slot === undefined) return defineProperty(object, key, value);
      // Node.js itself sets them to its built-in dispatcher.
      if (!new Error().stack.includes('node:internal/deps/undici')) filled.add(slot);
      return object;
    };
    const names = [];
    for (const module of ${JSON.stringify(modules)}) names.push(...Object.keys(await import(module)));
    report({ names, slots: [...filled].sort() });
  `);
  return answer as { names: string[]; slots: string[] };
}

/** Returns the user's data directory, which these tests place in the storage folder. */
function getDataHome(storage: string): string {
  return join(storage, 'data');
}

/** Returns the folder with the records of running transfers (D63: shared ledger folder). */
function getRunningFolder(storage: string): string {
  return join(getDataHome(storage), 'data-transfer-explorer', 'transfers', 'running');
}

/**
 * Returns the start of a script that activates the extension in `file` with a storage folder. `trees`, `handlers` and
 * `pages` contain its registrations by ID, `systems` its providers of files by scheme, `links` its URI handler, and
 * `shown` the errors that it showed.
 */
function createActivation(file: string, storage: string): string {
  return `
    import { readFileSync } from 'node:fs';
    import { join } from 'node:path';
    process.env.XDG_DATA_HOME = process.env.LOCALAPPDATA = ${JSON.stringify(getDataHome(storage))};
    const trees = {}, handlers = {}, pages = {}, systems = {}, links = {}, shown = [];
    let changeSetting, openFile;
    const part = { dispose: () => undefined };
    globalThis.given = {
      Uri: { joinPath: ({ fsPath }, ...names) => ({ fsPath: join(fsPath, ...names) }) },
      EventEmitter: class { event = () => part; fire() {} dispose() {} },
      l10n: { t: (text, ...values) => text.replace(/{(\\d)}/g, (_, index) => values[index]) },
      commands: { registerCommand: (id, run) => { handlers[id] = run; return part; }, executeCommand: async () => undefined },
      window: {
        createTreeView: (id, { treeDataProvider }) => { trees[id] = treeDataProvider; return part; },
        registerUriHandler: (handler) => { links.handler = handler; return part; },
        registerWebviewPanelSerializer: (id, serializer) => { pages[id] = serializer; return part; },
        showErrorMessage: async (message) => void shown.push(message),
      },
      workspace: {
        textDocuments: [],
        onDidChangeConfiguration: (act) => { changeSetting = (name) => act({ affectsConfiguration: (one) => one === name }); return part; },
        onDidOpenTextDocument: (act) => { openFile = (path) => act({ uri: { path } }); return part; },
        onDidChangeWorkspaceFolders: () => part,
        createFileSystemWatcher: () => ({ ...part, onDidCreate: () => part, onDidDelete: () => part }),
        findFiles: async () => [],
        registerFileSystemProvider: (scheme, provider) => { systems[scheme] = provider; return part; },
      },
      ExtensionMode: { Production: 1, Test: 3 },
    };
    const { default: { activate } } = await import(${JSON.stringify(pathToFileURL(file).href)});
    const { contributes: { commands } } = JSON.parse(readFileSync(${JSON.stringify(join(root, 'package.json'))}, 'utf8'));
    const activated = () => activate({ extensionMode: 1, subscriptions: [], extension: { packageJSON: { contributes: { commands } } }, globalStorageUri: { fsPath: ${JSON.stringify(storage)} } });
  `;
}

/**
 * Activates the extension and runs a script. Resolves to true if the script, rather than the activation, starts the
 * extension.
 */
async function startsAfter(storage: string, script: string): Promise<unknown> {
  return await runInNewProcess(`
    ${createActivation(entry, storage)}
    const hasStarted = () => files.includes(${JSON.stringify(pathToFileURL(startup).href)});
    // The start may fail later, because the API is a stub.
    process.on('unhandledRejection', () => report(hasStarted()));
    process.on('beforeExit', () => report(hasStarted()));
    if (activated() !== undefined || hasStarted()) report('waits');
    ${script}
  `);
}

describe('The built extension', () => {
  before(() => assert.ok(existsSync(entry), 'Run "npm run build" first.'));

  it('does not change the global dispatcher of the editor', async () => {
    // These modules start the service when they are loaded.
    const programs = ['service.js', 'thread.js'];
    const files = readdirSync(folder).filter((file) => file.endsWith('.js') && !programs.includes(file));
    const { names, slots } = await loadModules(...files.map((file) => pathToFileURL(join(folder, file)).href));
    assert.ok(names.includes('startExtension') && names.includes('DataTransferClient'));
    assert.deepEqual(slots, []);
  });

  it('would change it by loading the main file of undici (the check above can fail)', async () => {
    const { slots } = await loadModules('undici');
    assert.deepEqual(slots, ['undici.globalDispatcher.1', 'undici.globalDispatcher.2']);
  });

  it('starts without the code that only connecting needs', () => {
    const text = readTogether(startup)
      .map((file) => readFileSync(file, 'utf8'))
      .join('\n');
    assert.match(text, /function startExtension\b/);
    assert.match(text, /^\/\/ src\/extension\/features\/transfers\/transferStatusBar/m);
    // The list of SPDX IDs is data, which every row of a file with a license needs.
    assert.doesNotMatch(text, /^\/\/ node_modules\/(?!spdx-license-ids\/)/m);
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
  });

  describe('at a start of the editor', () => {
    let storage: string;
    let running: string;
    beforeEach(() => {
      storage = mkdtempSync(join(tmpdir(), 'storage-'));
      running = getRunningFolder(storage);
      mkdirSync(join(running, '..', 'ended'), { recursive: true });
      writeFileSync(join(running, '..', 'ended', 'one.json'), '{}');
    });
    afterEach(() => rmSync(storage, { recursive: true }));

    it('delays its start if no transfer is running', async () => {
      assert.equal(await startsAfter(storage, ''), false);
      assert.ok(existsSync(running), 'the folder is watched for the first transfer of another window');
      assert.equal(await startsAfter(storage, `changeSetting('editor.fontSize');`), false);
      assert.equal(await startsAfter(storage, `openFile('/data/reads.transfer.lock.json');`), false);
    });

    it('starts if a transfer is running', async () => {
      mkdirSync(running);
      writeFileSync(join(running, 'half.json.new'), '{');
      assert.equal(await startsAfter(storage, ''), false);
      writeFileSync(join(running, 'two.json'), '{}');
      assert.equal(await startsAfter(storage, ''), true);
    });

    const uses = {
      'a row is drawn': `trees['dataTransfer.transfers'].getChildren().catch(() => report(hasStarted()));`,
      'a command is used': `handlers['dataTransfer.showLog']().catch(() => report(hasStarted()));`,
      'a page was open': `pages['dataTransfer.metadata'].deserializeWebviewPanel({}, {}).catch(() => report(hasStarted()));`,
      'the tab of an opened file was open': `systems['data-transfer-file'].stat({}).catch(() => report(hasStarted()));`,
      'a link is opened': `links.handler.handleUri({}).catch(() => report(hasStarted()));`,
      'the setting with the connections changes': `changeSetting('dataTransfer.connections');`,
      'a recipe is opened': `openFile('/data/reads.transfer.json');`,
    };
    for (const [use, script] of Object.entries(uses)) {
      it(`starts when ${use}`, async () => {
        assert.equal(await startsAfter(storage, script), true);
      });
    }
  });

  describe('with another startup module', () => {
    let folder: string;
    let storage: string;
    beforeEach(() => {
      folder = mkdtempSync(join(tmpdir(), 'other-'));
      storage = join(folder, 'storage');
      mkdirSync(join(folder, 'lib'));
      mkdirSync(getRunningFolder(storage), { recursive: true });
      copyFileSync(entry, join(folder, 'extension.cjs'));
      writeFileSync(join(folder, 'package.json'), '{ "type": "module" }');
    });
    afterEach(() => rmSync(folder, { recursive: true }));

    /** Activates the extension with a different startup module. Resolves to the result of the script. */
    async function runWithStartup(text: string, script: string): Promise<unknown> {
      writeFileSync(join(folder, 'lib', 'startup.js'), text);
      return await runInNewProcess(`${createActivation(join(folder, 'extension.cjs'), storage)} ${script}`);
    }

    it('draws rows before the start has finished', async () => {
      const slow = `export const startExtension = async (context, lifetime, { sideBar }) => {
        sideBar.transfers.fill({ getChildren: (parent) => [parent, 'a row'] });
        await new Promise(() => undefined);
      };`;
      const script = `activated(); report(await trees['dataTransfer.transfers'].getChildren('of this'));`;
      assert.deepEqual(await runWithStartup(slow, script), ['of this', 'a row']);
    });

    const fails = `globalThis.starts = 0; export const startExtension = async () => { starts++; throw new Error('no more files can be opened'); };`;
    const text = 'Data Transfer could not start: no more files can be opened. Reload the window to try again.';

    it('reports why it could not start at each use, and does not try again', async () => {
      const use = `activated();
        const messages = [];
        for (const used of [handlers['dataTransfer.showLog'], handlers['dataTransfer.showLog'], trees['dataTransfer.transfers'].getChildren.bind(trees['dataTransfer.transfers']), pages['dataTransfer.metadata'].deserializeWebviewPanel])
          await used({}).catch(({ message }) => messages.push(message));
        report({ messages, shown, starts });`;
      const messages = [text, text, text, text];
      assert.deepEqual(await runWithStartup(fails, use), { messages, shown: [], starts: 1 });
    });

    const causes = {
      'a transfer runs': `activated();`,
      'the setting with the connections changes': `activated(); changeSetting('dataTransfer.connections');`,
    };
    for (const [reason, script] of Object.entries(causes)) {
      it(`shows the failure when it starts because ${reason}`, async () => {
        if (reason === 'a transfer runs') writeFileSync(join(getRunningFolder(storage), 'one.json'), '{}');
        const reportAtEnd = `process.on('unhandledRejection', () => report('not handled')); process.on('beforeExit', () => report(shown));`;
        assert.deepEqual(await runWithStartup(fails, `${reportAtEnd} ${script}`), [text]);
      });
    }
  });
});
