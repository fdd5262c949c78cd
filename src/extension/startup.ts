import { commands, Uri, window, type ExtensionContext, type WebviewPanel } from 'vscode';
import { Explorer } from '../core/explorer.ts';
import { createStagingLookup } from '../core/model/staging.ts';
import type { Transfer } from '../core/model/transferModel.ts';
import { Estimates } from '../core/transfers/estimates.ts';
import { settlesWithin, systemClock as clock } from '../core/util/clock.ts';
import type { Lifetime } from '../core/util/lifetime.ts';
import { agentCommands, createToolCaller, startAgents } from './features/agents/agentsFeature.ts';
import { provideCommandLine } from './commandLine.ts';
import type { ProposedPlans } from './features/agents/proposedPlans.ts';
import { reopenLastConnection } from './features/connections/connectionPicker.ts';
import { syncConnections, syncLocalService } from './features/connections/connectionSync.ts';
import { watchStoreScans } from './features/connections/scanStore.ts';
import { watchRunningTransfers } from './features/connections/watchedTransfers.ts';
import { citationCommands } from './features/citations/citationsFeature.ts';
import { connectionCommands } from './features/connections/connectionsFeature.ts';
import { fileCommands } from './features/files/filesFeature.ts';
import { searchCommands } from './features/search/searchFeature.ts';
import { sharingCommands } from './features/sharing/sharingFeature.ts';
import { submissionCommands } from './features/submission/submissionFeature.ts';
import { transferCommands } from './features/transfers/transfersFeature.ts';
import { verificationCommands } from './features/verification/verificationFeature.ts';
import { LinkOpener } from './features/sharing/linkCommands.ts';
import type { CommandServices, EditorServices } from './features/services.ts';
import { locateTransferredFiles } from './features/verification/transferredFolders.ts';
import { CommandBoundary, runCommand } from './editor/commandBoundary.ts';
import { getConnectionName, getUserId, readNetworkSettings } from './editor/connectionFacts.ts';
import { watchContextKeys } from './editor/contextKeys.ts';
import {
  editorCommands,
  viewIds,
  type CommandId,
  type CommandTables,
  type panelTypes,
} from './editor/contributions.ts';
import type { LedgerLocation } from './editor/ledgerLocation.ts';
import type { ToolCall } from './editor/languageModelTools.ts';
import { localConnectionId } from './editor/machine.ts';
import { SavedSearches } from './editor/savedSearches.ts';
import { createEditorServices, getCoreServices } from './editorServices.ts';
import { LocalService } from './localService/localService.ts';
import { findSavedLocation, getServedLocations } from './localService/servedFolders.ts';
import { notifyRejectedKeys, notifyUnsavedRecords } from './features/connections/problemNotifications.ts';
import { TransferNotifications } from './features/transfers/transferNotifications.ts';
import { MetadataPanels } from './features/files/metadataPanel.ts';
import { TransferPanels } from './features/transfers/transferPanel.ts';
import { recipeCommands, startRecipes, type ActivationServices } from './features/recipes/recipesFeature.ts';
import type { SideBar } from './views/sideBar.ts';
import { StaleSearches } from './features/search/staleSearches.ts';
import { TransferStatusBar } from './features/transfers/transferStatusBar.ts';
import { TreeViews } from './views/treeViews.ts';
import { describeEstimate } from './words/transferWords.ts';

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
  /**
   * Runs a command with the arguments that the editor passes: a row or another argument, and all selected rows. Shows
   * failures to the user.
   */
  runCommand(id: CommandId, argument?: unknown, selection?: unknown): Promise<void>;
  /** Runs a tool for an agent. Resolves to the tool's answer as JSON. */
  callTool(call: ToolCall): Promise<string>;
  /** Opens a link after confirmation. Shows failures to the user. */
  openLink(uri: Uri): Promise<void>;
  /** Saves the latest changes to the searches. Resolves when they are on disk. */
  saveSearches(): Promise<void>;
  /** Functions that restore the pages that were open before the window reloaded. */
  readonly restorePage: Readonly<Record<keyof typeof panelTypes, (panel: WebviewPanel, state: unknown) => void>>;
  /** Services for tests inside the editor. */
  readonly services: CommandServices & Pick<Explorer, 'keys'>;
}

/** Starts the extension: creates its services and fills its views. Resolves when the running transfers are loaded. */
export async function startExtension(
  context: ExtensionContext,
  lifetime: Lifetime,
  { sideBar, recipeFiles, ledger }: ActivationServices,
): Promise<RunningExtension> {
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
  const statusBar = createStatusBar(lifetime, core, estimates);
  startNotifications(lifetime, core, editor);
  const pages = createPages(lifetime, context.extensionUri, core, editor, estimates, views);
  const services = { ...getCoreServices(core), ...editor, ...pages, ...agents, localService, views, statusBar };
  syncState(lifetime, services);
  lifetime.track(createStaleSearches(core, sideBar));
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
    restorePage: { metadata: pages.metadataPanels.restore, transfer: pages.transferPanels.restore },
    services,
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
    locations: () => getServedLocations(settings, serviceFolders, log),
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

function createStaleSearches({ searchStore: store, searchFlow, sessions }: Explorer, sideBar: SideBar): StaleSearches {
  return new StaleSearches({
    store,
    view: sideBar.searchResults.view,
    getSession: () => sessions.active,
    onDidChangeSession: sessions.onDidChange,
    refresh: (key) => searchFlow.refresh(key),
  });
}

/** Creates the trees of the Databases, Search Results and Transfers views. */
function createViews(
  sideBar: SideBar,
  core: Explorer,
  { settings }: EditorServices,
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
      estimate: (transfer) => formatEstimate(estimates, transfer),
    },
  });
}

