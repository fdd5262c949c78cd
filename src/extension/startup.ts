import { Uri, window, type ExtensionContext, type WebviewPanel } from 'vscode';
import { Explorer } from '../core/explorer.ts';
import { Estimates } from '../core/transfers/estimates.ts';
import { settlesWithin, systemClock as clock } from '../core/util/clock.ts';
import type { Lifetime } from '../core/util/lifetime.ts';
import { agentCommands, createToolCaller, startAgents } from './features/agents/agentsFeature.ts';
import { provideCommandLine } from './commandLine.ts';
import type { ProposedPlans } from './features/agents/proposedPlans.ts';
import { reopenLastConnection } from './features/connections/connectionPicker.ts';
import { watchRunningTransfers } from './features/connections/connectionSync.ts';
import { citationCommands } from './features/citations/citationsFeature.ts';
import { connectionCommands, startConnections } from './features/connections/connectionsFeature.ts';
import { fileCommands, startFiles } from './features/files/filesFeature.ts';
import { TabFiles } from './features/files/tabFiles.ts';
import { createMatches, createTables, searchCommands, startSearch } from './features/search/searchFeature.ts';
import { sharingCommands } from './features/sharing/sharingFeature.ts';
import { submissionCommands } from './features/submission/submissionFeature.ts';
import { startTransfers, transferCommands } from './features/transfers/transfersFeature.ts';
import { createReports, verificationCommands } from './features/verification/verificationFeature.ts';
import { LinkOpener } from './features/sharing/linkCommands.ts';
import type { CommandServices, EditorServices } from './features/services.ts';
import { CommandBoundary } from './editor/commandBoundary.ts';
import { getConnectionName, getUserId, readNetworkSettings } from './editor/connectionFacts.ts';
import { watchContextKeys } from './editor/contextKeys.ts';
import { editorCommands, type CommandId, type CommandTables, type panelTypes } from './editor/contributions.ts';
import type { LedgerLocation } from './editor/ledgerLocation.ts';
import type { ToolCall } from './editor/languageModelTools.ts';
import { localConnectionId } from './editor/machine.ts';
import type { RemoteFileReader } from './editor/remoteFileProvider.ts';
import { SavedSearches } from './editor/savedSearches.ts';
import { createEditorServices } from './editorServices.ts';
import { LocalService } from './localService/localService.ts';
import { findSavedLocation, getServedLocations } from './localService/servedFolders.ts';
import { recipeCommands, startRecipes, type ActivationServices } from './features/recipes/recipesFeature.ts';
import type { SideBar } from './views/sideBar.ts';
import { TreeViews } from './views/treeViews.ts';

/** The commands of all features. */
export const commandTables = {
  editor: editorCommands,
  agents: agentCommands,
  citations: citationCommands,
  connections: connectionCommands,
  files: fileCommands,
  recipes: recipeCommands,
  search: searchCommands,
  sharing: sharingCommands,
  submission: submissionCommands,
  transfers: transferCommands,
  verification: verificationCommands,
} satisfies CommandTables;

/** The running extension. */
export interface RunningExtension {
  /** Runs a command with the editor's arguments: a row or other argument, and all selected rows. Shows failures. */
  runCommand(id: CommandId, argument?: unknown, selection?: unknown): Promise<void>;
  /** Runs a tool for an agent. Resolves to the tool's answer as JSON. */
  callTool(call: ToolCall): Promise<string>;
  /** Opens a link after confirmation. Shows failures to the user. */
  openLink(uri: Uri): Promise<void>;
  /** Saves the latest changes to the searches. Resolves when they are on disk. */
  saveSearches(): Promise<void>;
  /** Functions that restore the pages that were open before the window reloaded. */
  readonly restorePage: Readonly<
    Record<keyof typeof panelTypes, (panel: WebviewPanel, state: unknown) => void | Promise<void>>
  >;
  /** Reads files that the editor shows without a transfer. */
  readonly remoteFileReader: RemoteFileReader;
  /** Services for tests inside the editor. */
  readonly services: CommandServices & Pick<Explorer, 'keys' | 'unsaved'>;
}

