import { l10n } from 'vscode';
import type { Reason } from '../core/model/reason.ts';
import { runCommand } from './commandBoundary.ts';
import type { ConnectionNode } from './contributions.ts';
import type { NoticeAction } from './notices.ts';
import { signInRemedy } from './signInWords.ts';

/** Returns {@link signInRemedy} as buttons of a notice. */
export function remedyActions(reason: Reason | undefined, connectionId: string): readonly NoticeAction[] {
  const remedy = reason && signInRemedy(reason, connectionId);
  if (!remedy) return [];
  const { id, title, argument } = remedy;
  return [{ label: title, run: () => runCommand(id, argument) }];
}

/**
 * Returns the buttons for a connection whose sign-in is rejected. Trying again comes first: the service may only have
 * been unable to check the key (D28).
 */
export function signInActions(reason: Reason, connectionId: string): readonly NoticeAction[] {
  const node: ConnectionNode = { kind: 'connection', id: connectionId };
  const again = { label: l10n.t('Try Again'), run: () => runCommand('dataTransfer.refreshDatabases', node) };
  return [again, ...remedyActions(reason, connectionId)];
}
