import { commands, l10n } from 'vscode';
import type { Reason } from '../../core/model/reason.ts';
import { describeUnknownFiles } from '../../core/words/sharedSentences.ts';
import { CommandHint, createCommandAction, runCommand } from './commandBoundary.ts';
import { viewIds, type ConnectionNode, type TransferNode } from './contributions.ts';
import type { NotificationAction } from './notifications.ts';
import { getSignInRemedy } from '../words/reasonWords.ts';

/** Creates the button that starts a search. */
export function createSearchStep(): NotificationAction {
  return createCommandAction('dataTransfer.searchFiles');
}

/** Creates the button that moves the focus to the search results. */
export function createResultsStep(): NotificationAction {
  return { label: l10n.t('Show Search Results'), run: () => commands.executeCommand(`${viewIds.searchResults}.focus`) };
}

/** Creates the button that starts a transfer. */
export function createTransferStep(): NotificationAction {
  return createCommandAction('dataTransfer.transferFiles');
}

/** Creates the button that opens a transfer's page. */
export function createDetailsStep(key: string): NotificationAction {
  const node: TransferNode = { kind: 'transfer', key };
  return { label: l10n.t('Show Details'), run: () => runCommand('dataTransfer.showTransferProgress', node) };
}

/** Creates the button that connects to another service. */
export function createSwitchStep(): NotificationAction {
  return createCommandAction('dataTransfer.switchConnection');
}

/** Creates the button that connects to a new service. */
export function createConnectStep(): NotificationAction {
  return createCommandAction('dataTransfer.connect');
}

/** Creates the button that serves a folder with the local service. */
export function createServeStep(): NotificationAction {
  return { label: l10n.t('Serve a Folder…'), run: () => runCommand('dataTransfer.serveFolder') };
}

/** Creates the button that serves a store with the local service. */
export function createServeStoreStep(): NotificationAction {
  return { label: l10n.t('Serve a Store…'), run: () => runCommand('dataTransfer.serveStore') };
}

/** Creates the button that configures a store in rclone. */
export function createAddStoreStep(): NotificationAction {
  return createCommandAction('dataTransfer.addStore');
}

/** Creates the error for a command that needs the ID of a transfer without a known ID. */
export function createUnknownIdHint(key: string): CommandHint {
  return new CommandHint(l10n.t("The ID of this transfer isn't known."), createDetailsStep(key));
}

/** Creates the error for a command that needs the files of a transfer without known files. */
export function createUnknownFilesHint(key: string): CommandHint {
  return new CommandHint(describeUnknownFiles(l10n), createDetailsStep(key));
}

/** Creates the error for a command that needs a transfer that has ended. */
export function createUnfinishedHint(key: string): CommandHint {
  return new CommandHint(l10n.t("This transfer hasn't finished yet."), createDetailsStep(key));
}

/** Creates the error for a search when the service has no databases. */
export function createNoDatabasesHint(): CommandHint {
  return new CommandHint(l10n.t('The service has no databases to search.'), createSwitchStep());
}

/** Creates the error for a command that needs found files. */
export function createNoFilesHint(): CommandHint {
  return new CommandHint(l10n.t('No files yet. Run a search first.'), createSearchStep());
}

/** Creates the button that fixes a rejected sign-in. Returns an empty list if no command can fix it. */
export function createRemedyActions(reason: Reason | undefined, connectionId: string): readonly NotificationAction[] {
  const remedy = reason && getSignInRemedy(reason, connectionId);
  if (!remedy) return [];
  const { id, title, argument } = remedy;
  return [{ label: title, run: () => runCommand(id, argument) }];
}

/**
 * Creates the buttons for a rejected sign-in. Retry comes first, because the service may have been temporarily unable
 * to check the key (D28: retry rejected keys).
 */
export function createSignInActions(reason: Reason, connectionId: string): readonly NotificationAction[] {
  const node: ConnectionNode = { kind: 'connection', id: connectionId };
  const retry = { label: l10n.t('Retry'), run: () => runCommand('dataTransfer.refreshDatabases', node) };
  return [retry, ...createRemedyActions(reason, connectionId)];
}
