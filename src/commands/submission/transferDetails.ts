import { l10n } from 'vscode';
import type { ConnectionStore } from '../../core/store/connectionStore.ts';
import type { JsonObject } from '../../core/util/json.ts';
import { CommandFailure } from '../../host/commandBoundary.ts';
import { after, pickOne, runSteps, type Step, type StepPosition } from '../../host/quickInput.ts';
import { plainLine } from '../../host/words.ts';
import { askDescription, type DescriptionParts } from './transferDescription.ts';
import {
  askInstructionsSource,
  askTypedInstructions,
  instructionsToKeep,
  type InstructionsDraft,
  type InstructionsParts,
} from './transferInstructions.ts';

/** What a person says of a transfer besides its files (§4.5). */
interface TransferDetails {
  readonly destination: string;
  readonly description?: string;
  readonly instructions?: JsonObject;
}

/** What asking needs. */
export interface DetailsParts extends DescriptionParts, InstructionsParts {
  readonly connectionStore: ConnectionStore;
}

interface Draft extends InstructionsDraft {
  destination: string;
  description: string;
}

/** What asking begins with, and how it ends. */
export interface DetailsQuestion {
  readonly title?: string;
  /** What is asked before. */
  readonly first?: Step;
  /** What was said of an earlier transfer. */
  readonly earlier?: TransferDetails;
  /** Sums up what was said, and asks for the last word; from there the person can go back as well. */
  confirm(details: TransferDetails): ReturnType<Step>;
}

/** Asks for destination, description and instructions, and sums up. False when nothing is to be sent. */
export async function askTransferDetails(
  parts: DetailsParts,
  sources: readonly string[],
  { title = l10n.t('Transfer Files'), first, earlier, confirm }: DetailsQuestion,
): Promise<boolean> {
  const lastDestination = (await parts.memory.lastDestination()) ?? '';
  const draft: Draft = { destination: lastDestination, description: '', instructions: undefined, from: 'none' };
  Object.assign(draft, earlier, earlier?.instructions && { from: 'earlier' });
  const steps: readonly Step[] = [
    ...(first ? [first] : []),
    (position) => askDestination(parts, sources, position, draft),
    (position) => askDescription(parts, position, draft),
    (position) => askInstructionsSource(parts, position, draft, earlier?.instructions),
    (position) => askTypedInstructions(parts, position, draft),
  ];
  const isDone = await runSteps(title, steps, () => confirm(detailsOf(draft)));
  if (isDone) await parts.memory.rememberDetails(draft.destination, draft.description, instructionsToKeep(draft));
  return isDone;
}

function detailsOf({ destination, description, instructions }: Draft): TransferDetails {
  return { destination, ...(description !== '' && { description }), ...(instructions && { instructions }) };
}

async function askDestination(
  { connectionStore }: DetailsParts,
  sources: readonly string[],
  position: StepPosition,
  draft: Draft,
): ReturnType<Step> {
  const { databases } = connectionStore.listing;
  const others = databases.filter(({ name, readOnly }) => !sources.includes(name) && readOnly !== true);
  if (others.length === 0) throw new CommandFailure(l10n.t('The service has no other database to transfer to.'));
  const answer = await pickOne(position, {
    placeholder: l10n.t('Select the database to transfer to'),
    choices: others.map(({ name, organization }) => ({
      label: plainLine(name),
      description: plainLine(organization),
      value: name,
    })),
    active: draft.destination,
  });
  return after(answer, (value) => (draft.destination = value));
}
