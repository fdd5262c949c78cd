import { env, l10n, window } from 'vscode';
import { parseIds } from '../../../core/model/idList.ts';
import { CommandHint } from '../../editor/commandBoundary.ts';
import { askText, type Choice, type PickOptions, type Step, type StepPosition } from '../../editor/quickInput.ts';
import { toPlainText } from '../../words/plainText.ts';
import { describeSearchTerms } from '../../words/searchWords.ts';
import type { TableMemory } from '../tables/tableFile.ts';
import { askTableIds } from './tableIds.ts';

/** The source of file IDs. */
export type IdSource = 'typed' | 'selection' | 'clipboard' | 'table';

/** Creates the list of sources to choose from. The clipboard isn't read until the user has chosen it. */
export function createIdSourcePick(): PickOptions<IdSource> {
  const selected = parseIds(getSelectedText());
  const choices: Choice<IdSource>[] = [
    { label: l10n.t('Type or paste IDs'), value: 'typed' },
    { label: l10n.t('Clipboard'), description: l10n.t('one or more lines'), value: 'clipboard' },
    { label: l10n.t('Table column…'), value: 'table' },
  ];
  if (selected.length > 0) choices.unshift(createSelectionChoice(selected));
  return { placeholder: l10n.t('Where do the IDs come from?'), choices };
}

function createSelectionChoice(ids: readonly string[]): Choice<IdSource> {
  const sample = toPlainText(ids.slice(0, 3).join(', '), 60);
  const description = l10n.t('{0}: {1}', describeSearchTerms({ query: '', ids }), sample);
  return { label: l10n.t('Editor selection'), description, value: 'selection' };
}

/** Reads the IDs from a source. Asks for the text or file if the source requires it. */
export async function askIds(
  position: StepPosition,
  source: IdSource,
  memory: TableMemory,
  setIds: (ids: readonly string[]) => void,
  initialIds: readonly string[] = [],
): ReturnType<Step> {
  if (source === 'table') return await askTableIds(position, memory, setIds);
  if (source === 'typed') return await askTyped(position, setIds, initialIds);
  const ids = parseIds(source === 'selection' ? getSelectedText() : await env.clipboard.readText());
  if (ids.length === 0) throw new CommandHint(l10n.t('No IDs found. Copy or select some first.'));
  setIds(ids);
  return 'skip';
}

async function askTyped(
  position: StepPosition,
  setIds: (ids: readonly string[]) => void,
  initialIds: readonly string[],
): ReturnType<Step> {
  const answer = await askText(position, {
    prompt: l10n.t('File IDs, separated by commas or spaces. To paste multiple lines, go back and select Clipboard.'),
    value: initialIds.join(', '),
    validate: (text) => (parseIds(text).length > 0 ? undefined : l10n.t('Enter at least one ID.')),
  });
  if (typeof answer === 'string') return answer;
  setIds(parseIds(answer.value));
  return 'next';
}

function getSelectedText(): string {
  const editor = window.activeTextEditor;
  return editor ? editor.selections.map((selection) => editor.document.getText(selection)).join('\n') : '';
}
