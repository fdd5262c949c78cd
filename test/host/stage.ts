import assert from 'node:assert/strict';
import { readdir, readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import {
  commands,
  ConfigurationTarget,
  extensions,
  window,
  workspace,
  type ExtensionContext,
  type Tab,
  type TreeItem,
  type WorkspaceConfiguration,
} from 'vscode';
import { getUserLedgerFolder } from '../../src/core/transfers/recordFolders.ts';
import type { Connection } from '../../src/core/model/connection.ts';
import type { Search } from '../../src/core/search/searchStore.ts';
import type { CommandArguments, CommandId, TransferNode } from '../../src/extension/editor/contributions.ts';
import { localConnectionId } from '../../src/extension/editor/machine.ts';
import type { RunningExtension } from '../../src/extension/startup.ts';
import type { SideBar } from '../../src/extension/views/sideBar.ts';
import { json } from '../support/faultBehaviors.ts';
import { publicLike, type PublicState } from '../support/faultPersonality.ts';
import { FaultServer } from '../support/faultServer.ts';
import { ScriptedWindow } from '../support/scriptedWindow.ts';
import { waitForScans } from '../support/waitForScans.ts';
import { until } from '../unit/core/rig.ts';
import { SharedConnection, sharedKey } from './sharedConnection.ts';

/** Services that the extension returns when it is under test. */
export type ExtensionParts = RunningExtension['services'] &
  Pick<RunningExtension, 'openLink'> & { readonly context: ExtensionContext; readonly sideBar: SideBar };

/** ID of the extension in the editor. */
export const extensionId = 'data-transfer-explorer.data-transfer-explorer';

/** A valid ORCID iD. */
export const orcid = '0000-0002-1825-0097';

/** The folder of transfer records that the extension uses. */
export const ledgerFolder = getUserLedgerFolder(process.env, process.platform);

/** The running extension with a scripted user and a server, in the state after a fresh installation. */
export class Stage {
  readonly parts: ExtensionParts;
  readonly person: ScriptedWindow;
  readonly server: FaultServer;
  private readonly publicState: PublicState | undefined;
  private otherServer: FaultServer | undefined;
  private keepsService = false;

  private constructor(parts: ExtensionParts, server: FaultServer, publicState?: PublicState) {
    this.parts = parts;
    this.server = server;
    this.publicState = publicState;
    this.person = new ScriptedWindow();
  }

  /** Opens a stage with the given ORCID iD in the settings, or with none. */
  static async open(orcidInSettings?: string): Promise<Stage> {
    const parts = await activated();
    await clear(parts);
    // The setting is kept between stages, because changing a setting is slow.
    const stage = new Stage(parts, await FaultServer.start());
    await stage.setOrcid(orcidInSettings);
    return stage;
  }

  /**
   * Opens a stage for a user whose ORCID iD is in the settings. Each changed setting takes the editor half a second of
   * processor time, so this suits every test that isn't about the prompt for the iD.
   */
  static openWithOrcid(): Promise<Stage> {
    return Stage.open(orcid);
  }

  /**
   * Opens a stage with two servers like the public one: {@link server}, with the key `the-key`, and {@link other}, with
   * the name `Other Service` and the key `other-key`.
   */
  static async openWithOther(orcidInSettings?: string): Promise<Stage> {
    const stage = await Stage.open(orcidInSettings);
    publicLike(stage.server, 'the-key');
    stage.otherServer = await FaultServer.start();
    publicLike(stage.otherServer, 'other-key');
    stage.otherServer.on('GET /', json({ name: 'Other Service', version: '2.0' }));
    return stage;
  }

  /**
   * Opens a stage for a user with an ORCID iD whose local service, once started, continues to run until a stage of
   * another kind is opened. For tests that are about neither the start nor the end of the service.
   */
  static async openWithService(): Promise<Stage> {
    const parts = await activated();
    await clear(parts, { service: true });
    const stage = new Stage(parts, await FaultServer.start());
    stage.keepsService = true;
    await stage.setOrcid(orcid);
    return stage;
  }

  /**
   * Opens a stage for a user with an ORCID iD who has reopened a saved connection to a server like the public one, whose
   * state is {@link service}. All such stages share the server and the connection.
   */
  static async openConnected(): Promise<Stage> {
    const parts = await activated();
    const shared = await SharedConnection.prepare();
    const saved = (await shared.find(parts)) ?? (await Stage.saveShared(shared));
    await clear(parts, { connection: saved });
    await shared.forget(parts);
    const stage = new Stage(parts, shared.server, publicLike(shared.server, sharedKey));
    await stage.setOrcid(orcid);
    await stage.run('dataTransfer.switchConnection', { kind: 'connection', id: saved.id });
    assert.equal(parts.connectionStore.state.kind, 'connected');
    return stage;
  }

  /** Saves the shared connection as a user would. */
  private static async saveShared(shared: SharedConnection): Promise<Connection> {
    const stage = await Stage.openWithOrcid();
    publicLike(shared.server, sharedKey);
    await stage.connect(sharedKey, shared.server);
    const saved = shared.save(stage.parts);
    stage.person.restore();
    await stage.server.stop();
    await shared.server.reset();
    return saved;
  }

  async close(): Promise<void> {
    this.person.restore();
    const shared = this.publicState && (await SharedConnection.prepare());
    await clear(this.parts, { connection: await shared?.find(this.parts), service: this.keepsService });
    if (!shared) await this.server.stop();
    await this.otherServer?.stop();
  }

  /** The second server of a stage that was opened with one. */
  get other(): FaultServer {
    assert.ok(this.otherServer, 'the stage was opened with another server');
    return this.otherServer;
  }

  /** The state of the server of a connected stage. */
  get service(): PublicState {
    assert.ok(this.publicState, 'the stage was opened as a connected one');
    return this.publicState;
  }

  /** Runs a command as a row or the Command Palette would. Resolves when the command has finished. */
  readonly run = async <I extends CommandId>(id: I, argument?: CommandArguments[I]): Promise<void> => {
    await commands.executeCommand(id, argument);
  };

  /** Runs the command of a row, as a click would. */
  readonly click = async ({ command }: TreeItem): Promise<void> => {
    assert.ok(command, 'the row has a command');
    await commands.executeCommand(command.command, ...((command.arguments ?? []) as unknown[]));
  };

  /** The settings of the extension. */
  get settings(): WorkspaceConfiguration {
    return workspace.getConfiguration('dataTransfer');
  }

  /** The row of the newest transfer. */
  get firstTransfer(): TransferNode {
    const [newest] = this.parts.transferStore.getAll();
    assert.ok(newest, 'there is a transfer');
    return { kind: 'transfer', key: newest.key };
  }

  /** Connects to a server through the prompts; the default is the stage's own server. */
  async connect(key: string, server = this.server): Promise<void> {
    const { person } = this;
    const done = this.run('dataTransfer.connect');
    (await person.textBox()).enter(server.address);
    (await person.textBox()).enter(key);
    if (this.parts.settings.orcid === '') (await person.textBox()).enter(orcid);
    await done;
    await person.notice(/^Connected to /);
  }

  /** Makes the server behave like the public one, and then connects to it. Resolves to the service's state. */
  async connectToPublic(): Promise<PublicState> {
    const service = publicLike(this.server, 'the-key');
    await this.connect('the-key');
    return service;
  }

  /**
   * Starts a search from the row of a database and completes its prompts. Resolves to the search. If the local service is
   * running, first waits until it has scanned its folders.
   */
  async search(database: string, query: string): Promise<Search> {
    const { localService } = this.parts;
    if (localService.isRunning) await waitForScans(await localService.start());
    const done = this.run('dataTransfer.searchFiles', { kind: 'database', name: database });
    (await this.person.textBox()).enter(query);
    await done;
    const [search] = this.parts.searchStore.getAll();
    assert.ok(search, 'there is a search');
    return search;
  }

  /** Resolves when the searches, newest first, meet a condition. */
  async searchesUntil(isSo: (searches: readonly Search[]) => boolean): Promise<void> {
    const { searchStore } = this.parts;
    if (isSo(searchStore.getAll())) return;
    await new Promise<void>((resolve) => {
      const subscription = searchStore.onDidChange(() => {
        if (!isSo(searchStore.getAll())) return;
        subscription.dispose();
        resolve();
      });
    });
  }

  /** Checks and transfers all files of all searches. Resolves when the service has responded. */
  async transferAll(destination: string): Promise<void> {
    const { person, parts } = this;
    for (const { key, files } of parts.searchStore.getAll()) {
      const readable = files.filter((file) => file.kind === 'file');
      parts.searchStore.setChecked(key, readable, true);
    }
    const done = this.run('dataTransfer.transferCheckedFiles');
    (await person.pick()).choose(destination);
    (await person.pick()).choose('Continue');
    const summary = await person.notice(/^Transfer .* to .*\?$/);
    assert.equal(summary.isModal, true);
    summary.press('Transfer');
    await done;
  }

  /** Sets the status of every transfer on the service and waits until the extension shows it. */
  async moveOn(service: PublicState, status: string, message?: string): Promise<void> {
    for (const transfer of service.transfers.values()) {
      transfer.status = status;
      if (status === 'succeeded') transfer.num_files_transferred = transfer.num_files;
      if (message !== undefined) transfer.message = message;
    }
    const { transferStore, monitor } = this.parts;
    const runningKeys = transferStore.getRunning().map(({ key }) => key);
    monitor.pollNow();
    await until(transferStore.onDidChange, () =>
      runningKeys.every((key) => transferStore.get(key)?.status?.status === status),
    );
  }

  /** Resolves when a transfer with the given key is in the list. */
  async transferHere(key: string): Promise<void> {
    const { transferStore } = this.parts;
    await until(transferStore.onDidChange, () => transferStore.get(key) !== undefined);
  }

  private async setOrcid(value: string | undefined): Promise<void> {
    if (this.settings.inspect('orcid')?.globalValue === value) return;
    await this.settings.update('orcid', value, ConfigurationTarget.Global);
  }

  /** Resolves to the tab with the given title, or with one that matches a pattern, once it is open. */
  async tab(title: string | RegExp): Promise<Tab> {
    const isRight = ({ label }: Tab): boolean => (typeof title === 'string' ? label === title : title.test(label));
    const found = (): Tab | undefined => window.tabGroups.all.flatMap(({ tabs }) => tabs).find(isRight);
    return (
      found() ??
      (await new Promise<Tab>((resolve) => {
        const subscription = window.tabGroups.onDidChangeTabs(() => {
          const tab = found();
          if (!tab) return;
          subscription.dispose();
          resolve(tab);
        });
      }))
    );
  }

  /** Closes all open tabs. */
  async closePages(): Promise<void> {
    await closePages();
  }
}

/** Closes all open tabs. */
export async function closePages(): Promise<void> {
  await window.tabGroups.close(window.tabGroups.all.flatMap(({ tabs }) => tabs));
}

/** Resolves to the names of all secrets of the extension. Rejects if the editor is too old to list them. */
export async function keysOfSecrets({ secrets }: ExtensionContext): Promise<readonly string[]> {
  const { keys } = secrets as { keys?: () => Thenable<string[]> };
  assert.ok(keys, 'this editor can list secrets');
  return await keys.call(secrets);
}

/** Resolves to the contents of the extension's state files, by file name. */
export async function readEditorState({ globalStorageUri }: ExtensionContext): Promise<Record<string, unknown>> {
  const folder = join(globalStorageUri.fsPath, 'state');
  const names = (await readdir(folder).catch(() => [])).filter((name) => name.endsWith('.json'));
  const values = names.map(
    async (name) => [name, JSON.parse(await readFile(join(folder, name), 'utf8')) as unknown] as const,
  );
  return Object.fromEntries(await Promise.all(values));
}

async function activated(): Promise<ExtensionParts> {
  const extension = extensions.getExtension<ExtensionParts>(extensionId);
  assert.ok(extension, 'the extension is installed');
  return await extension.activate();
}

/** Things that stay for the next stage: a saved connection with its key, and the local service if it is running. */
interface Kept {
  readonly connection?: Connection | undefined;
  readonly service?: boolean;
}

/** Removes everything that a test may have left behind, except for the ORCID iD in the settings and what is kept. */
async function clear(parts: ExtensionParts, kept: Kept = {}): Promise<void> {
  const { connectFlow, sessions, settings, apiKeys, searchFlow, searchStore, context, localService } = parts;
  connectFlow.disconnect();
  for (const { id } of settings.connections) sessions.close(id);
  const idsOfKeys = (await keysOfSecrets(context)).map((name) => name.replace('dataTransfer.apiKey.', ''));
  for (const id of idsOfKeys.filter((one) => one !== kept.connection?.id)) await apiKeys.forget(id);
  parts.removals.dispose();
  parts.matchPanels['newest'] = undefined;
  sessions.close(localConnectionId);
  if (!kept.service) await localService.stop();
  searchFlow.dismiss(searchStore.getAll().map(({ key }) => key));
  await parts.transferFlow.loadFinished();
  await parts.transferFlow.forget(parts.transferStore.getAll().map(({ key }) => key));
  // The ledger ignores new records under a removed key, but tests reuse their keys.
  await rm(join(ledgerFolder, 'removed'), { recursive: true, force: true });
  await rm(join(context.globalStorageUri.fsPath, 'state'), {
    recursive: true,
    force: true,
    maxRetries: 10,
    retryDelay: 20,
  });
  for (const key of context.globalState.keys()) await context.globalState.update(key, undefined);
  const configuration = workspace.getConfiguration('dataTransfer');
  for (const key of ['connections', 'notifications', 'search.pageSize', 'localService.databases']) {
    if (configuration.inspect(key)?.globalValue === undefined || (kept.connection && key === 'connections')) continue;
    await configuration.update(key, undefined, ConfigurationTarget.Global);
  }
}
