import { l10n } from 'vscode';
import type { Database } from '../../../core/model/databaseModel.ts';
import { CommandHint } from '../../editor/commandBoundary.ts';
import type { PickOptions } from '../../editor/quickInput.ts';
import { createNoDatabasesHint, createSwitchStep } from '../../editor/nextSteps.ts';
import { toPlainLine } from '../../words/plainText.ts';
import { getDatabaseLabel } from '../../words/searchWords.ts';
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

/**
 * Creates the prompt for the database that contains the files. Lists all databases, and highlights the one that was
 * searched last.
 */
export async function createDatabasePick(
  services: CommandServices,
  connectionId: string,
): Promise<PickOptions<string>> {
  const databases = getActiveDatabases(services, connectionId);
  if (databases.length === 0) throw createNoDatabasesHint();
  const [last] = await services.memory.getRecentSearches(connectionId);
  return {
    placeholder: l10n.t('Select the database that contains the files'),
    choices: databases.map(({ name, organization }) => ({
      label: getDatabaseLabel(name),
      description: toPlainLine(organization),
      value: name,
    })),
    ...(last?.database !== undefined && { active: last.database }),
  };
}
