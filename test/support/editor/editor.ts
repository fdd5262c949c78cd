import { glob, mkdir, mkdtemp, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Browser, type BrowserContext, type Page, chromium } from 'playwright-core';
import { rememberCommands } from './commandsRun.ts';
import { type EditorServer, startServer } from './editorServer.ts';
import { endLocalServices } from './localServices.ts';
import { readPlaces } from './places.ts';
import { delayStorage } from './slowStorage.ts';
import { type ThemeName, quietSettings, themeSettings } from './settings.ts';
import { EditorWindow, type WindowOptions } from './window.ts';

/** What an editor is started with: the folder of an extension under development, or extensions that are installed. */
export interface EditorOptions {
  readonly extensionPath?: string;
  /** A folder of extensions that the editor itself has installed, which several editors may share. */
  readonly extensions?: string;
  /**
   * Opens windows as extension development hosts, which can run tests inside. Such an editor shows no notices, so it
   * is not what a person sees; without it the extension stands among the installed ones.
   */
  readonly isDevelopmentHost?: boolean;
  /** Folders of other extensions that stand among the installed ones. */
  readonly companions?: readonly string[];
  /** Without them, no extension of the editor's own is there. */
  readonly hasBuiltIns?: boolean;
  /** Lets windows ask whether a workspace is trusted; they begin without trust. */
  readonly asksForTrust?: boolean;
  /** The folder that windows open; an empty one is made when it is left out. */
  readonly workspace?: string;
  /** User settings, over those that keep the editor quiet. */
  readonly settings?: Readonly<Record<string, unknown>>;
  readonly theme?: ThemeName;
  /** Settings of the scope `machine`, which the editor takes from another file than the user's. */
  readonly machineSettings?: Readonly<Record<string, unknown>>;
  /** Variables that the extension host sees. */
  readonly environment?: Readonly<Record<string, string>>;
  /** Delays every write to the browser's database, where the editor stores its own state, as a slow disk does. */
  readonly storageDelayMs?: number;
}

const keyVariable = 'JOURNEY_KEY';

/** Returns options with which a window of a fresh editor opens connected to a service, as after an earlier day. */
export function savedConnection(server: string, key: string): Pick<EditorOptions, 'machineSettings' | 'environment'> {
  const connection = { id: 'saved', name: 'DTS prototype', server, apiKeyVariable: keyVariable };
  return {
    machineSettings: { 'dataTransfer.connections': [connection], 'dataTransfer.orcid': '0000-0002-1825-0097' },
    environment: { [keyVariable]: key },
  };
}

/** A person's browser: its windows share secrets and storage, and nothing with another person's. */
export class Person {
  readonly #editor: Editor;
  readonly #context: BrowserContext;

  constructor(editor: Editor, context: BrowserContext) {
    this.#editor = editor;
    this.#context = context;
  }

  /** Opens one more window, with an extension host of its own, and waits until the editor can be used. */
  async openWindow(options: WindowOptions = {}): Promise<EditorWindow> {
    const window = new EditorWindow(await this.#context.newPage(), this.#editor);
    await window.open(options);
    return window;
  }

  /** Closes all windows of this person. */
  async close(): Promise<void> {
    await this.#context.close();
  }
}

const running = new Set<Editor>();

/** The editors that are running now: what a failed test can be shown with. */
export function runningEditors(): readonly Editor[] {
  return [...running];
}

/** A running VS Code server with a browser in front of it. */
export class Editor {
  readonly server: EditorServer;
  readonly workspace: string;
  readonly developmentPath: string | undefined;
  readonly dataFolder: string;
  readonly #browser: Browser;
  readonly #prepared: PreparedEditor;
  readonly #storageDelayMs: number;

  constructor(prepared: PreparedEditor, browser: Browser, options: EditorOptions) {
    const { server, folder } = prepared;
    this.server = server;
    this.workspace = options.workspace ?? folder.workspace;
    this.developmentPath = options.isDevelopmentHost ? options.extensionPath : undefined;
    this.dataFolder = folder.data;
    this.#browser = browser;
    this.#prepared = prepared;
    this.#storageDelayMs = options.storageDelayMs ?? 0;
    running.add(this);
  }

  /** The windows that are open now, of all persons. */
  get pages(): readonly Page[] {
    return this.#browser.contexts().flatMap((context) => context.pages());
  }

