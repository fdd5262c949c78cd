import { l10n, window } from 'vscode';
import { citationFileNames, citationFormats, type CitationFormat } from '../../../core/citations/citationFormats.ts';
import { pickOne, toStepResult, type Choice, type Step, type StepPosition } from '../../editor/quickInput.ts';
import { getCitationFormatName } from '../../words/citationWords.ts';

/** An action that the user can take with citations. */
export type CitationAction = 'copy' | 'insert' | 'save';

/** Asks for a citation format. Highlights the format that was used last. */
export async function askCitationFormat(
  position: StepPosition,
  last: CitationFormat | undefined,
  store: (format: CitationFormat) => void,
): ReturnType<Step> {
  const choices = citationFormats.map((value) => ({
    label: getCitationFormatName(value),
    description: citationFileNames[value],
    value,
  }));
  const placeholder = l10n.t('Select a format');
  return toStepResult(await pickOne(position, { placeholder, choices, ...(last && { active: last }) }), store);
}

/**
 * Asks what to do with the citations. Highlights the action that was used last. Offers to insert the citations only if
 * a text editor is active.
 */
export async function askCitationAction(
  position: StepPosition,
  last: CitationAction | undefined,
  store: (action: CitationAction) => void,
): ReturnType<Step> {
  const choices: readonly Choice<CitationAction>[] = [
    { label: l10n.t('Copy'), value: 'copy' },
    ...(window.activeTextEditor ? [{ label: l10n.t('Insert at Cursor'), value: 'insert' as const }] : []),
    { label: l10n.t('Save As…'), value: 'save' },
  ];
  const placeholder = l10n.t('Select what to do with the citations');
  return toStepResult(await pickOne(position, { placeholder, choices, ...(last && { active: last }) }), store);
}
