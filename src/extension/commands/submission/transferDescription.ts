import { l10n } from 'vscode';
import { CommandHint } from '../../editor/commandBoundary.ts';
import {
  toStepResult,
  askText,
  type InputResult,
  type InputButton,
  type Step,
  type StepPosition,
} from '../../editor/quickInput.ts';
import type { CommandServices } from '../services.ts';

/** Asks for a description, either as a single line or in a document with a preview. */
export async function askDescription(
  services: CommandServices,
  position: StepPosition,
  draft: { description: string },
): ReturnType<Step> {
  return toStepResult(
    await askDescriptionText(services, position, draft.description),
    (value) => (draft.description = value),
  );
}

async function askDescriptionText(
  services: CommandServices,
  position: StepPosition,
  text: string,
): Promise<InputResult<string>> {
  const shown = toOneLine(text);
  // The input box shows a single line. If the user doesn't edit the line, the original line breaks are preserved.
  const restoreLines = (typed: string): string => (toOneLine(typed) === shown ? text : typed);
  const askAgain = (value: string): Promise<InputResult<string>> => askDescriptionText(services, position, value);
  const write: InputButton = {
    icon: 'open-preview',
    label: l10n.t('Write in an Editor with Preview'),
    run: async (typed) => {
      const current = restoreLines(typed);
      const written = await services.markdownDraft.write(current);
      // Another transfer's description has replaced this draft, so this transfer's prompts end.
      if (written === 'replaced') return 'cancel';
      return await askAgain(written === 'closed' ? current : written.text);
    },
  };
  const lastDescription = await services.memory.getLastDescription();
  const repeat: InputButton[] =
    lastDescription === undefined
      ? []
      : [{ icon: 'history', label: l10n.t('Use Last Description'), run: () => askAgain(lastDescription) }];
  const answer = await askText(position, {
    prompt: l10n.t('Purpose of this transfer (optional, Markdown)'),
    value: shown,
    buttons: [...repeat, write],
  });
  return typeof answer === 'string' ? answer : { value: restoreLines(answer.value) };
}

function toOneLine(text: string): string {
  return text.replace(/\s+/g, ' ').trim();
}

/** Accepts the text in the open description editor. */
export function useDescription({ markdownDraft }: CommandServices): void {
  if (!markdownDraft.isOpen) throw new CommandHint(l10n.t('No description editor is open.'));
  markdownDraft.accept();
}
