import { l10n, QuickPickItemKind, ThemeIcon } from 'vscode';
import type { ParameterFlow } from '../../../core/search/searchFlow.ts';
import type { SearchParameter } from '../../../core/model/databaseModel.ts';
import type { FileStaging, SearchQuery } from '../../../core/model/searchModel.ts';
import type { ParameterListing } from '../../../core/search/searchabilityStore.ts';
import { describeUnstaged } from '../../../core/words/sharedSentences.ts';
import { parseJsonObject, type JsonObject } from '../../../core/util/json.ts';
import { askText, pickOne, toStepResult, type Choice, type Step, type StepPosition } from '../../editor/quickInput.ts';
import { formatNumber } from '../../words/localeFormats.ts';
import { toPlainLine } from '../../words/plainText.ts';
import {
  describeFilters,
  describeJsonError,
  describeParameterType,
  describeParameterValue,
  describeSearchTerms,
  describeStagingStatus,
  findParameterForm,
  formatParameterValue,
  getDatabaseLabel,
  getParameterLabel,
  type ParameterForm,
} from '../../words/searchWords.ts';

/** A search that the user builds step by step. */
export interface SearchDraft {
  /** Name of the database; undefined for all databases. */
  database: string | undefined;
  query: string;
  status: FileStaging | undefined;
  pageSize: number;
  specific: JsonObject | undefined;
}

/** Asks for one option and stores it in the draft. */
type AskOption = (position: StepPosition) => ReturnType<Step>;

const maxPageSize = 10_000;

/** Shows the options of a search, one per row. Pressing Enter on the first row starts the search. */
export async function askOptions(
  parameterFlow: ParameterFlow,
  position: StepPosition,
  draft: SearchDraft,
  isLocal: boolean,
): ReturnType<Step> {
  const { database } = draft;
  const listing = database === undefined ? undefined : parameterFlow.load(database);
  for (;;) {
    const answer = await pickOne<AskOption | undefined>(position, {
      placeholder: l10n.t('Press Enter to search, or select a filter'),
      choices: createCommonChoices(draft, isLocal),
      ...(database !== undefined &&
        listing && { laterChoices: createParameterChoices(draft, database, listing, isLocal) }),
    });
    if (typeof answer === 'string') return answer;
    if (!answer.value) return 'next';
    if ((await answer.value({ ...position, canGoBack: true })) === 'cancel') return 'cancel';
  }
}

function createCommonChoices(draft: SearchDraft, isLocal: boolean): Choice<AskOption | undefined>[] {
  const { database, status, pageSize } = draft;
  const scope = database === undefined ? l10n.t('all databases') : getDatabaseLabel(database);
  return [
    {
      label: l10n.t('Search'),
      description: [describeSearchTerms(draft), scope, describeFilters(draft, isLocal)].filter(Boolean).join(' · '),
      iconPath: new ThemeIcon('search'),
      value: undefined,
    },
    {
      label: l10n.t('Staging'),
      description: status ? describeStagingStatus(status) : l10n.t('any'),
      value: (position) => askStatus(position, draft),
    },
    {
      label: l10n.t('Results per page'),
      description: formatNumber(pageSize),
      value: (position) => askPageSize(position, draft),
    },
  ];
}

async function askStatus(position: StepPosition, draft: SearchDraft): ReturnType<Step> {
  const choices: Choice<FileStaging | undefined>[] = [
    { label: l10n.t('Any'), value: undefined },
    { label: l10n.t('Staged'), description: l10n.t('ready to copy now'), value: 'staged' },
    { label: l10n.t('Unstaged'), description: describeUnstaged(l10n), value: 'unstaged' },
  ];
  const placeholder = l10n.t('Select the staging status');
  const answer = await pickOne(position, { placeholder, choices, ...(draft.status && { active: draft.status }) });
  return toStepResult(answer, (value) => (draft.status = value));
}

async function askPageSize(position: StepPosition, draft: SearchDraft): ReturnType<Step> {
  const answer = await askText(position, {
    prompt: l10n.t('Number of results to load at a time'),
    value: String(draft.pageSize),
    validate: (text) =>
      /^\d+$/.test(text) && Number(text) >= 1 && Number(text) <= maxPageSize
        ? undefined
        : l10n.t('Enter a whole number from 1 to {0}.', formatNumber(maxPageSize)),
  });
  return toStepResult(answer, (value) => (draft.pageSize = Number(value)));
}

/**
 * Creates a row for each parameter that the service lists for the database. If it lists none, or if the draft contains
 * a parameter that isn't listed, another row lets the user enter parameters as JSON.
 */
async function createParameterChoices(
  draft: SearchDraft,
  database: string,
  listing: Promise<ParameterListing>,
  isLocal: boolean,
): Promise<Choice<AskOption | undefined>[]> {
  const { parameters } = await listing;
  const label = l10n.t('Parameters for {0}', getDatabaseLabel(database));
  const heading = { label, kind: QuickPickItemKind.Separator, value: undefined };
  const values = draft.specific ?? {};
  const rows = Object.entries(parameters).map(([name, parameter]): Choice<AskOption> => {
    const isSet = Object.hasOwn(values, name);
    return {
      label: getParameterLabel(name, isLocal),
      description: isSet ? describeParameterValue(name, values[name], isLocal) : l10n.t('not set'),
      detail: findParameterForm(name, isLocal)?.example ?? describeParameterType(parameter),
      value: (position) => askParameter(position, draft, name, parameter, isLocal),
    };
  });
  const hasUnlisted = Object.keys(values).some((name) => !Object.hasOwn(parameters, name));
  return [heading, ...rows, ...(rows.length === 0 || hasUnlisted ? [createJsonChoice(draft)] : [])];
}

