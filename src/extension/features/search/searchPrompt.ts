import { l10n, QuickPickItemKind } from 'vscode';
import type { OpenConnection } from '../../../core/connections/openConnections.ts';
import type { Database } from '../../../core/model/databaseModel.ts';
import { runSteps } from '../../editor/inputSteps.ts';
import type { RecentSearch } from '../../editor/memory.ts';
import {
  askText,
  chooseOne,
  pickOne,
  toStepResult,
  type Choice,
  type InputButton,
  type InputResult,
  type PickOptions,
  type Step,
  type StepPosition,
  type TextInputOptions,
} from '../../editor/quickInput.ts';
import { createNoDatabasesHint } from '../../editor/nextSteps.ts';
import { toPlainLine } from '../../words/plainText.ts';
import {
  getDatabaseLabel,
  describeFilters,
  describeQueryMistake,
  describeSearchTerms,
} from '../../words/searchWords.ts';
import { getActiveDatabases } from '../connections/connectionPicker.ts';
import type { CommandServices } from '../services.ts';
import { askOptions, type SearchDraft } from './searchOptions.ts';

/** Options for {@link askSearch}. */
interface AskSearchOptions {
  readonly title: string;
  readonly draft: SearchDraft;
  /** True to skip the step that asks for the database. */
  readonly isDatabaseGiven: boolean;
  /** True to ask for filters in a separate step. Otherwise, a button in the search terms step opens the filters. */
  readonly hasFilterStep?: boolean;
}

/** Options for {@link createDraft}. */
interface DraftOptions {
  readonly scope?: { readonly database?: string };
  readonly hasFilterStep?: boolean;
}

type DatabaseChoice = { readonly name: string | undefined } | { readonly recent: RecentSearch };

/** Maximum number of recent searches listed before the databases. */
const maxFirstRecent = 5;

/**
 * Creates a draft with the terms of the last search. If there is a filter step, also copies the filters of that search,
 * and its specific parameters if the database is the same.
 */
export async function createDraft(
  services: CommandServices,
  session: OpenConnection,
  { scope, hasFilterStep = false }: DraftOptions,
): Promise<SearchDraft> {
  const [last] = await services.memory.getRecentSearches(session.connection.id);
  const database = scope ? scope.database : last?.database;
  const draft = toDraft(services, last && hasFilterStep ? last : { query: last?.query ?? '' });
  return { ...draft, database, specific: last?.database === database ? draft.specific : undefined };
}

/**
 * Asks for the terms, the options and, unless it is given, the database. Stores them in `draft` and as a recent search.
 * Returns undefined if the user cancels.
 */
export async function askSearch(
  services: CommandServices,
  session: OpenConnection,
  { title, draft, isDatabaseGiven, hasFilterStep = false }: AskSearchOptions,
): Promise<SearchDraft | undefined> {
  let isRecent = false;
  const askDatabase: Step = async (position) => {
    const answer = await pickOne(position, await createScopePick(services, session));
    return toStepResult(answer, (choice) => {
      isRecent = 'recent' in choice;
      if ('recent' in choice) Object.assign(draft, toDraft(services, choice.recent));
      else if (draft.database !== choice.name) Object.assign(draft, { database: choice.name, specific: undefined });
    });
  };
  const askWords: Step = async (position) =>
    isRecent ? 'skip' : await askTerms(services, position, session, draft, !hasFilterStep);
  const askFilters: Step = async (position) =>
    isRecent ? 'skip' : await askOptions(services.parameterFlow, position, draft, isLocal(session));
  const steps = [...(isDatabaseGiven ? [] : [askDatabase]), askWords, ...(hasFilterStep ? [askFilters] : [])];
  if (!(await runSteps(title, steps))) return undefined;
  await remember(services, session, draft);
  return draft;
}

/**
 * Creates the draft of a search for all files, and stores it as a recent search. Unless a database is given, lets the
 * user choose one database or all of them. Returns undefined if the user cancels.
 */
export async function askAllFiles(
  services: CommandServices,
  session: OpenConnection,
  title: string,
  database?: string,
): Promise<SearchDraft | undefined> {
  const draft = toDraft(services, { query: '', ...(database !== undefined && { database }) });
  if (database === undefined) {
    const placeholder = l10n.t('Select the database to list files from');
    const choices = createScopeChoices(listDatabases(services, session));
    const answer = await chooseOne(title, { placeholder, choices });
    if (answer === undefined) return undefined;
    draft.database = answer.name;
  }
  await remember(services, session, draft);
  return draft;
}

function toDraft(
  services: CommandServices,
  { database, query, status, specific, pageSize }: RecentSearch,
): SearchDraft {
  return { database, query, status, pageSize: pageSize ?? services.settings.pageSize, specific };
}

