import { env, l10n, window } from 'vscode';
import { parseIds } from '../../core/model/idList.ts';
import { CommandFailure } from '../../host/commandBoundary.ts';
import { askText, type Choice, type PickQuestion, type Step, type StepPosition } from '../../host/quickInput.ts';
import { wantedText } from '../../host/searchWords.ts';
import { plainPart } from '../../host/words.ts';
import { askCsvIds } from './csvIds.ts';

/** Where ids are taken from. */
export type IdSource = 'typed' | 'selection' | 'clipboard' | 'csv';

/** The places that ids can be taken from now. What is on the clipboard is looked at only when it is chosen. */
export function idSources(): PickQuestion<IdSource> {
  const selected = parseIds(selectedText());
  const choices: Choice<IdSource>[] = [
    { label: l10n.t('Type or paste ids'), value: 'typed' },
    {
      label: l10n.t('Clipboard'),
      description: l10n.t('what you have copied, also of several lines'),
      value: 'clipboard',
    },
    { label: l10n.t('Column of a CSV file…'), value: 'csv' },
  ];
  if (selected.length > 0) choices.unshift(selectionChoice(selected));
  return { placeholder: l10n.t('Where are the ids?'), choices };
}

function selectionChoice(ids: readonly string[]): Choice<IdSource> {
  const sample = plainPart(ids.slice(0, 3).join(', '), 60);
  const description = l10n.t('{0}: {1}', wantedText({ query: '', ids }), sample);
  return { label: l10n.t('Selection in the editor'), description, value: 'selection' };
}

/** Takes the ids from where the person said; asks for what that needs. */
export async function askIds(
  position: StepPosition,
  source: IdSource,
  keep: (ids: readonly string[]) => void,
  before: readonly string[] = [],
): ReturnType<Step> {
  if (source === 'csv') return await askCsvIds(position, keep);
  if (source === 'typed') return await askTyped(position, keep, before);
  const ids = parseIds(source === 'selection' ? selectedText() : await env.clipboard.readText());
  if (ids.length === 0) throw new CommandFailure(l10n.t('There are no ids on the clipboard. Copy some first.'));
  keep(ids);
  return 'skip';
}

/** More than these are not offered to be typed over. */
const mostTyped = 200;

async function askTyped(
  position: StepPosition,
  keep: (ids: readonly string[]) => void,
  before: readonly string[],
): ReturnType<Step> {
  const answer = await askText(position, {
    prompt: l10n.t('Ids of files, separated by commas or spaces. Copied lines: go back and select Clipboard.'),
    value: before.slice(0, mostTyped).join(', '),
    validate: (text) => (parseIds(text).length > 0 ? undefined : l10n.t('Enter at least one id.')),
  });
  if (typeof answer === 'string') return answer;
  keep(parseIds(answer.value));
  return 'next';
}

function selectedText(): string {
  const editor = window.activeTextEditor;
  return editor ? editor.selections.map((selection) => editor.document.getText(selection)).join('\n') : '';
}
