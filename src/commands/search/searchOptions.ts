import { l10n, QuickPickItemKind, ThemeIcon } from 'vscode';
import type { ParameterFlow } from '../../core/flows/parameterFlow.ts';
import type { StagingStatus } from '../../core/model/searchQuery.ts';
import type { ParameterListing } from '../../core/store/parameterStore.ts';
import { parseJsonObject, type JsonObject } from '../../core/util/json.ts';
import { after, askText, pickOne, type Choice, type Step, type StepPosition } from '../../host/quickInput.ts';
import {
  databaseText,
  filtersText,
  parameterTypeText,
  statusText,
  valueText,
  wantedText,
} from '../../host/searchWords.ts';
import { numberText, plainLine } from '../../host/words.ts';
import { askParameter } from './searchParameter.ts';

/** What a search is put together of, step by step. */
export interface SearchDraft {
  /** Name of the database; undefined for all of them. */
  database: string | undefined;
  query: string;
  status: StagingStatus | undefined;
  pageSize: number;
  specific: JsonObject | undefined;
}

/** Asks for one option, and puts it into the draft. */
type AskOption = (position: StepPosition) => ReturnType<Step>;

const longestPage = 10_000;

/** Shows what narrows a search, one option a row; Enter on the first row searches as it is. */
export async function askOptions(
  { parameterFlow }: { readonly parameterFlow: ParameterFlow },
  position: StepPosition,
  draft: SearchDraft,
): ReturnType<Step> {
  const { database } = draft;
  const listing = database === undefined ? undefined : parameterFlow.load(database);
  for (;;) {
    const answer = await pickOne<AskOption | undefined>(position, {
      placeholder: l10n.t('Press Enter to search, or select what narrows the search'),
      choices: commonChoices(draft),
      ...(database !== undefined && listing && { later: parameterChoices(draft, database, listing) }),
    });
    if (typeof answer === 'string') return answer;
    if (!answer.value) return 'next';
    if ((await answer.value({ ...position, canGoBack: true })) === 'cancel') return 'cancel';
  }
}

function commonChoices(draft: SearchDraft): Choice<AskOption | undefined>[] {
  const { database, status, pageSize } = draft;
  const where = database === undefined ? l10n.t('all databases') : databaseText(database);
  return [
    {
      label: l10n.t('Search'),
      description: [wantedText(draft), where, filtersText(draft)].filter(Boolean).join(' · '),
      iconPath: new ThemeIcon('search'),
      value: undefined,
    },
    {
      label: l10n.t('Status'),
      description: status ? statusText(status) : l10n.t('staged and unstaged'),
      value: (position) => askStatus(position, draft),
    },
    {
      label: l10n.t('Files a page'),
      description: numberText(pageSize),
      value: (position) => askPageSize(position, draft),
    },
  ];
}

async function askStatus(position: StepPosition, draft: SearchDraft): ReturnType<Step> {
  const choices: Choice<StagingStatus | undefined>[] = [
    { label: l10n.t('Staged and unstaged'), value: undefined },
    { label: l10n.t('Staged'), description: l10n.t('files that can be copied at once'), value: 'staged' },
    { label: l10n.t('Unstaged'), description: l10n.t('files that may first be fetched from tape'), value: 'unstaged' },
  ];
  const placeholder = l10n.t('Unstaged files may first be fetched from tape');
  const answer = await pickOne(position, { placeholder, choices, ...(draft.status && { active: draft.status }) });
  return after(answer, (value) => (draft.status = value));
}

async function askPageSize(position: StepPosition, draft: SearchDraft): ReturnType<Step> {
  const answer = await askText(position, {
    prompt: l10n.t('How many files to ask for at a time'),
    value: String(draft.pageSize),
    validate: (text) =>
      /^\d+$/.test(text) && Number(text) >= 1 && Number(text) <= longestPage
        ? undefined
        : l10n.t('Enter a whole number from 1 to {0}.', numberText(longestPage)),
  });
  return after(answer, (value) => (draft.pageSize = Number(value)));
}

/** A row for each parameter of the database's own; where the service does not tell of any, one for all of them as JSON. */
async function parameterChoices(
  draft: SearchDraft,
  database: string,
  listing: Promise<ParameterListing>,
): Promise<Choice<AskOption | undefined>[]> {
  const { parameters } = await listing;
  const label = l10n.t('Parameters of {0}', databaseText(database));
  const heading = { label, kind: QuickPickItemKind.Separator, value: undefined };
  const given = draft.specific ?? {};
  const rows = Object.entries(parameters).map(([name, parameter]): Choice<AskOption> => {
    const isGiven = Object.hasOwn(given, name);
    return {
      label: plainLine(name) || l10n.t('(no name)'),
      description: isGiven ? plainLine(valueText(given[name])) : l10n.t('not set'),
      detail: parameterTypeText(parameter),
      value: (position) => askParameter(position, draft, name, parameter),
    };
  });
  const unlisted = Object.keys(given).some((name) => !Object.hasOwn(parameters, name));
  return [heading, ...rows, ...(rows.length === 0 || unlisted ? [jsonChoice(draft)] : [])];
}

function jsonChoice(draft: SearchDraft): Choice<AskOption> {
  return {
    label: l10n.t('Parameters as JSON'),
    description: draft.specific ? plainLine(JSON.stringify(draft.specific)) : l10n.t('not set'),
    value: (position) => askJson(position, draft),
  };
}

async function askJson(position: StepPosition, draft: SearchDraft): ReturnType<Step> {
  const answer = await askText(position, {
    prompt: l10n.t('Search parameters of this database as a JSON object; nothing for none'),
    placeholder: '{"sort": "name"}',
    value: draft.specific ? JSON.stringify(draft.specific) : '',
    validate: (text) => (text === '' || parseJsonObject(text) ? undefined : l10n.t('This is not a JSON object yet.')),
  });
  return after(answer, (text) => {
    const object = parseJsonObject(text);
    draft.specific = object && Object.keys(object).length > 0 ? object : undefined;
  });
}