function createStatusBar(
  lifetime: Lifetime,
  { transferStore, sessions, keys }: Explorer,
  estimates: Estimates,
): TransferStatusBar {
  const isConnected = (id: string): boolean => sessions.get(id) !== undefined;
  const statusBar = lifetime.track(
    new TransferStatusBar({
      store: transferStore,
      clock,
      isConnected,
      // Requests with a rejected key are retried only while the connection is open.
      keyRejection: (id) => (isConnected(id) ? keys.getRejection(id) : undefined),
      estimate: (transfer) => formatEstimate(estimates, transfer),
    }),
  );
  lifetime.track(sessions.onDidChange(() => statusBar.draw()));
  lifetime.track(keys.onDidChange(() => statusBar.draw()));
  return statusBar;
}

function formatEstimate(estimates: Estimates, transfer: Transfer): string | undefined {
  const estimate = estimates.getEstimate(transfer);
  return estimate && describeEstimate(estimate);
}

/** Starts notifying the user about transfers, rejected keys, and records that couldn't be saved. */
function startNotifications(lifetime: Lifetime, core: Explorer, { notifications, settings }: EditorServices): void {
  const { keys, sessions, transferStore, transferFlow, notificationClaims } = core;
  lifetime.track(notifyRejectedKeys(keys, notifications, (id) => getConnectionName({ settings, sessions }, id)));
  lifetime.track(
    new TransferNotifications({
      store: transferStore,
      notifications,
      clock,
      level: () => settings.notifications,
      isMine: ({ key }) => transferFlow.isOwn(key),
      claim: (name) => notificationClaims.claim(name),
      hasFocus: () => window.state.focused,
      showFiles: (key) => runCommand('dataTransfer.revealLandedFiles', { kind: 'transfer', key }),
      showProgress: (key) => runCommand('dataTransfer.showTransferProgress', { kind: 'transfer', key }),
      showTransfers: () => void commands.executeCommand(`${viewIds.transfers}.focus`),
      didStart: (key) => runCommand('dataTransfer.transferDidStart', { kind: 'transfer', key }),
      didNotStart: (key) => runCommand('dataTransfer.transferDidNotStart', { kind: 'transfer', key }),
    }),
  );
  lifetime.track(notifyUnsavedRecords(core.unsaved, notifications));
}

/** Creates the managers for the metadata and transfer pages. */
function createPages(
  lifetime: Lifetime,
  extensionUri: Uri,
  { connectFlow, copies, metadataFlow, searchStore, sessions, transferStore, transferFlow }: Explorer,
  editor: EditorServices,
  estimates: Estimates,
  views: TreeViews,
): Pick<CommandServices, 'metadataPanels' | 'transferPanels'> {
  const { log, verificationHistory } = editor;
  const locateFiles = (transfer: Transfer): ReturnType<typeof locateTransferredFiles> =>
    locateTransferredFiles({ ...editor, connectFlow, sessions }, transfer);
  const metadataPanels = new MetadataPanels({
    extensionUri,
    log,
    clock,
    run: runCommand,
    fetchFile: (file, signal) => metadataFlow.fetchFile(file, signal),
    getStaging: (file) => createStagingLookup(searchStore.getAll())(file),
    copies,
    isConnected: (id) => sessions.get(id) !== undefined,
    onDidConnect: sessions.onDidChange,
  });
  const transferPanels = new TransferPanels({
    extensionUri,
    log,
    clock,
    run: runCommand,
    transfers: transferStore,
    loadFinished: () => transferFlow.loadFinished(),
    getEstimate: (transfer) => estimates.getEstimate(transfer),
    reveal: views.revealTransfer,
    places: { locateFiles, verificationHistory },
  });
  return { metadataPanels: lifetime.track(metadataPanels), transferPanels: lifetime.track(transferPanels) };
}

/** Keeps context keys, connections and the local service up to date. Polls transfers when the window gains focus. */
function syncState(lifetime: Lifetime, services: CommandServices): void {
  lifetime.track(watchContextKeys(services));
  lifetime.track(syncLocalService(services));
  lifetime.track(watchStoreScans(services, clock));
  lifetime.track(syncConnections(services));
  lifetime.track(window.onDidChangeWindowState(({ focused }) => focused && services.monitor.pollNow()));
}
