import { l10n } from 'vscode';
import type { SearchFlow } from '../core/flows/searchFlow.ts';
import type { ConnectionStore } from '../core/store/connectionStore.ts';
import { CommandFailure } from '../host/commandRegistry.ts';
import type { DatabaseNode } from '../host/contributions.ts';
import type { Notices } from '../host/notices.ts';
import { after, askText, pickOne, runSteps } from '../host/quickInput.ts';
import { plainLine } from '../host/words.ts';
import { requireSession, type ConnectionParts } from './connections.ts';
import { requireOrcid } from './setOrcid.ts';

/** What the command needs. */
export interface SearchFilesParts extends ConnectionParts {
  readonly connectionStore: ConnectionStore;
  readonly searchFlow: SearchFlow;
  readonly notices: Notices;
  /** Shows a search that has begun. */
  revealSearches(): void;
}

/** Asks for what is missing, database and words, and searches. */
export async function searchFiles(parts: SearchFilesParts, node: DatabaseNode | undefined): Promise<void> {
  const session = await requireSession(parts);
  if (!session || (await requireOrcid(parts)) === undefined) return;
  const { memory, searchFlow, settings } = parts;
  const draft = { database: node?.name, query: memory.lastQuery ?? '' };
  const done = await runSteps(l10n.t('Search Files'), [
    async (position) => {
      if (node) return 'skip';
      return after(await pickOne(position, databaseQuestion(parts)), (value) => (draft.database = value));
    },
    async (position) => {
      const answer = await askText(position, {
        prompt: l10n.t('Words to search {0} for; nothing finds every file', plainLine(draft.database ?? '')),
        value: draft.query,
      });
      return after(answer, (value) => (draft.query = value));
    },
  ]);
  const { database, query } = draft;
  if (!done || database === undefined) return;
  await memory.remember('lastDatabase', database);
  await memory.remember('lastQuery', query);
  const found = searchFlow.run(session, { database, query, pageSize: settings.pageSize });
  parts.revealSearches();
  await found;
}

function databaseQuestion({ connectionStore, memory }: SearchFilesParts): Parameters<typeof pickOne<string>>[1] {
  const { databases } = connectionStore.listing;
  if (databases.length === 0) throw new CommandFailure(l10n.t('The service has no databases to search.'));
  return {
    placeholder: l10n.t('Select the database to search'),
    choices: databases.map(({ name, organization }) => ({
      label: plainLine(name),
      description: plainLine(organization),
      value: name,
    })),
    ...(memory.lastDatabase !== undefined && { active: memory.lastDatabase }),
  };
}
