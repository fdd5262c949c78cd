import assert from 'node:assert/strict';
import { glob, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { publicLike, type PublicState } from '../faultPersonality.ts';
import { FaultServer } from '../faultServer.ts';
import { savedConnection, type Editor } from './editor.ts';
import { closeEditors, openEditor } from './editorPool.ts';
import { saveFailureArtifacts } from './failureArtifacts.ts';
import { finishTransfers } from './journeySteps.ts';
import { journeyKey } from './preparedEditor.ts';
import { until } from './until.ts';
import type { EditorWindow, WindowOptions } from './window.ts';

/** A window with a saved connection to a server like the public one. */
interface ConnectedWindow {
  readonly server: FaultServer;
  readonly service: PublicState;
  readonly editor: Editor;
  readonly window: EditorWindow;
}

/**
 * A window that the tests of a file use one after another, because loading one takes longer than most tests. Each test
 * finds the state after a fresh start: no searches, transfers, tabs, notifications, copied text, or remembered input.
 * After a failed test, the next one gets a new window.
 */
export class SharedWindow {
  readonly #options: WindowOptions;
  #current: ConnectedWindow | undefined;

  constructor(options: WindowOptions) {
    this.#options = options;
  }

  /** Resolves to the window, with a server that has received nothing. */
  async take(): Promise<ConnectedWindow> {
    this.#current = this.#current ? await reset(this.#current) : await this.#open();
    return this.#current;
  }

  /** Ends a test. If it failed, saves screenshots and logs, and closes the window. */
  async giveBack(test: Mocha.Test | undefined): Promise<void> {
    if (test?.state !== 'failed') return;
    await saveFailureArtifacts(test.title);
    await this.close();
  }

  /** Closes the window and stops the server. */
  async close(): Promise<void> {
    const { server } = this.#current ?? {};
    this.#current = undefined;
    await closeEditors();
    await server?.stop();
  }

  async #open(): Promise<ConnectedWindow> {
    const server = await FaultServer.start();
    const service = publicLike(server, journeyKey.value);
    const editor = await openEditor(savedConnection(server.address, service.key));
    const window = await editor.openWindow(this.#options);
    await window.openContainer('Data Transfer');
    await seeDatabases(window, service);
    return { server, service, editor, window };
  }
}

/** Removes with the commands of the window what a test has left behind. Resolves to the window for the next test. */
async function reset(used: ConnectedWindow): Promise<ConnectedWindow> {
  const { server, editor, window } = used;
  await clearTransfers(used);
  const { notifications } = window;
  const searches = (): Promise<readonly unknown[]> => window.tree('Search Results').rows();
  await clear(window, 'Data Transfer: Clear Results', searches);
  await clear(window, 'View: Close All Editors', () => window.tabs());
  await clear(window, 'Notifications: Clear All Notifications', () => notifications.all());
  await window.page.evaluate('navigator.clipboard.writeText("")');
  // Databases that are listed again are collapsed, and none has the focus.
  await clear(window, 'Data Transfer: Disconnect', () => window.tree('Databases').rows());
  await server.reset();
  for await (const state of glob('data/User/globalStorage/*/state', { cwd: editor.dataFolder }))
    await rm(join(editor.dataFolder, state), { recursive: true });
  const service = publicLike(server, journeyKey.value);
  await window.command('Data Transfer: Switch Connection…');
  await window.pick('DTS prototype', 'Select a service to connect to');
  await seeDatabases(window, service);
  return { ...used, service };
}

/** Runs a command, if anything is left, and waits until nothing is. */
async function clear(window: EditorWindow, command: string, left: () => Promise<readonly unknown[]>): Promise<void> {
  if ((await left()).length === 0) return;
  await window.command(command);
  await until(`“${command}” to leave nothing`, async () => (await left()).length === 0 || undefined);
}

async function clearTransfers({ window, service }: ConnectedWindow): Promise<void> {
  if (service.transfers.size === 0) return;
  const transfers = window.tree('Transfers');
  finishTransfers(service);
  await transfers.action('Refresh Transfers');
  await transfers.waitFor('finished transfers only', (rows) => rows[0]?.label === 'Finished');
  await clear(window, 'Data Transfer: Clear Finished Transfers', () => transfers.rows());
}

async function seeDatabases(window: EditorWindow, { databases }: PublicState): Promise<void> {
  const [{ name } = assert.fail('the service has databases')] = databases;
  await window.tree('Databases').see(name);
}
