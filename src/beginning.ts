import { l10n, Uri, window, type ExtensionContext } from 'vscode';
import { Explorer } from './core/explorer.ts';
import { systemClock as clock } from './core/util/clock.ts';
import type { Lifetime } from './core/util/lifetime.ts';
import type { Logger } from './core/util/logger.ts';
import { RecentTroubles } from './core/util/recentTroubles.ts';
import { RedactingLog } from './core/util/redactingLog.ts';
import { ApiKeys } from './host/apiKeys.ts';
import { extensionFacts } from './host/extensionFacts.ts';
import { LocalService } from './host/localService.ts';
import { Memory } from './host/memory.ts';
import { tellOfUnsaved } from './host/ledgerNotices.ts';
import { readNetworkSettings } from './host/networkSettings.ts';
import { Notices } from './host/notices.ts';
import { machineName } from './host/machine.ts';
import { servedFolders, servicePlaces } from './host/servedFolders.ts';
import { Settings } from './host/settings.ts';
import { StateFiles } from './host/stateFiles.ts';
import { WaitingRequests } from './host/waitingRequests.ts';
import type { Interaction } from './interaction.ts';
import { present } from './presentation.ts';
import type { SideBar } from './views/sideBar.ts';

/** What was built, and what can be done with it. */
export interface Beginning extends Pick<Interaction, 'runCommand' | 'bringBack'> {
  readonly parts: object;
}

/** Builds the parts in the order in which they need each other; resolves when the running transfers are known. */
export async function begin(context: ExtensionContext, lifetime: Lifetime, sideBar: SideBar): Promise<Beginning> {
  const { extensionUri, globalStorageUri, secrets } = context;
  const facts = extensionFacts(context.extension.packageJSON);
  const channel = lifetime.track(window.createOutputChannel(l10n.t('Data Transfer'), { log: true }));
  const troubles = new RecentTroubles(channel, clock);
  const log = new RedactingLog(troubles);
  const notices = new Notices();
  const settings = new Settings();
  const memory = openMemory(context, log);
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
      dialects: await memory.serverDialects(),
      keepDialects: (learned) => memory.keepServerDialects(learned),
      rememberConnection: (id) => memory.rememberConnection(id),
      searchability: await memory.searchability(),
      saveSearchability: (learned) => memory.saveSearchability(learned),
    }),
  );
  const places = servicePlaces(extensionUri, globalStorageUri, machineName);
  const localService = lifetime.track(
    new LocalService({
      program: Uri.joinPath(extensionUri, 'dist', 'service', 'main.cjs').fsPath,
      dataFolder: places.dataFolder,
      version: facts.version,
      clock,
      log,
      folders: () => servedFolders(settings, places, log),
      retentionDays: () => settings.retentionDays,
    }),
  );
  const markFolder = Uri.joinPath(globalStorageUri, 'saved-keys').fsPath;
  const apiKeys = lifetime.track(new ApiKeys({ secrets, markFolder, environment: process.env }));
  const kept = { apiKeys, memory, settings, servicePlaces: places, troubles, extension: facts };
  const parts = { ...coreParts(explorer), ...kept, notices, localService, waitingRequests: new WaitingRequests(clock) };
  const seen = { ...parts, sideBar, extensionUri, log, showLog: () => channel.show() };
  const { runCommand, bringBack, watchTransfers } = present(lifetime, seen);
  lifetime.track(tellOfUnsaved(explorer.unsaved, notices));
  await parts.transferFlow.resume();
  watchTransfers();
  return { parts, runCommand, bringBack };
}

function openMemory({ globalStorageUri, globalState }: ExtensionContext, log: Logger): Memory {
  const folder = Uri.joinPath(globalStorageUri, 'state').fsPath;
  return new Memory(new StateFiles({ folder, editorState: globalState, clock, log }));
}

/** What of the core is used by what a person sees. */
function coreParts(explorer: Explorer) {
  const { connectionStore, searchStore, parameterStore, transferStore, searchabilityStore } = explorer;
  const { sessions, keys, monitor, noticeClaims } = explorer;
  const { connectFlow, testParts, searchFlow, parameterFlow, metadataFlow, transferFlow, adoptFlow } = explorer;
  const stores = { connectionStore, searchStore, parameterStore, transferStore, searchabilityStore };
  const flows = { connectFlow, testParts, searchFlow, parameterFlow, metadataFlow, transferFlow, adoptFlow };
  return { ...stores, ...flows, sessions, keys, monitor, noticeClaims };
}
