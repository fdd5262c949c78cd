import { l10n } from 'vscode';
import type { SearchFlow } from '../../core/flows/searchFlow.ts';
import type { SearchQuery } from '../../core/model/searchQuery.ts';
import type { ConnectionStore } from '../../core/store/connectionStore.ts';
import { CommandFailure } from '../../host/commandBoundary.ts';
import type { DatabaseNode } from '../../host/contributions.ts';
import type { Memory } from '../../host/memory.ts';
import type { Notices } from '../../host/notices.ts';
import { after, pickOne, runSteps, type PickQuestion, type Step } from '../../host/quickInput.ts';
import { databaseText } from '../../host/searchWords.ts';
import type { Settings } from '../../host/settings.ts';
import { filesText, plainLine, plural } from '../../host/words.ts';
import { requireSession, type ConnectionParts } from '../connections/connections.ts';
import { askIds, idSources, type IdSource } from './idSources.ts';
import { requireOrcid } from '../connections/setOrcid.ts';

/** What these commands need. */
export interface FindFilesParts extends ConnectionParts {
  readonly connectionStore: ConnectionStore;
  readonly searchFlow: SearchFlow;
  readonly memory: Memory;
  readonly settings: Settings;
  readonly notices: Notices;
  /** Shows a search that has begun. */
  revealSearches(): void;
}

/** Files are asked for without a question up to so many. */
const manyIds = 5000;

/** Asks for a database and for ids, typed, selected, copied, or of a column of a CSV file, and fetches those files (D8). */
export async function findFilesById(parts: FindFilesParts, node: DatabaseNode | undefined): Promise<void> {
  const session = await requireSession(parts);
  if (!session || (await requireOrcid(parts)) === undefined) return;
  let database = node?.name;
  let ids: readonly string[] = [];
  const done = await runSteps(l10n.t('Find Files by Id'), [
    async (position) => {
      if (node) return 'skip';
      return after(await pickOne(position, await databaseQuestion(parts)), (value) => (database = value));
    },
    ...idSteps((given) => (ids = given)),
  ]);
  if (!done || database === undefined || !(await isWanted(parts, database, ids))) return;
  const found = parts.searchFlow.run(session, { database, query: '', pageSize: parts.settings.pageSize, ids });
  parts.revealSearches();
  await found;
}

/** Asks for other ids of the same database. Undefined when the person left. */
export async function editIds(parts: FindFilesParts, query: SearchQuery): Promise<SearchQuery | undefined> {
  let ids: readonly string[] = [];
  const steps = idSteps((given) => (ids = given), query.ids);
  const done = await runSteps(l10n.t('Refine Search'), steps);
  return done && (await isWanted(parts, query.database, ids)) ? { ...query, ids } : undefined;
}

/** Asks where the ids are, and then for them. */
function idSteps(keep: (ids: readonly string[]) => void, before?: readonly string[]): readonly Step[] {
  let source: IdSource = 'typed';
  return [
    async (position) => after(await pickOne(position, idSources()), (value) => (source = value)),
    async (position) => await askIds(position, source, keep, before),
  ];
}

async function databaseQuestion(parts: FindFilesParts): Promise<PickQuestion<string>> {
  const { connectionStore, memory, sessions } = parts;
  const { databases } = connectionStore.listing;
  if (databases.length === 0) throw new CommandFailure(l10n.t('The service has no databases to search.'));
  const [last] = await memory.recentSearches(sessions.active?.connection.id ?? '');
  return {
    placeholder: l10n.t('Select the database that holds the files'),
    choices: databases.map(({ name, organization }) => ({
      label: databaseText(name),
      description: plainLine(organization),
      value: name,
    })),
    ...(last?.database !== undefined && { active: last.database }),
  };
}

async function isWanted({ notices }: FindFilesParts, database: string, ids: readonly string[]): Promise<boolean> {
  if (ids.length <= manyIds) return ids.length > 0;
  const question = l10n.t('Fetch {0} from {1}?', filesText(ids.length), databaseText(database));
  const detail = plural(
    ids.length,
    'There is {0} id; this can take a while. It can be stopped.',
    'There are {0} ids; this can take a while. It can be stopped.',
  );
  return await notices.confirm(question, detail, l10n.t('Fetch'));
}