function createJsonChoice(draft: SearchDraft): Choice<AskOption> {
  return {
    label: l10n.t('Parameters as JSON'),
    description: draft.specific ? toPlainLine(JSON.stringify(draft.specific)) : l10n.t('not set'),
    value: (position) => askJson(position, draft),
  };
}

async function askJson(position: StepPosition, draft: SearchDraft): ReturnType<Step> {
  const answer = await askText(position, {
    prompt: l10n.t('Search parameters for this database, as a JSON object (leave empty for none)'),
    placeholder: '{"sort": "name"}',
    value: draft.specific ? JSON.stringify(draft.specific) : '',
    validate: (text) => (text === '' ? undefined : describeJsonError(text)),
  });
  return toStepResult(answer, (text) => {
    const object = parseJsonObject(text);
    draft.specific = object && Object.keys(object).length > 0 ? object : undefined;
  });
}

/** Converts a draft to a query for one database. */
export function toSearchQuery({ query, status, pageSize, specific }: SearchDraft, database: string): SearchQuery {
  return { database, query, pageSize, ...(status && { status }), ...(specific && { specific }) };
}

/** An object that stores the database-specific parameters. `specific` is undefined if none are set. */
interface ParameterTarget {
  specific: JsonObject | undefined;
}

/**
 * Asks for the value of a search parameter. The user picks a listed value or, if none are listed, types one. Empty
 * input clears the value. `isLocal` is true for the local service, whose parameters have labels and accept text such as
 * "10 MB".
 */
async function askParameter(
  position: StepPosition,
  target: ParameterTarget,
  name: string,
  parameter: SearchParameter,
  isLocal: boolean,
): ReturnType<Step> {
  const values = parameter.type === 'boolean' ? [true, false] : parameter.values;
  if (values.length > 0) return await askChoice(position, target, name, values, isLocal);
  const form = findParameterForm(name, isLocal);
  return form
    ? await askWritten(position, target, name, form)
    : await askTyped(position, target, name, { ...parameter, label: getParameterLabel(name, isLocal) });
}

/** Asks for a value in informal notation, such as "10 MB". Shows how the text is interpreted. */
async function askWritten(
  position: StepPosition,
  target: ParameterTarget,
  name: string,
  form: ParameterForm,
): ReturnType<Step> {
  const current = target.specific?.[name];
  const isUnderstood = (text: string): boolean => text === '' || form.parse(text) !== undefined;
  const answer = await askText(position, {
    prompt: l10n.t('{0}, for example {1} (leave empty for any)', getParameterLabel(name, true), form.example),
    value: current === undefined ? '' : form.write(current),
    validate: (text) => (isUnderstood(text) ? undefined : l10n.t('Enter a value such as {0}.', form.example)),
    describe: (text) => (text === '' ? undefined : form.describe(form.parse(text))),
  });
  return toStepResult(answer, (text) => setParameter(target, name, text === '' ? undefined : form.parse(text)));
}

async function askChoice(
  position: StepPosition,
  target: ParameterTarget,
  name: string,
  values: readonly unknown[],
  isLocal: boolean,
): ReturnType<Step> {
  const choices: Choice<unknown>[] = [
    { label: l10n.t('Not set'), value: undefined },
    ...values.map((value) => ({ label: describeParameterValue(name, value, isLocal) || l10n.t('(empty)'), value })),
  ];
  const placeholder = l10n.t('Select a value for “{0}”', getParameterLabel(name, isLocal));
  const answer = await pickOne(position, { placeholder, choices, active: target.specific?.[name] });
  return toStepResult(answer, (value) => setParameter(target, name, value));
}

async function askTyped(
  position: StepPosition,
  target: ParameterTarget,
  name: string,
  parameter: SearchParameter & { readonly label: string },
): ReturnType<Step> {
  const isNumber = /\bnumber\b/.test(parameter.type);
  const current = target.specific?.[name];
  const answer = await askText(position, {
    prompt: l10n.t('Value for “{0}”: {1} (leave empty for none)', parameter.label, describeParameterType(parameter)),
    value: current === undefined ? '' : formatParameterValue(current),
    validate: (text) => (isNumber && !isNumeric(text) ? l10n.t('Enter a number.') : undefined),
  });
  return toStepResult(answer, (text) => setParameter(target, name, parseParameterValue(text, isNumber)));
}

function isNumeric(text: string): boolean {
  return text === '' || Number.isFinite(Number(text));
}

function parseParameterValue(text: string, isNumber: boolean): unknown {
  if (text === '') return undefined;
  return isNumber ? Number(text) : text;
}

function setParameter(target: ParameterTarget, name: string, value: unknown): void {
  const others = Object.entries(target.specific ?? {}).filter(([other]) => other !== name);
  const all = value === undefined ? others : [...others, [name, value] as const];
  target.specific = all.length > 0 ? Object.fromEntries(all) : undefined;
}
