import { ExtensionMode, Uri, window, type ExtensionContext } from 'vscode';
import { reopenForTransfers } from './commands/connections.ts';
import { Explorer } from './core/explorer.ts';
import { systemClock as clock } from './core/util/clock.ts';
import { Lifetime } from './core/util/lifetime.ts';
import { RedactingLog } from './core/util/redactingLog.ts';
import { ApiKeys } from './host/apiKeys.ts';
import { LocalService } from './host/localService.ts';
import { Memory } from './host/memory.ts';
import { tellOfUnsaved } from './host/ledgerNotices.ts';
import { readNetworkSettings } from './host/networkSettings.ts';
import { Notices } from './host/notices.ts';
import { machineName } from './host/machine.ts';
import { servedFolders, servicePlaces } from './host/servedFolders.ts';
import { Settings } from './host/settings.ts';
import { present } from './presentation.ts';

/** Builds the parts in the order in which they need each other. Under test they are returned, to be looked at. */
export async function activate(context: ExtensionContext): Promise<unknown> {
  const { extensionUri, globalStorageUri, globalState, secrets, subscriptions } = context;
  const lifetime = new Lifetime();
  subscriptions.push(lifetime);
  const channel = lifetime.track(window.createOutputChannel('Data Transfer', { log: true }));
  const log = new RedactingLog(channel);
  const notices = new Notices();
  const settings = new Settings();
  const memory = new Memory(globalState);
  const explorer = lifetime.track(
    new Explorer({
      log,
      clock,
      ledgerFolder: Uri.joinPath(globalStorageUri, 'transfers').fsPath,
      orcid: () => settings.orcid,
      timeoutSeconds: () => settings.submitTimeoutSeconds,
      shortestMs: () => settings.shortestIntervalMs,
      hasFocus: () => window.state.focused,
      network: readNetworkSettings,
      fetch: async (address, init) => await globalThis.fetch(address, init),
      dialects: memory.serverDialects,
      keepDialects: (learned) => memory.keepServerDialects(learned),
    }),
  );
  const places = servicePlaces(extensionUri, globalStorageUri, machineName);
  const localService = lifetime.track(
    new LocalService({
      program: Uri.joinPath(extensionUri, 'dist', 'service', 'main.cjs').fsPath,
      dataFolder: places.dataFolder,
      version: (context.extension.packageJSON as { readonly version: string }).version,
      clock,
      log,
      folders: () => servedFolders(settings, places, log),
      retentionDays: () => settings.retentionDays,
    }),
  );
  const { connectionStore, searchStore, parameterStore, transferStore, sessions, monitor, noticeClaims } = explorer;
  const { connectFlow, connectionTest, searchFlow, parameterFlow, metadataFlow, transferFlow, adoptFlow, keys } =
    explorer;
  const asking = { connectFlow, connectionTest, searchFlow, parameterFlow, metadataFlow };
  const flows = { ...asking, adoptFlow, transferFlow, monitor, keys };
  const kept = { apiKeys: new ApiKeys(secrets), memory, settings, servicePlaces: places };
  const stores = { connectionStore, searchStore, parameterStore, transferStore };
  const parts = { ...stores, sessions, notices, noticeClaims, localService, ...flows, ...kept };
  present(lifetime, { ...parts, extensionUri, log, showLog: () => channel.show() });
  lifetime.track(tellOfUnsaved(explorer.unsaved, notices));
  await transferFlow.resume();
  void reopenForTransfers(parts, transferStore.running());
  return context.extensionMode === ExtensionMode.Test ? { ...parts, context } : undefined;
}
