import { glob, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { BrowserContext, Page } from 'playwright-core';
import type { EditorServer } from './editorServer.ts';
import { type EditorOptions, journeyKey, settingsFile } from './preparedEditor.ts';
import { RunningEditor } from './runningEditor.ts';
import { delayStorage } from './slowStorage.ts';
import { EditorWindow, type WindowOptions } from './window.ts';

/** Returns the options for a new editor whose windows open with a saved connection to a service. */
export function savedConnection(server: string, key: string): Pick<EditorOptions, 'machineSettings' | 'environment'> {
  const connection = { id: 'saved', name: 'DTS prototype', server, apiKeyVariable: journeyKey.variable };
  return {
    machineSettings: { 'dataTransfer.connections': [connection], 'dataTransfer.orcid': '0000-0002-1825-0097' },
    ...(key !== journeyKey.value && { environment: { [journeyKey.variable]: key } }),
  };
}

/**
 * The browser profile of one user. Its windows share secrets and storage with each other, but not with other profiles.
 */
export class Person {
  readonly #editor: Editor;
  readonly #context: BrowserContext;
  #blankPage: Page | undefined;

  constructor(editor: Editor, context: BrowserContext, blankPage: Page | undefined) {
    this.#editor = editor;
    this.#context = context;
    this.#blankPage = blankPage;
  }

  /** Opens another window with its own extension host and waits until the editor is usable. */
  async openWindow(options: WindowOptions = {}): Promise<EditorWindow> {
    const page = this.#blankPage ?? (await this.#context.newPage());
    this.#blankPage = undefined;
    const window = new EditorWindow(page, this.#editor);
    await window.open(options);
    return window;
  }

  /** Closes all windows of this user. */
  async close(): Promise<void> {
    await this.#context.close();
  }
}

const openEditors = new Set<Editor>();

/** Returns the editors that are currently open, to collect evidence for a failed test. */
export function runningEditors(): readonly Editor[] {
  return [...openEditors];
}

/** A running VS Code server, together with a browser that shows it. */
export class Editor {
  readonly server: EditorServer;
  readonly workspace: string;
  readonly developmentPath: string | undefined;
  readonly dataFolder: string;
  readonly #running: RunningEditor;
  readonly #storageDelayMs: number;
  readonly #end: (editor: Editor) => Promise<void>;
  #isSuspect = false;

  /** Creates an editor; `end` replaces the default behavior of `close`, which ends the browser and the server. */
  constructor(running: RunningEditor, options: EditorOptions, end?: (editor: Editor) => Promise<void>) {
    const { server, folder } = running.prepared;
    this.server = server;
    this.workspace = options.workspace ?? folder.workspace;
    this.developmentPath = options.isDevelopmentHost ? options.extensionPath : undefined;
    this.dataFolder = folder.data;
    this.#running = running;
    this.#storageDelayMs = options.storageDelayMs ?? 0;
    this.#end = end ?? (() => running.close());
    openEditors.add(this);
  }

  /** True if a test has failed in this editor and may have left it in an unknown state. */
  get isSuspect(): boolean {
    return this.#isSuspect;
  }

  /** Prevents other tests from reusing the browser and the server. */
  markSuspect(): void {
    this.#isSuspect = true;
  }

  /** The currently open windows of all users. */
  get pages(): readonly Page[] {
    return this.#running.browser.contexts().flatMap((context) => context.pages());
  }

  /** Creates a new user: a browser profile with empty storage. Secrets last as long as the profile. */
  async newPerson(): Promise<Person> {
    if (this.#storageDelayMs === 0) return new Person(this, ...(await this.#running.takeContext()));
    const context = await this.#running.newContext();
    await delayStorage(context, this.#storageDelayMs);
    return new Person(this, context, undefined);
  }

  /** Opens a window for a new user, which is all that most tests need. */
  async openWindow(options: WindowOptions = {}): Promise<EditorWindow> {
    const person = await this.newPerson();
    return person.openWindow(options);
  }

  /** Changes user settings. They take effect when a window is opened or reloaded. */
  async changeSettings(changes: Readonly<Record<string, unknown>>): Promise<void> {
    const file = settingsFile(this.dataFolder);
    const settings = JSON.parse(await readFile(file, 'utf8')) as Record<string, unknown>;
    await writeFile(file, JSON.stringify({ ...settings, ...changes }, undefined, 2));
  }

  /**
   * Returns the output of the server, followed by all log files of the editor and its extension hosts, each with its
   * path.
   */
  async log(): Promise<string> {
    const parts = [this.server.output];
    for await (const file of glob('data/logs/**/*.log', { cwd: this.dataFolder })) {
      parts.push(`--- ${file}\n${await readFile(join(this.dataFolder, file), 'utf8')}`);
    }
    return parts.join('\n');
  }

  /**
   * Closes all windows and removes everything that they have stored. Closes the browser and
   * stops the server unless they will be reused.
   */
  async close(): Promise<void> {
    openEditors.delete(this);
    await this.#end(this);
  }
}

/** Starts an editor and a browser that shows it. The caller must close the editor. */
export async function startEditor(options: EditorOptions = {}): Promise<Editor> {
  return new Editor(await RunningEditor.start(options), options);
}
