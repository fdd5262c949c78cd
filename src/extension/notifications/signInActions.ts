import { l10n } from 'vscode';
import type { Reason } from '../../core/model/reason.ts';
import { runCommand } from '../editor/commandBoundary.ts';
import type { ConnectionNode } from '../editor/contributions.ts';
import type { NotificationAction } from '../editor/notifications.ts';
import { getSignInRemedy } from '../words/signInWords.ts';

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
