import { l10n, Uri, window, type ExtensionContext } from 'vscode';
import { systemClock as clock } from '../core/util/clock.ts';
import type { Lifetime } from '../core/util/lifetime.ts';
import { createRedactingLog, RecentProblems } from '../core/util/logger.ts';
import type { EditorServices } from './features/services.ts';
import { ApiKeys } from './editor/apiKeys.ts';
import { showFailure } from './editor/commandBoundary.ts';
import type { CommandLinePaths } from './editor/commandLineFiles.ts';
import { Documents, MarkdownDraft } from './editor/documents.ts';
import { readExtensionFacts } from './editor/connectionFacts.ts';
import { machineName } from './editor/machine.ts';
import { Memory } from './editor/memory.ts';
import { Notifications } from './editor/notifications.ts';
import { Removals } from './editor/removals.ts';
import { Settings } from './editor/settings.ts';
import { StateFiles, VerificationHistory } from './editor/stateFiles.ts';
import { getServiceFolders } from './localService/servedFolders.ts';
import { WaitingRequests } from './features/transfers/waitingRequests.ts';

/** Creates the services on top of the editor's API. `ledgerFolder` is the folder with the transfer records. */
export function createEditorServices(
  context: ExtensionContext,
  lifetime: Lifetime,
  ledgerFolder: string,
): EditorServices {
  const { extensionUri, globalStorageUri, globalState, secrets } = context;
  const getFolder = (name: string): string => Uri.joinPath(globalStorageUri, name).fsPath;
  const channel = lifetime.track(window.createOutputChannel(l10n.t('Data Transfer'), { log: true }));
  const recentProblems = new RecentProblems(channel, clock);
  const log = createRedactingLog(recentProblems);
  const notifications: Notifications = new Notifications((label, error) =>
    showFailure({ log, notifications }, label, error),
  );
  const stateFiles = new StateFiles({ folder: getFolder('state'), editorState: globalState, clock, log });
  const markerFolder = getFolder('saved-keys');
  return {
    facts: readExtensionFacts(context.extension.packageJSON),
    log,
    recentProblems,
    notifications,
    removals: lifetime.track(new Removals(notifications)),
    settings: new Settings(),
    memory: new Memory(stateFiles),
    verificationHistory: new VerificationHistory(stateFiles),
    apiKeys: lifetime.track(new ApiKeys({ secrets, markerFolder, environment: process.env })),
    documents: lifetime.track(new Documents()),
    markdownDraft: lifetime.track(new MarkdownDraft(notifications)),
    waitingRequests: new WaitingRequests(clock),
    commandLinePaths: getCommandLinePaths(context, ledgerFolder),
    serviceFolders: getServiceFolders(extensionUri, globalStorageUri, machineName),
    showLog: () => channel.show(),
  };
}

function getCommandLinePaths(
  { extensionUri, globalStorageUri }: ExtensionContext,
  ledgerFolder: string,
): CommandLinePaths {
  return {
    folder: Uri.joinPath(globalStorageUri, 'cli', machineName).fsPath,
    program: Uri.joinPath(extensionUri, 'dist', 'cli', 'main.cjs').fsPath,
    ledgerFolder,
  };
}
