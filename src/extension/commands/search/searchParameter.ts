import { l10n } from 'vscode';
import type { SearchParameter } from '../../../core/model/databaseModel.ts';
import type { JsonObject } from '../../../core/util/json.ts';
import { toStepResult, askText, pickOne, type Choice, type Step, type StepPosition } from '../../editor/quickInput.ts';
import {
  describeParameterType,
  describeParameterValue,
  findParameterForm,
  formatParameterValue,
  getParameterLabel,
  type ParameterForm,
} from '../../words/searchWords.ts';

/** An object that stores the database-specific parameters. `specific` is undefined if none are set. */
interface ParameterTarget {
  specific: JsonObject | undefined;
}

/**
 * Asks for the value of a search parameter. The user picks a listed value or, if none are listed, types one. Empty
 * input clears the value. `isLocal` is true for the local service, whose parameters have labels and accept text such as
 * "10 MB".
 */
export async function askParameter(
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
