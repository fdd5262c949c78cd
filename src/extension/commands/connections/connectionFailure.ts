import { l10n } from 'vscode';
import type { ConnectFlow } from '../../../core/flows/connectFlow.ts';
import type { OpenConnection } from '../../../core/flows/openConnections.ts';
import type { Connection } from '../../../core/model/connection.ts';
import type { Reason, ReasonKind } from '../../../core/model/reason.ts';
import { CommandFailure, runCommand } from '../../editor/commandBoundary.ts';
import type { ConnectionNode } from '../../editor/contributions.ts';
import { localConnectionId } from '../../editor/machine.ts';
import type { NotificationAction } from '../../editor/notifications.ts';
import { createSignInActions } from '../../notifications/nextSteps.ts';
import { toPlainLine } from '../../words/plainText.ts';
import { describeReason, isSignInRejected } from '../../words/reasonWords.ts';

/**
 * Opens a connection and makes it active. Returns undefined if the user cancels. Throws a {@link CommandFailure} on
 * failure.
 */
export async function openOrThrow(
  connectFlow: ConnectFlow,
  connection: Connection,
  key: string,
): Promise<OpenConnection | undefined> {
  const attempt = await connectFlow.open(connection, key);
  if (attempt.session) return attempt.session;
  if (attempt.reason.kind === 'cancelled') return undefined;
  const text = l10n.t('Could not connect to {0}: {1}', toPlainLine(connection.name), describeReason(attempt.reason));
  throw new CommandFailure(text, ...getReasonActions(attempt.reason, connection.id));
}

/** Returns the buttons that help with a rejected sign-in or an unreachable service. */
export function getReasonActions(reason: Reason, connectionId: string): readonly NotificationAction[] {
  if (isSignInRejected(reason)) return createSignInActions(reason, connectionId);
  if (connectionId === localConnectionId || !networkReasons.has(reason.kind)) return [];
  const node: ConnectionNode = { kind: 'connection', id: connectionId };
  return [{ label: l10n.t('Test Connection'), run: () => runCommand('dataTransfer.testConnection', node) }];
}

const networkReasons: ReadonlySet<ReasonKind> = new Set([
  'insecureAddress',
  'unreachable',
  'certificate',
  'proxy',
  'timeout',
  'dropped',
  'redirect',
  'noService',
  'unreadable',
]);
