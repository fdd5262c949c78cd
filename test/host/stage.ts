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
import type { Search } from '../../src/core/store/searchStore.ts';
import type { CommandArguments, CommandId, TransferNode } from '../../src/extension/editor/contributions.ts';
import { localConnectionId } from '../../src/extension/editor/machine.ts';
import type { RunningExtension } from '../../src/extension/startup.ts';
import type { PublicState } from '../support/faultPersonality.ts';
import { FaultServer } from '../support/faultServer.ts';
import { ScriptedWindow } from '../support/scriptedWindow.ts';
import { until } from '../unit/core/rig.ts';

/** Services that the extension returns when it runs under test. */
export type ExtensionParts = RunningExtension['services'] & { readonly context: ExtensionContext };

/** Id of the extension, as the editor knows it. */
export const extensionId = 'data-transfer-explorer.data-transfer-explorer';

/** A right ORCID iD. */
export const orcid = '0000-0002-1825-0097';

/** The extension as it runs, a person in front of it, and a server; all as on the first day. */
export class Stage {
  readonly parts: ExtensionParts;
  readonly person: ScriptedWindow;
  readonly server: FaultServer;

  private constructor(parts: ExtensionParts, server: FaultServer) {
    this.parts = parts;
    this.server = server;
    this.person = new ScriptedWindow();
  }

  static async open(orcidInSettings?: string): Promise<Stage> {
    const parts = await activated();
    await clear(parts);
    // It stays from one stage to the next, because a setting is slow to change.
    const stage = new Stage(parts, await FaultServer.start());
    if (stage.settings.inspect('orcid')?.globalValue !== orcidInSettings)
      await stage.settings.update('orcid', orcidInSettings, ConfigurationTarget.Global);
    return stage;
  }

  /** Opens a stage for a person whose ORCID iD is in the settings. */
  static openWithOrcid(): Promise<Stage> {
    return Stage.open(orcid);
  }

  async close(): Promise<void> {
    this.person.restore();
    await clear(this.parts);
    await this.server.stop();
  }

  /** Runs a command as a row or the palette does; resolves when it is through. */
  readonly run = async <I extends CommandId>(id: I, argument?: CommandArguments[I]): Promise<void> => {
    await commands.executeCommand(id, argument);
  };

  /** Runs the command of a row, as a click on it does. */
  readonly click = async ({ command }: TreeItem): Promise<void> => {
    assert.ok(command, 'the row has a command');
    await commands.executeCommand(command.command, ...((command.arguments ?? []) as unknown[]));
  };

  /** The settings of the extension, to read and to change. */
  get settings(): WorkspaceConfiguration {
    return workspace.getConfiguration('dataTransfer');
  }

  /** The row of the newest transfer. */
  get firstTransfer(): TransferNode {
    const [newest] = this.parts.transferStore.getAll();
    assert.ok(newest, 'there is a transfer');
    return { kind: 'transfer', key: newest.key };
  }

  /** Connects to the server of this stage, as a person does. */
  async connect(key: string): Promise<void> {
    const { person, server } = this;
    const done = this.run('dataTransfer.connect');
    (await person.textBox()).enter(server.address);
    (await person.textBox()).enter(key);
    (await person.textBox()).enter(orcid);
    await done;
    await person.notice(/^Connected to /);
  }

  /** Searches a database from its row, as a person does. */
  async search(database: string, query: string): Promise<Search> {
    const done = this.run('dataTransfer.searchFiles', { kind: 'database', name: database });
    (await this.person.textBox()).enter(query);
    await done;
    const [search] = this.parts.searchStore.getAll();
    assert.ok(search, 'there is a search');
    return search;
  }

  /** Resolves when the searches are so, newest first. */
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

  /** Checks every file that the searches found, and transfers them. Resolves when the service has answered. */
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

  /** Moves every transfer of the service on, and waits until the editor has seen it. */
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

  /** Resolves when a transfer with this key is in the list. */
  async transferHere(key: string): Promise<void> {
    const { transferStore } = this.parts;
    await until(transferStore.onDidChange, () => transferStore.get(key) !== undefined);
  }

  /** Resolves to the tab with this title, once it is there. */
  async tab(title: string): Promise<Tab> {
    const found = (): Tab | undefined =>
      window.tabGroups.all.flatMap(({ tabs }) => tabs).find(({ label }) => label === title);
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

  /** Closes the pages that the commands have opened. */
  async closePages(): Promise<void> {
    await window.tabGroups.close(window.tabGroups.all.flatMap(({ tabs }) => tabs));
  }
}

/** The names of all secrets of the extension; newer editors than the oldest supported one can tell them. */
export async function keysOfSecrets({ secrets }: ExtensionContext): Promise<readonly string[]> {
  const { keys } = secrets as { keys?: () => Thenable<string[]> };
  assert.ok(keys, 'this editor lists its secrets');
  return await keys.call(secrets);
}

/** Returns what the extension has stored in its state files, by their names. */
export async function stateOf({ globalStorageUri }: ExtensionContext): Promise<Record<string, unknown>> {
  const folder = join(globalStorageUri.fsPath, 'state');
  const names = (await readdir(folder).catch(() => [])).filter((name) => name.endsWith('.json'));
  const values = names.map(
    async (name) => [name, JSON.parse(await readFile(join(folder, name), 'utf8')) as unknown] as const,
  );
  return Object.fromEntries(await Promise.all(values));
}

async function activated(): Promise<ExtensionParts> {
  const extension = extensions.getExtension<ExtensionParts>(extensionId);
  assert.ok(extension, 'the extension is there');
  return await extension.activate();
}

/** Takes back everything that a test may have left, and waits until it is gone. */
async function clear(parts: ExtensionParts): Promise<void> {
  const { connectFlow, sessions, settings, apiKeys, searchFlow, searchStore, context, localService } = parts;
  connectFlow.disconnect();
  for (const { id } of settings.connections) sessions.close(id);
  for (const name of await keysOfSecrets(context)) await apiKeys.forget(name.replace('dataTransfer.apiKey.', ''));
  sessions.close(localConnectionId);
  await localService.stop();
  searchFlow.dismiss(searchStore.getAll().map(({ key }) => key));
  await parts.transferFlow.loadFinished();
  await parts.transferFlow.forget(parts.transferStore.getAll().map(({ key }) => key));
  // What was removed is not written again; the tests use their keys again.
  const records = join(context.globalStorageUri.fsPath, 'transfers');
  await rm(join(records, 'removed'), { recursive: true, force: true });
  await rm(join(context.globalStorageUri.fsPath, 'state'), {
    recursive: true,
    force: true,
    maxRetries: 10,
    retryDelay: 20,
  });
  for (const key of context.globalState.keys()) await context.globalState.update(key, undefined);
  const configuration = workspace.getConfiguration('dataTransfer');
  for (const key of ['connections', 'notifications', 'search.pageSize', 'localService.databases']) {
    if (configuration.inspect(key)?.globalValue === undefined) continue;
    await configuration.update(key, undefined, ConfigurationTarget.Global);
  }
}
