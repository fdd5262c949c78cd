import { l10n } from 'vscode';
import type { PickOptions } from '../../editor/quickInput.ts';
import { createNoDatabasesHint } from '../../notifications/nextSteps.ts';
import { toPlainLine } from '../../words/plainText.ts';
import { getDatabaseLabel } from '../../words/searchWords.ts';
import { getActiveDatabases } from '../connections/activeDatabases.ts';
import type { CommandServices } from '../services.ts';

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
