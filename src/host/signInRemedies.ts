import { l10n } from 'vscode';
import type { Reason } from '../core/model/reason.ts';
import { runCommand } from './commandBoundary.ts';
import type { ConnectionNode } from './contributions.ts';
import { localConnectionId } from './machine.ts';
import type { NoticeAction } from './notices.ts';
import { isSignInRejected } from './signInWords.ts';

/** A command that helps against a rejected sign-in, besides trying again. */
export interface SignInRemedy {
  readonly id: 'dataTransfer.setOrcid' | 'dataTransfer.setApiKey';
  readonly title: string;
  readonly look: 'orcid' | 'key';
  readonly argument?: ConnectionNode;
}

/** Returns the command that fits why a sign-in was rejected (D44); none where only trying again helps. */
export function signInRemedy(reason: Reason, connectionId: string): SignInRemedy | undefined {
  if (!isSignInRejected(reason) || reason.signIn === 'outage') return undefined;
  if (reason.signIn === 'orcid') return { id: 'dataTransfer.setOrcid', title: l10n.t('Set ORCID iD…'), look: 'orcid' };
  // The local service makes its own key.
  return connectionId === localConnectionId ? undefined : setKeyRemedy(connectionId);
}

/** Returns the command that sets the key of a connection. */
export function setKeyRemedy(connectionId: string): SignInRemedy {
  const argument: ConnectionNode = { kind: 'connection', id: connectionId };
  return { id: 'dataTransfer.setApiKey', title: l10n.t('Set API Key…'), look: 'key', argument };
}

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