  /** A new person: a browser with nothing stored. Secrets last as long as the person does. */
  async newPerson(): Promise<Person> {
    const context = await this.#browser.newContext({ viewport: { width: 1280, height: 800 } });
    const origin = `http://${this.server.authority}`;
    await context.addCookies([{ name: 'vscode-secret-key-path', value: '/mint-key', url: origin }]);
    await context.route(`${origin}/mint-key`, (route) => route.fulfill({ body: Buffer.alloc(32, 7) }));
    await context.grantPermissions(['clipboard-read', 'clipboard-write'], { origin });
    if (this.#storageDelayMs > 0) await delayStorage(context, this.#storageDelayMs);
    return new Person(this, context);
  }

  /** Opens a window of a new person: what most tests need. */
  async openWindow(options: WindowOptions = {}): Promise<EditorWindow> {
    const person = await this.newPerson();
    return person.openWindow(options);
  }

  /** Changes user settings; a window takes them over when it is opened or loaded again. */
  async changeSettings(changes: Readonly<Record<string, unknown>>): Promise<void> {
    const file = settingsFile(this.dataFolder);
    const settings = JSON.parse(await readFile(file, 'utf8')) as Record<string, unknown>;
    await writeFile(file, JSON.stringify({ ...settings, ...changes }, undefined, 2));
  }

  /** Everything the editor and its extension hosts have logged, newest log last. */
  async log(): Promise<string> {
    const parts = [this.server.output];
    for await (const file of glob('data/logs/**/*.log', { cwd: this.dataFolder })) {
      parts.push(`--- ${file}\n${await readFile(join(this.dataFolder, file), 'utf8')}`);
    }
    return parts.join('\n');
  }

  /** Ends the browser and the server with all they started, and removes their data. */
  async close(): Promise<void> {
    running.delete(this);
    await this.#browser.close();
    await rememberCommands(this.dataFolder);
    await this.#prepared.close();
  }
}

interface EditorFolder {
  readonly root: string;
  readonly data: string;
  readonly workspace: string;
}

const browserFlags = [
  '--disable-gpu',
  '--disable-quic',
  '--no-first-run',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
];

/** A server that is ready for a browser, which may be a person's own. */
interface PreparedEditor {
  readonly server: EditorServer;
  readonly folder: EditorFolder;
  /** Ends the server and removes its data. */
  close(): Promise<void>;
}

/** Starts the server alone, with a fresh data folder on a free port. */
export async function prepareEditor(options: EditorOptions = {}): Promise<PreparedEditor> {
  const folder = await makeFolder(options);
  const { isDevelopmentHost = false, asksForTrust = false, environment = {}, extensions, hasBuiltIns = true } = options;
  const builtIns = hasBuiltIns ? undefined : join(folder.root, 'built-in');
  if (builtIns !== undefined) await mkdir(builtIns);
  const installed = isDevelopmentHost ? undefined : options.extensionPath;
  for (const path of [installed, ...(options.companions ?? [])])
    if (path !== undefined) await linkExtension(path, folder.data);
  const dataFolder = folder.data;
  const server = await startServer({ dataFolder, environment, extensions, builtIns, isDevelopmentHost, asksForTrust });
  const close = async (): Promise<void> => {
    await server.close();
    await endLocalServices(folder.data);
    await rm(folder.root, { recursive: true, force: true, maxRetries: 5 });
  };
  return { server, folder, close };
}

/** Starts an editor and a browser in front of it. Whoever starts it closes it. */
export async function startEditor(options: EditorOptions = {}): Promise<Editor> {
  const prepared = await prepareEditor(options);
  const browser = await launchBrowser().catch(async (error: unknown) => {
    await prepared.close();
    throw error;
  });
  return new Editor(prepared, browser, options);
}

/** Stands a folder among the installed extensions, under the name that an installation would give it. */
async function linkExtension(extensionPath: string, dataFolder: string): Promise<void> {
  const text = await readFile(join(extensionPath, 'package.json'), 'utf8');
  const { publisher, name, version } = JSON.parse(text) as Record<'publisher' | 'name' | 'version', string>;
  const extensions = join(dataFolder, 'extensions');
  await mkdir(extensions, { recursive: true });
  await symlink(extensionPath, join(extensions, `${publisher}.${name}-${version}`), 'junction');
}

function launchBrowser(): Promise<Browser> {
  return chromium.launch({ executablePath: readPlaces().browser, args: browserFlags });
}

async function makeFolder(options: EditorOptions): Promise<EditorFolder> {
  const root = await mkdtemp(join(tmpdir(), 'data-transfer-editor-'));
  const folder = { root, data: join(root, 'server'), workspace: join(root, 'workspace') };
  await mkdir(folder.workspace);
  await mkdir(join(folder.data, 'data', 'User'), { recursive: true });
  const settings = { ...quietSettings, ...themeSettings(options.theme ?? 'light'), ...options.settings };
  await writeFile(settingsFile(folder.data), JSON.stringify(settings, undefined, 2));
  if (options.machineSettings) {
    await mkdir(join(folder.data, 'data', 'Machine'));
    await writeFile(join(folder.data, 'data', 'Machine', 'settings.json'), JSON.stringify(options.machineSettings));
  }
  return folder;
}

function settingsFile(dataFolder: string): string {
  return join(dataFolder, 'data', 'User', 'settings.json');
}