/** Lists the most recent searches, then the databases, and then earlier searches. */
async function createScopePick(
  services: CommandServices,
  session: OpenConnection,
): Promise<PickOptions<DatabaseChoice>> {
  const databases = listDatabases(services, session);
  const scopes = createScopeChoices(databases);
  const names = new Set(databases.map(({ name }) => name));
  const recent = (await services.memory.getRecentSearches(session.connection.id))
    .filter(({ database }) => database === undefined || names.has(database))
    .map((search) => createRecentChoice(search, isLocal(session)));
  if (recent.length === 0) return { placeholder: l10n.t('Select a database to search'), choices: scopes };
  const earlier = recent.splice(maxFirstRecent);
  const choices = [createHeading(l10n.t('Recent searches')), ...recent, createHeading(l10n.t('Databases')), ...scopes];
  if (earlier.length > 0) choices.push(createHeading(l10n.t('Earlier searches')), ...earlier);
  return { placeholder: l10n.t('Select a database, or repeat a recent search'), choices };
}

function listDatabases(services: CommandServices, { connection }: OpenConnection): readonly Database[] {
  const databases = getActiveDatabases(services, connection.id);
  if (databases.length === 0) throw createNoDatabasesHint();
  return databases;
}

async function remember(services: CommandServices, session: OpenConnection, draft: SearchDraft): Promise<void> {
  const { memory, settings } = services;
  const { database, query, status, pageSize, specific } = draft;
  await memory.rememberSearch(session.connection.id, {
    ...(database !== undefined && { database }),
    query,
    ...(status && { status }),
    ...(pageSize !== settings.pageSize && { pageSize }),
    ...(specific && { specific }),
  });
}

/** Asks for the search terms. If `hasButton` is true, a button opens the filters. */
async function askTerms(
  services: CommandServices,
  position: StepPosition,
  session: OpenConnection,
  draft: SearchDraft,
  hasButton: boolean,
): ReturnType<Step> {
  for (;;) {
    const wants = { filters: false };
    const showFilters = (text: string): Promise<InputResult<string>> => {
      wants.filters = true;
      return Promise.resolve({ value: text.trim() });
    };
    const button: InputButton = { icon: 'filter', label: l10n.t('Filters…'), run: showFilters };
    const answer = await askText(position, { ...createTermsInput(session, draft), buttons: hasButton ? [button] : [] });
    const outcome = toStepResult(answer, (value) => (draft.query = value));
    if (outcome !== 'next' || !wants.filters) return outcome;
    const next = { ...position, canGoBack: true };
    const filtered = await askOptions(services.parameterFlow, next, draft, isLocal(session));
    if (filtered !== 'back') return filtered;
  }
}

/** Returns true for the local service, whose search parameters have labels (D21: search syntax). */
function isLocal({ service }: OpenConnection): boolean {
  return service.hasFullPages === true;
}

function createTermsInput(session: OpenConnection, draft: SearchDraft): TextInputOptions {
  const prompt =
    draft.database === undefined
      ? l10n.t('Search all databases (leave empty to list all files)')
      : l10n.t('Search {0} (leave empty to list all files)', getDatabaseLabel(draft.database));
  const filters = describeFilters(draft, isLocal(session));
  // Only the local service is known to support this syntax (§4.3, D21: search syntax).
  const operators = l10n.t('Syntax: "a phrase", -word, this | that, format:csv, path:data/*.json, bytes:>1000000');
  const parts = [prompt, filters && l10n.t('Filters: {0}', filters), isLocal(session) && operators];
  return {
    prompt: parts.filter(Boolean).join(' · '),
    value: draft.query,
    ...(isLocal(session) && { validate: describeQueryMistake }),
  };
}

function createHeading(label: string): Choice<DatabaseChoice> {
  return { label, kind: QuickPickItemKind.Separator, value: { name: undefined } };
}

type ScopeChoice = Choice<{ readonly name: string | undefined }>;

function createScopeChoices(databases: readonly Database[]): readonly ScopeChoice[] {
  const choices = databases.map(({ name, organization }): ScopeChoice => {
    return { label: getDatabaseLabel(name), description: toPlainLine(organization), value: { name } };
  });
  const all: ScopeChoice = { label: l10n.t('All databases'), value: { name: undefined } };
  return databases.length > 1 ? [...choices, all] : choices;
}

function createRecentChoice(recent: RecentSearch, isLocalService: boolean): Choice<DatabaseChoice> {
  const { database } = recent;
  const scope = database === undefined ? l10n.t('All databases') : getDatabaseLabel(database);
  const description = [scope, describeFilters(recent, isLocalService)].filter(Boolean).join(' · ');
  return { label: describeSearchTerms(recent), description, value: { recent } };
}
