import { l10n } from 'vscode';
import type { MarkdownDraft } from '../../host/markdownDraft.ts';
import type { Memory } from '../../host/memory.ts';
import { after, askText, type Answer, type OtherWay, type Step, type StepPosition } from '../../host/quickInput.ts';
import { CommandFailure } from '../../host/commandBoundary.ts';

/** What asking for a description needs. */
export interface DescriptionParts {
  readonly memory: Memory;
  readonly markdownDraft: MarkdownDraft;
}

/** Asks for a description: in one line, or as a document with a preview. */
export async function askDescription(
  parts: DescriptionParts,
  position: StepPosition,
  draft: { description: string },
): ReturnType<Step> {
  return after(await ask(parts, position, draft.description), (value) => (draft.description = value));
}

async function ask(parts: DescriptionParts, position: StepPosition, text: string): Promise<Answer<string>> {
  const shown = oneLine(text);
  // The input shows one line; lines that were written elsewhere are kept where they were not changed.
  const whole = (typed: string): string => (oneLine(typed) === shown ? text : typed);
  const again = (value: string): Promise<Answer<string>> => ask(parts, position, value);
  const write: OtherWay = {
    icon: 'open-preview',
    label: l10n.t('Write as a Document with Preview'),
    go: async (typed) => await again((await parts.markdownDraft.write(whole(typed))) ?? whole(typed)),
  };
  const lastDescription = await parts.memory.lastDescription();
  const repeat: OtherWay[] =
    lastDescription === undefined
      ? []
      : [{ icon: 'history', label: l10n.t('Take the Last Description'), go: () => again(lastDescription) }];
  const answer = await askText(position, {
    prompt: l10n.t('What this transfer is for, in Markdown; may be empty'),
    value: shown,
    ways: [...repeat, write],
  });
  return typeof answer === 'string' ? answer : { value: whole(answer.value) };
}

function oneLine(text: string): string {
  return text.replace(/\s+/g, ' ').trim();
}

/** Takes what is written in the document as the description. */
export function useDescription({ markdownDraft }: DescriptionParts): void {
  if (!markdownDraft.isOpen) throw new CommandFailure(l10n.t('No description is being written.'));
  markdownDraft.take();
}
