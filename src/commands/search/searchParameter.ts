import { l10n } from 'vscode';
import type { SearchParameter } from '../../core/model/searchParameter.ts';
import type { JsonObject } from '../../core/util/json.ts';
import { after, askText, pickOne, type Choice, type Step, type StepPosition } from '../../host/quickInput.ts';
import { parameterTypeText, valueText } from '../../host/searchWords.ts';
import { plainLine } from '../../host/words.ts';

/** Where the values of parameters are put; without any there is no object. */
interface Target {
  specific: JsonObject | undefined;
}

/**
 * Asks for the value of one search parameter: one of the values that the service lists, or text of its type; nothing
 * unsets it.
 */
export async function askParameter(
  position: StepPosition,
  target: Target,
  name: string,
  parameter: SearchParameter,
): ReturnType<Step> {
  const values = parameter.type === 'boolean' ? [true, false] : parameter.values;
  if (values.length > 0) return await askChoice(position, target, name, values);
  return await askTyped(position, target, name, parameter);
}

async function askChoice(
  position: StepPosition,
  target: Target,
  name: string,
  values: readonly unknown[],
): ReturnType<Step> {
  const choices: Choice<unknown>[] = [
    { label: l10n.t('Not set'), value: undefined },
    ...values.map((value) => ({ label: plainLine(valueText(value)) || l10n.t('(no name)'), value })),
  ];
  const placeholder = l10n.t('Value of {0}', plainLine(name));
  const answer = await pickOne(position, { placeholder, choices, active: target.specific?.[name] });
  return after(answer, (value) => setParameter(target, name, value));
}

async function askTyped(
  position: StepPosition,
  target: Target,
  name: string,
  parameter: SearchParameter,
): ReturnType<Step> {
  const isNumber = /\bnumber\b/.test(parameter.type);
  const given = target.specific?.[name];
  const answer = await askText(position, {
    prompt: l10n.t('Value of {0}: {1}; nothing for none', plainLine(name), parameterTypeText(parameter)),
    value: given === undefined ? '' : valueText(given),
    validate: (text) => (isNumber && !isNumeric(text) ? l10n.t('Enter a number.') : undefined),
  });
  return after(answer, (text) => setParameter(target, name, valueOf(text, isNumber)));
}

function isNumeric(text: string): boolean {
  return text === '' || Number.isFinite(Number(text));
}

function valueOf(text: string, isNumber: boolean): unknown {
  if (text === '') return undefined;
  return isNumber ? Number(text) : text;
}

function setParameter(target: Target, name: string, value: unknown): void {
  const others = Object.entries(target.specific ?? {}).filter(([other]) => other !== name);
  const all = value === undefined ? others : [...others, [name, value] as const];
  target.specific = all.length > 0 ? Object.fromEntries(all) : undefined;
}
