import { l10n, QuickPickItemKind } from 'vscode';
import type { ParameterFlow } from '../../core/flows/parameterFlow.ts';
import type { Session } from '../../core/flows/sessions.ts';
import type { ConnectionStore } from '../../core/store/connectionStore.ts';
import type { JsonObject } from '../../core/util/json.ts';
import { CommandFailure } from '../../host/commandBoundary.ts';
import type { Memory, RecentSearch } from '../../host/memory.ts';
import { after, askText, pickOne, runSteps, type Choice, type Step, type StepPosition } from '../../host/quickInput.ts';
import { databaseText, filtersText, queryMistakeText, wantedText } from '../../host/searchWords.ts';
import type { Settings } from '../../host/settings.ts';
import { plainLine } from '../../host/words.ts';
import { askOptions, type SearchDraft } from './searchOptions.ts';

/** What a search is put together with. */
export interface SearchDraftParts {
  readonly connectionStore: ConnectionStore;
  readonly parameterFlow: ParameterFlow;
  readonly memory: Memory;
  readonly settings: Settings;
}

/** What the steps begin with, and which of them are asked. */
export interface SearchQuestion {
  readonly title: string;
  readonly draft: SearchDraft;
  /** Whether the database stands already. */
  readonly isDatabaseGiven: boolean;
}

type Where = { readonly name: string | undefined } | { readonly recent: RecentSearch };

/** The values of the search that was made last, for a database or for all; its parameters only for the same database. */
export async function draftOf(
  parts: SearchDraftParts,
  session: Session,
  scope?: { readonly database?: string },
): Promise<SearchDraft> {
  const [last] = await parts.memory.recentSearches(session.connection.id);
  const database = scope ? scope.database : last?.database;
  return { ...recalled(parts, last ?? { query: '' }), database, specific: whereSame(last, database) };
}

function whereSame(last: RecentSearch | undefined, database: string | undefined): JsonObject | undefined {
  return database !== undefined && last?.database === database ? last.specific : undefined;
}

function recalled({ settings }: SearchDraftParts, recent: RecentSearch): SearchDraft {
  const { database, query, status, specific, pageSize = settings.pageSize } = recent;
  return { database, query, status, pageSize, specific };
}

/** Asks for database, words and options, as far as they are not given. Undefined when the person left. */
export async function askSearch(
  parts: SearchDraftParts,
  session: Session,
  { title, draft, isDatabaseGiven }: SearchQuestion,
): Promise<SearchDraft | undefined> {
  let isRecent = false;
  const rest = async (ask: Step, position: StepPosition): ReturnType<Step> => (isRecent ? 'skip' : await ask(position));
  const done = await runSteps(title, [
    async (position) => {
      if (isDatabaseGiven) return 'skip';
      const answer = await pickOne(position, await whereQuestion(parts, session, draft));
      return after(answer, (where) => {
        isRecent = 'recent' in where;
        if ('recent' in where) Object.assign(draft, recalled(parts, where.recent));
        else if (draft.database !== where.name) Object.assign(draft, { database: where.name, specific: undefined });
      });
    },
    (position) => rest(async (asked) => await askWords(asked, session, draft), position),
    (position) => rest(async (asked) => await askOptions(parts, asked, draft), position),
  ]);
  if (!done) return undefined;
  await remember(parts, session, draft);
  return draft;
}

async function askWords(position: StepPosition, session: Session, draft: SearchDraft): ReturnType<Step> {
  const where =
    draft.database === undefined
      ? l10n.t('Words to search all databases for; nothing finds every file.')
      : l10n.t('Words to search {0} for; nothing finds every file.', databaseText(draft.database));
  // Only the local service is known to read these; any other one reads the words as it likes (§4.3, D21).
  const operators = l10n.t('Also: "a phrase", -word, this | that, format:csv, path:data/*.json, bytes:>1000000');
  const answer = await askText(position, {
    prompt: session.service.pagesExactly ? `${where} ${operators}` : where,
    value: draft.query,
    ...(session.service.pagesExactly && { validate: queryMistakeText }),
  });
  return after(answer, (value) => (draft.query = value));
}

async function whereQuestion(
  { connectionStore, memory }: SearchDraftParts,
  session: Session,
  draft: SearchDraft,
): Promise<Parameters<typeof pickOne<Where>>[1]> {
  const { databases } = connectionStore.listing;
  if (databases.length === 0) throw new CommandFailure(l10n.t('The service has no databases to search.'));
  const listed = databases.map(({ name, organization }): Choice<Where> => {
    return { label: databaseText(name), description: plainLine(organization), value: { name } };
  });
  const all: Choice<Where> = { label: l10n.t('All databases'), value: { name: undefined } };
  const places = databases.length > 1 ? [...listed, all] : listed;
  const known = new Set(databases.map(({ name }) => name));
  const searches = await memory.recentSearches(session.connection.id);
  const recent = searches.filter(({ database }) => database === undefined || known.has(database)).map(recentChoice);
  const heading: Choice<Where> = {
    label: l10n.t('Recent searches'),
    kind: QuickPickItemKind.Separator,
    value: { name: undefined },
  };
  // Before the first search none is highlighted but the first: nobody has chosen all databases yet.
  const active =
    recent.length > 0 ? places.find(({ value }) => 'name' in value && value.name === draft.database) : undefined;
  return {
    placeholder: l10n.t('Select the database to search, or a recent search to make again'),
    choices: recent.length > 0 ? [...places, heading, ...recent] : places,
    ...(active && { active: active.value }),
  };
}

function recentChoice(recent: RecentSearch): Choice<Where> {
  const { database } = recent;
  const where = database === undefined ? l10n.t('All databases') : databaseText(database);
  const description = [where, filtersText(recent)].filter(Boolean).join(' · ');
  return { label: wantedText(recent), description, value: { recent } };
}

async function remember({ memory, settings }: SearchDraftParts, session: Session, draft: SearchDraft): Promise<void> {
  const { database, query, status, pageSize, specific } = draft;
  await memory.rememberSearch(session.connection.id, {
    ...(database !== undefined && { database }),
    query,
    ...(status && { status }),
    ...(pageSize !== settings.pageSize && { pageSize }),
    ...(specific && { specific }),
  });
}
