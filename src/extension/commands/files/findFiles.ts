import { l10n } from 'vscode';
import type { SearchQuery } from '../../../core/model/searchModel.ts';
import type { DatabaseNode } from '../../editor/contributions.ts';
import { runSteps } from '../../editor/inputSteps.ts';
import type { Memory } from '../../editor/memory.ts';
import type { Notifications } from '../../editor/notifications.ts';
import { toStepResult, pickOne, type Step } from '../../editor/quickInput.ts';
import { formatFileCount, plural } from '../../words/localeFormats.ts';
import { getDatabaseLabel } from '../../words/searchWords.ts';
import { requireSession } from '../connections/connectionPicker.ts';
import { requireOrcid } from '../connections/setOrcid.ts';
import type { CommandServices } from '../services.ts';
import { createDatabasePick } from './databasePick.ts';
import { askIds, createIdSourcePick, type IdSource } from './idSources.ts';

/** Number of IDs above which the user is asked for confirmation. */
const confirmationThreshold = 5000;

/**
 * Finds files by ID (D8: metadata by ids). Asks for the database, unless `node` specifies it, then for the source of
 * the IDs, and then for the IDs.
 */
export async function findFilesById(services: CommandServices, node: DatabaseNode | undefined): Promise<void> {
  const { searchFlow, settings, memory, notifications, views } = services;
  const session = await requireSession(services);
  if (!session || (await requireOrcid(services, session.connection.id)) === undefined) return;
  let database = node?.name;
  let ids: readonly string[] = [];
  const isDone = await runSteps(l10n.t('Find Files by ID'), [
    async (position) => {
      if (node) return 'skip';
      const pick = await createDatabasePick(services, session.connection.id);
      return toStepResult(await pickOne(position, pick), (value) => (database = value));
    },
    ...createIdSteps(memory, (given) => (ids = given)),
  ]);
  if (!isDone || database === undefined || !(await confirmManyIds(notifications, database, ids))) return;
  const running = searchFlow.run(session, { database, query: '', pageSize: settings.pageSize, ids });
  void views.focusStartedSearch();
  await running;
}

/** Lets the user edit a search's IDs, and returns the new query. Returns undefined if the user cancels. */
export async function editIds(
  { notifications, memory }: CommandServices,
  query: SearchQuery,
): Promise<SearchQuery | undefined> {
  let ids: readonly string[] = [];
  const steps = createIdSteps(memory, (given) => (ids = given), query.ids);
  const isDone = await runSteps(l10n.t('Refine Search'), steps);
  return isDone && (await confirmManyIds(notifications, query.database, ids)) ? { ...query, ids } : undefined;
}

/** Creates the steps that ask for the source of the IDs, and then for the IDs. */
function createIdSteps(
  memory: Memory,
  setIds: (ids: readonly string[]) => void,
  initialIds?: readonly string[],
): readonly Step[] {
  let source: IdSource = 'typed';
  return [
    async (position) => toStepResult(await pickOne(position, createIdSourcePick()), (value) => (source = value)),
    async (position) => await askIds(position, source, memory, setIds, initialIds),
  ];
}

async function confirmManyIds(
  notifications: Notifications,
  database: string,
  ids: readonly string[],
): Promise<boolean> {
  if (ids.length <= confirmationThreshold) return ids.length > 0;
  const question = l10n.t('Look up {0} in {1}?', formatFileCount(ids.length), getDatabaseLabel(database));
  const detail = plural(
    ids.length,
    'Looking up {0} ID can take a while. You can stop at any time.',
    'Looking up {0} IDs can take a while. You can stop at any time.',
  );
  return await notifications.confirm(question, detail, l10n.t('Look Up'));
}
