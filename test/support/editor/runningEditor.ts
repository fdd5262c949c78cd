import { rm, glob } from 'node:fs/promises';
import { join } from 'node:path';
import { type Browser, type BrowserContext, type CDPSession, type Page, chromium } from 'playwright-core';
import { getEditorDataHome } from '../dataHome.ts';
import { rememberCommands } from './commandsRun.ts';
import { endLocalServices } from './localServices.ts';
import { findHeadlessShell, readPlaces } from './places.ts';
import { type EditorOptions, type PreparedEditor, fillFolder, prepareEditor } from './preparedEditor.ts';
import { waitLimitMs } from './until.ts';

const browserFlags = [
  '--disable-gpu',
  '--disable-quic',
  '--no-first-run',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
];

const viewport = { width: 1280, height: 800 };
const leaveLimitMs = 60_000;
const keyPath = '/mint-key';

/**
 * Script that responds to the request for the key that encrypts secrets. A Playwright route would turn off the
 * browser's cache, so that every window would download and compile the editor's scripts again.
 */
const respondWithKey = `if (window === top) {
  const original = fetch;
  window.fetch = (input, init) => {
    const { pathname } = new URL(input instanceof Request ? input.url : input, location.href);
    return pathname === '${keyPath}' ? Promise.resolve(new Response(new Uint8Array(32).fill(7))) : original(input, init);
  };
}`;

/** A server and its browser, which editors can use one after another. */
export class RunningEditor {
  readonly prepared: PreparedEditor;
  readonly browser: Browser;
  #context: BrowserContext | undefined;
  #page: Page | undefined;
  #session: CDPSession | undefined;
  #isTaken = false;

  private constructor(prepared: PreparedEditor, browser: Browser) {
    this.prepared = prepared;
    this.browser = browser;
  }

  /** Starts the server and the browser. */
  static async start(options: EditorOptions): Promise<RunningEditor> {
    const prepared = await prepareEditor(options);
    const { browser: fullBrowser } = readPlaces();
    const executablePath = options.needsFullBrowser ? fullBrowser : findHeadlessShell();
    const launched = chromium.launch({ executablePath, args: browserFlags });
    const browser = await launched.catch(async (error: unknown) => {
      await prepared.close();
      throw error;
    });
    return new RunningEditor(prepared, browser);
  }

  /** Creates a browser context with empty storage. Secrets persist as long as the context. */
  async newContext(): Promise<BrowserContext> {
    const context = await this.browser.newContext({ viewport });
    context.setDefaultTimeout(waitLimitMs);
    await context.addInitScript(respondWithKey);
    await context.grantPermissions(['clipboard-read', 'clipboard-write'], { origin: this.#origin });
    await this.#addCookies(context);
    return context;
  }

  /**
   * Returns a context with empty storage. On the first call after the start or {@link clear}, also returns a blank page
   * for the first window. The context and the page are reused, because a page that has loaded the editor before loads
   * it in half the time.
   */
  async takeContext(): Promise<[BrowserContext, Page | undefined]> {
    if (this.#isTaken) return [await this.newContext(), undefined];
    this.#isTaken = true;
    this.#context ??= await this.newContext();
    this.#page ??= await this.#makePage(this.#context);
    return [this.#context, this.#page];
  }

  /** Closes all windows and removes everything that they have stored, in the browser and in the data folder. */
  async clear(): Promise<void> {
    for (const context of this.browser.contexts()) if (context !== this.#context) await context.close();
    if (this.#context) await this.#clearContext(this.#context);
    const { server, folder } = this.prepared;
    await server.endExtensionHosts();
    await rememberCommands(folder.data);
    await endLocalServices(folder.data);
    const places = ['data/User', 'data/Machine'].map((place) => join(folder.data, place));
    places.push(getEditorDataHome(folder.data));
    for await (const logs of glob('data/logs/*/exthost*', { cwd: folder.data })) places.push(join(folder.data, logs));
    for (const place of [...places, folder.workspace]) await rm(place, { recursive: true, force: true, maxRetries: 5 });
    this.#isTaken = false;
  }

  /** Creates the workspace and writes the settings for the next editor. Call it after {@link clear}. */
  async prepareFor(options: EditorOptions): Promise<void> {
    await fillFolder(this.prepared.folder, options);
    if (this.#context) await this.#addCookies(this.#context);
  }

  /** Closes the browser, stops the server, including their child processes, and removes their data. */
  async close(): Promise<void> {
    await this.browser.close();
    await rememberCommands(this.prepared.folder.data);
    await this.prepared.close();
  }

  get #origin(): string {
    return `http://${this.prepared.server.authority}`;
  }

  async #addCookies(context: BrowserContext): Promise<void> {
    await context.addCookies([{ name: 'vscode-secret-key-path', value: keyPath, url: this.#origin }]);
  }

  async #makePage(context: BrowserContext): Promise<Page> {
    const page = await context.newPage();
    page.on('dialog', (dialog) => void dialog.accept().catch(() => undefined));
    this.#session = await context.newCDPSession(page);
    page.once('close', () => (this.#page = undefined));
    context.once('close', () => (this.#context = undefined));
    return page;
  }

  async #clearContext(context: BrowserContext): Promise<void> {
    for (const page of context.pages()) if (page !== this.#page) await page.close();
    const page = (this.#page ??= await this.#makePage(context));
    if (page.url() !== 'about:blank') {
      await page.evaluate('sessionStorage.clear(); navigator.clipboard.writeText("").catch(() => undefined)');
      await page.goto('about:blank', { timeout: leaveLimitMs });
    }
    const storageTypes = 'cookies,local_storage,indexeddb,service_workers,cache_storage';
    await this.#session?.send('Storage.clearDataForOrigin', { origin: this.#origin, storageTypes });
    await this.#session?.send('Emulation.setFocusEmulationEnabled', { enabled: true });
    await page.setViewportSize(viewport);
  }
}
