import { l10n } from 'vscode';
import type { Database } from '../../../core/model/databaseModel.ts';
import type { TransferOrder } from '../../../core/model/transferModel.ts';
import type { JsonObject } from '../../../core/util/json.ts';
import { CommandHint } from '../../editor/commandBoundary.ts';
import { runSteps } from '../../editor/inputSteps.ts';
import { localConnectionId } from '../../editor/machine.ts';
import { toStepResult, pickOne, type Choice, type Step, type StepPosition } from '../../editor/quickInput.ts';
import { createServeStep, createSwitchStep } from '../../notifications/nextSteps.ts';
import { toPlainLine } from '../../words/plainText.ts';
import { getActiveDatabases } from '../connections/activeDatabases.ts';
import type { CommandServices } from '../services.ts';
import { askOptionalDetails, type DetailsDraft } from './optionalDetails.ts';
import { getInstructionsToSave } from './transferInstructions.ts';

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
  { connectionId, title = l10n.t('Transfer Files'), firstStep, earlier, confirm }: TransferDetailsOptions,
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

/** Asks for the destination. Lists the draft's destination first. */
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
    placeholder: l10n.t('Select the database to transfer to'),
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