/** Starts the extension: creates its services and fills its views. Resolves when the running transfers are loaded. */
export async function startExtension(
  context: ExtensionContext,
  lifetime: Lifetime,
  { sideBar, recipeFiles, ledger }: ActivationServices,
): Promise<RunningExtension> {
  const { extensionUri } = context;
  const place = await ledger;
  const editor = createEditorServices(context, lifetime, place.folder);
  place.log.writeTo(editor.log);
  const core = lifetime.track(await createCore(place, editor));
  lifetime.track(provideCommandLine(context, editor, place));
  const localService = lifetime.track(createLocalService(context, editor));
  const estimates = lifetime.track(createEstimates(core));
  const savedSearches = lifetime.track(createSavedSearches(context, core, editor));
  // The views appear once the saved searches are restored, but don't wait for an unresponsive disk.
  await settlesWithin(clock, maxRestoreMs, savedSearches.restore());
  const agents = startAgents(lifetime, core, editor);
  const views = lifetime.track(createViews(sideBar, core, editor, estimates, agents.proposedPlans));
  const transfers = startTransfers(lifetime, core, editor, { extensionUri, estimates, views });
  const files = startFiles(lifetime, core, editor, extensionUri);
  const tables = createTablePanels(lifetime, core, editor, extensionUri);
  const own = { ...editor, ...agents, ...transfers, ...files, ...tables, localService, views };
  const services: RunningExtension['services'] = Object.assign(own, core);
  lifetime.track(watchContextKeys(services));
  startConnections(lifetime, services);
  startSearch(lifetime, core, sideBar);
  startRecipes(lifetime, services, { sideBar, recipeFiles });
  views.onFirstUse(() => reopenLastConnection(services));
  await core.transferFlow.resume();
  lifetime.track(watchRunningTransfers(services));
  const boundary = new CommandBoundary(commandTables, services);
  const links = new LinkOpener(services);
  return {
    runCommand: boundary.perform,
    callTool: createToolCaller(services),
    openLink: (uri) => boundary.run('link', () => links.open(uri)),
    saveSearches: () => savedSearches.flush(),
    restorePage: {
      metadata: files.metadataPanels.restore,
      match: tables.matchPanels.restore,
      table: tables.tablePanels.restore,
      transfer: transfers.transferPanels.restore,
      verification: tables.verificationPanels.restore,
    },
    remoteFileReader: lifetime.track(new TabFiles(services)),
    services,
  };
}

function createTablePanels(lifetime: Lifetime, core: Explorer, editor: EditorServices, extensionUri: Uri) {
  return {
    matchPanels: lifetime.track(createMatches(core, editor, extensionUri)),
    tablePanels: lifetime.track(createTables(core, editor, extensionUri)),
    verificationPanels: lifetime.track(createReports(editor, extensionUri)),
  };
}

async function createCore(
  { folder: ledgerFolder, alias }: LedgerLocation,
  { log, settings, memory }: EditorServices,
): Promise<Explorer> {
  return new Explorer({
    log,
    clock,
    ledgerFolder,
    alias,
    getOrcid: (connectionId) => getUserId(settings, connectionId),
    getTimeoutSeconds: () => settings.submitTimeoutSeconds,
    getMinIntervalMs: () => settings.shortestIntervalMs,
    hasFocus: () => window.state.focused,
    getNetworkSettings: readNetworkSettings,
    fetch: async (address, init) => await globalThis.fetch(address, init),
    savedDialects: await memory.getServerDialects(),
    saveDialects: (learned) => memory.saveServerDialects(learned),
    rememberConnection: (id) => memory.rememberConnection(id),
    savedSearchability: await memory.getSearchability(),
    saveSearchability: (learned) => memory.saveSearchability(learned),
  });
}

function createLocalService(
  { extensionUri }: ExtensionContext,
  { facts, log, settings, serviceFolders }: EditorServices,
): LocalService {
  return new LocalService({
    program: Uri.joinPath(extensionUri, 'dist', 'lib', 'service.js').fsPath,
    dataFolder: serviceFolders.dataFolder,
    version: facts.version,
    clock,
    log,
    getTerms: async () => ({
      databases: await getServedLocations(settings, serviceFolders, log),
      cluster: settings.cluster,
    }),
    getConfig: () => ({
      retentionDays: settings.retentionDays,
      rclone: settings.rclonePath,
      storeBytesPerSecond: settings.storeBytesPerSecond,
    }),
  });
}

function createEstimates({ transferStore, transferFlow }: Explorer): Estimates {
  return new Estimates({ store: transferStore, clock, loadFinished: () => transferFlow.loadFinished() });
}

/** Maximum time in milliseconds to wait for the saved searches. */
const maxRestoreMs = 2000;

/** Creates the store of saved searches. Each workspace has its own, and windows without a folder share one. */
function createSavedSearches(
  { storageUri, globalStorageUri }: ExtensionContext,
  { searchStore: store }: Explorer,
  { log }: EditorServices,
): SavedSearches {
  const folder = Uri.joinPath(storageUri ?? globalStorageUri, 'searches').fsPath;
  return new SavedSearches({ folder, store, clock, log });
}

function createViews(
  sideBar: SideBar,
  core: Explorer,
  { settings, verificationHistory }: EditorServices,
  estimates: Estimates,
  plans: ProposedPlans,
): TreeViews {
  const { connectionStore, searchStore, transferStore, parameterFlow, transferFlow, sessions } = core;
  // A remote service may report the address of a local folder; only the local service is trusted.
  const isSaved = (url: string): boolean =>
    sessions.active?.connection.id === localConnectionId && findSavedLocation(settings, url) !== undefined;
  return new TreeViews(sideBar, {
    databases: {
      store: connectionStore,
      parameters: core.parameterStore,
      searchability: core.searchabilityStore,
      loadParameters: (name) => parameterFlow.load(name),
      isSaved,
    },
    searchStore,
    copies: core.copies,
    getConnectionName: (id) => getConnectionName({ settings, sessions }, id),
    transfers: {
      store: transferStore,
      plans,
      clock,
      loadFinished: () => transferFlow.loadFinished(),
      loadLastFinished: () => transferFlow.loadLastFinished(),
      estimate: (transfer) => estimates.getEstimate(transfer),
      verifications: verificationHistory,
    },
  });
}
