import { l10n, QuickPickItemKind } from 'vscode';
import type { JsonObject } from '../../../core/util/json.ts';
import { pickOne, type Choice, type PickOptions, type Step, type StepPosition } from '../../editor/quickInput.ts';
import { toPlainText } from '../../words/plainText.ts';
import type { CommandServices } from '../services.ts';
import { askDescription } from './transferDescription.ts';
import {
  askInstructions,
  describeLastInstructions,
  type InstructionsDraft,
  useLastInstructions,
} from './transferInstructions.ts';

/** The description and instructions that the user is entering. */
export interface DetailsDraft extends InstructionsDraft {
  description: string;
}

type DetailsAction = 'continue' | 'description' | 'instructions' | 'lastDescription' | 'lastInstructions';

const maxValueLength = 80;

/** Asks for the optional details in one step (§4.5). The first row is Continue, so pressing Enter skips the step. */
export async function askOptionalDetails(
  services: CommandServices,
  position: StepPosition,
  draft: DetailsDraft,
  earlier: JsonObject | undefined,
): ReturnType<Step> {
  for (;;) {
    const answer = await pickOne(position, await createPick(services, draft));
    if (typeof answer === 'string') return answer;
    if (answer.value === 'continue') return 'next';
    const outcome = await edit(services, answer.value, { ...position, canGoBack: true }, draft, earlier);
    if (outcome === 'cancel') return 'cancel';
  }
}

async function edit(
  services: CommandServices,
  action: Exclude<DetailsAction, 'continue'>,
  position: StepPosition,
  draft: DetailsDraft,
  earlier: JsonObject | undefined,
): ReturnType<Step> {
  if (action === 'description') return await askDescription(services, position, draft);
  if (action === 'instructions') return await askInstructions(services, position, draft, earlier);
  if (action === 'lastInstructions') await useLastInstructions(services, draft);
  else draft.description = (await services.memory.getLastDescription()) ?? '';
  return 'next';
}

async function createPick(services: CommandServices, draft: DetailsDraft): Promise<PickOptions<DetailsAction>> {
  const none = l10n.t({ message: 'none', comment: ['description or instructions'] });
  const last = await createLastChoices(services, draft);
  return {
    placeholder: l10n.t('Details (optional). Press Enter to continue.'),
    choices: [
      { label: l10n.t('Continue'), value: 'continue' },
      { label: l10n.t('Description…'), description: formatValue(draft.description) || none, value: 'description' },
      {
        label: l10n.t('Instructions…'),
        description: draft.instructions ? formatValue(JSON.stringify(draft.instructions)) : none,
        value: 'instructions',
      },
      ...(last.length > 0 ? [createHeading(), ...last] : []),
    ],
  };
}

/** Creates the rows that reuse the most recent description and instructions, possibly from different transfers. */
async function createLastChoices(
  services: CommandServices,
  { description, instructions }: DetailsDraft,
): Promise<Choice<DetailsAction>[]> {
  const lastDescription = await services.memory.getLastDescription();
  const lastInstructions = await describeLastInstructions(services);
  const choices: Choice<DetailsAction>[] = [];
  if (lastDescription !== undefined && lastDescription !== description) {
    const label = l10n.t('Use Last Description');
    choices.push({ label, description: formatValue(lastDescription), value: 'lastDescription' });
  }
  if (lastInstructions !== undefined && !instructions) {
    const label = l10n.t('Use Last Instructions');
    choices.push({ label, description: formatValue(lastInstructions), value: 'lastInstructions' });
  }
  return choices;
}

function createHeading(): Choice<DetailsAction> {
  return { label: l10n.t('Last used'), kind: QuickPickItemKind.Separator, value: 'continue' };
}

function formatValue(text: string): string {
  return toPlainText(text, maxValueLength);
}
