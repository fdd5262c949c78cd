import { l10n } from 'vscode';
import type { Database } from '../../../core/model/databaseModel.ts';
import { CommandHint } from '../../editor/commandBoundary.ts';
import { createSwitchStep } from '../../notifications/nextSteps.ts';
import type { CommandServices } from '../services.ts';

/**
 * Returns the databases of the connection that a command uses. Throws a {@link CommandHint} if this connection is no
 * longer active, because its databases are then unknown.
 */
export function getActiveDatabases(
  { sessions, connectionStore }: CommandServices,
  connectionId: string,
): readonly Database[] {
  if (sessions.active?.connection.id === connectionId) return connectionStore.listing.databases;
  throw new CommandHint(
    l10n.t('The command was canceled because its connection is no longer active.'),
    createSwitchStep(),
  );
}
