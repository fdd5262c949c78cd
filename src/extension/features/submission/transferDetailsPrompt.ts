import { l10n, QuickPickItemKind } from 'vscode';
import type { Database } from '../../../core/model/databaseModel.ts';
import type { TransferOrder } from '../../../core/model/transferModel.ts';
import type { JsonObject } from '../../../core/util/json.ts';
import { toShortLine } from '../../../core/util/visibleText.ts';
import { CommandHint } from '../../editor/commandBoundary.ts';
import { runSteps } from '../../editor/inputSteps.ts';
import { localConnectionId } from '../../editor/machine.ts';
import {
  pickOne,
  toStepResult,
  type Choice,
  type PickOptions,
  type Step,
  type StepPosition,
} from '../../editor/quickInput.ts';
import { createServeStep, createSwitchStep } from '../../editor/nextSteps.ts';
import { toPlainLine } from '../../words/plainText.ts';
import { getActiveDatabases } from '../connections/connectionPicker.ts';
import type { CommandServices } from '../services.ts';
import {
  askDescription,
  askInstructions,
  describeLastInstructions,
  getInstructionsToSave,
  useLastInstructions,
  type InstructionsDraft,
} from './transferInstructions.ts';
import { getDestinationPlaceholder, getLastDescriptionLabel } from '../../words/sharedLabels.ts';
import { getDialogTitle } from '../../words/commandTitles.ts';

/** The details of a transfer other than its files (§4.5). */
export interface TransferDetails {
  readonly destination: string;
  readonly description?: string;
  readonly instructions?: JsonObject;
}

/** The connection of a transfer, and the names of the databases that contain its files. */
interface TransferSources {
  readonly connectionId: string;
  readonly sources: readonly string[];
}

interface Draft extends DetailsDraft {
  destination: string;
}

/** Options for {@link askTransferDetails}. */
interface TransferDetailsOptions {
  /** ID of the connection that the transfer uses. */
  readonly connectionId: string;
  readonly title?: string;
  /** A step to run before the others. */
  readonly firstStep?: Step;
  /** Details of an earlier transfer, used as defaults. */
  readonly earlier?: TransferDetails;
  /** Summarizes the details and asks for confirmation. The user can go back from here. */
  confirm(details: TransferDetails): ReturnType<Step>;
}

/**
 * Returns the last transfer's destination, or undefined if files from these sources can't be transferred to it. Throws
 * a {@link CommandHint} if the connection is no longer active.
 */
export async function findLastDestination(
  services: CommandServices,
  { connectionId, sources }: TransferSources,
): Promise<string | undefined> {
  const last = await services.memory.getLastDestination();
  return selectDestinations(getActiveDatabases(services, connectionId), sources).some(({ name }) => name === last)
    ? last
    : undefined;
}

/**
 * Returns false if an order's destination is known to be unsuitable: not on the service, read-only, or equal to the
 * source. Only the databases of the active connection are known.
 */
export function canTransferTo(services: CommandServices, order: TransferOrder): boolean {
  const { shown, listing } = services.connectionStore;
  if (shown?.id !== order.connectionId || listing.databases.length === 0) return true;
  return selectDestinations(listing.databases, [order.source]).some(({ name }) => name === order.destination);
}

/** Asks the user to confirm a transfer whose details are known. Remembers its destination if the user confirms. */
export async function confirmKnownDetails(
  { memory }: CommandServices,
  destination: string,
  confirm: () => ReturnType<Step>,
): ReturnType<Step> {
  const outcome = await confirm();
  if (outcome === 'next') await memory.rememberDetails(destination);
  return outcome;
}

/** Asks for the destination, optional details and confirmation. Returns false if the user cancels. */
export async function askTransferDetails(
  services: CommandServices,
  sources: readonly string[],
  {
    connectionId,
    title = getDialogTitle('dataTransfer.transferFiles'),
    firstStep,
    earlier,
    confirm,
  }: TransferDetailsOptions,
): Promise<boolean> {
  const { memory } = services;
  const lastDestination = (await memory.getLastDestination()) ?? '';
  const draft: Draft = { destination: lastDestination, description: '', instructions: undefined, from: 'none' };
  Object.assign(draft, earlier, earlier?.instructions && { from: 'earlier' });
  const steps: readonly Step[] = [
    ...(firstStep ? [firstStep] : []),
    (position) => askDestination(services, { connectionId, sources }, position, draft),
    (position) => askOptionalDetails(services, position, draft, earlier?.instructions),
  ];
  const isDone = await runSteps(title, steps, () => confirm(toTransferDetails(draft)));
  if (isDone) await memory.rememberDetails(draft.destination, draft.description, getInstructionsToSave(draft));
  return isDone;
}

function selectDestinations(databases: readonly Database[], sources: readonly string[]): readonly Database[] {
  return databases.filter(({ name, readOnly }) => !sources.includes(name) && readOnly !== true);
}

async function askDestination(
  services: CommandServices,
  { connectionId, sources }: TransferSources,
  position: StepPosition,
  draft: Draft,
): ReturnType<Step> {
  const others = selectDestinations(getActiveDatabases(services, connectionId), sources);
  if (others.length === 0) throw createNoDestinationHint(services);
  const isFirst = ({ name }: Database): boolean => name === draft.destination;
  const answer = await pickOne(position, {
    placeholder: getDestinationPlaceholder(),
    choices: [...others.filter(isFirst), ...others.filter((other) => !isFirst(other))].map(createChoice),
    active: draft.destination,
  });
  return toStepResult(answer, (value) => (draft.destination = value));
}

function createChoice({ name, organization }: Database): Choice<string> {
  return { label: toPlainLine(name), description: toPlainLine(organization), value: name };
}

function createNoDestinationHint({ connectionStore }: CommandServices): CommandHint {
  const step = connectionStore.shown?.id === localConnectionId ? createServeStep() : createSwitchStep();
  return new CommandHint(l10n.t('The service has no other database to transfer to.'), step);
}

function toTransferDetails({ destination, description, instructions }: Draft): TransferDetails {
  return { destination, ...(description !== '' && { description }), ...(instructions && { instructions }) };
}

/** The description and instructions that the user is entering. */
interface DetailsDraft extends InstructionsDraft {
  description: string;
}

type DetailsAction = 'continue' | 'description' | 'instructions' | 'lastDescription' | 'lastInstructions';

const maxValueLength = 80;

/** Asks for the optional details in one step (§4.5). The first row is Continue, so pressing Enter skips the step. */
async function askOptionalDetails(
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
    const label = getLastDescriptionLabel();
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
  return toShortLine(text, maxValueLength);
}
