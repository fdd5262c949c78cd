import { l10n, Uri, workspace } from 'vscode';
import type { ConnectionStore } from '../core/store/connectionStore.ts';
import { parseJsonObject, type JsonObject } from '../core/util/json.ts';
import { CommandFailure } from '../host/commandRegistry.ts';
import type { Memory } from '../host/memory.ts';
import { after, askText, pickOne, runSteps, type Choice, type Step, type StepPosition } from '../host/quickInput.ts';
import { plainLine } from '../host/words.ts';

/** What a person says of a transfer besides its files (§4.5). */
export interface TransferDetails {
  readonly destination: string;
  readonly description?: string;
  readonly instructions?: JsonObject;
}

/** What asking needs. */
export interface DetailsParts {
  readonly connectionStore: ConnectionStore;
  readonly memory: Memory;
}

interface Draft {
  destination: string;
  description: string;
  instructions: JsonObject | undefined;
  kind: 'none' | 'typed' | Uri;
}

/** Asks for destination, description and instructions. Undefined when the person left. */
export async function askTransferDetails(
  parts: DetailsParts,
  sources: readonly string[],
): Promise<TransferDetails | undefined> {
  const draft: Draft = { destination: '', description: '', instructions: undefined, kind: 'none' };
  const done = await runSteps(l10n.t('Transfer Files'), [
    (position) => askDestination(parts, sources, position, draft),
    (position) => askDescription(position, draft),
    (position) => askInstructionsKind(position, draft),
    (position) => askTypedInstructions(position, draft),
  ]);
  if (!done) return undefined;
  const { destination, description, instructions } = draft;
  return { destination, ...(description !== '' && { description }), ...(instructions && { instructions }) };
}

async function askDestination(
  { connectionStore, memory }: DetailsParts,
  sources: readonly string[],
  position: StepPosition,
  draft: Draft,
): ReturnType<Step> {
  const others = connectionStore.listing.databases.filter(({ name }) => !sources.includes(name));
  if (others.length === 0) throw new CommandFailure(l10n.t('The service has no other database to transfer to.'));
  const answer = await pickOne(position, {
    placeholder: l10n.t('Select the database to transfer to'),
    choices: others.map(({ name, organization }) => ({
      label: plainLine(name),
      description: plainLine(organization),
      value: name,
    })),
    ...(memory.lastDestination !== undefined && { active: memory.lastDestination }),
  });
  return after(answer, (value) => (draft.destination = value));
}

async function askDescription(position: StepPosition, draft: Draft): ReturnType<Step> {
  const answer = await askText(position, {
    prompt: l10n.t('What this transfer is for, in Markdown; may be empty'),
    value: draft.description,
  });
  return after(answer, (value) => (draft.description = value));
}

async function askInstructionsKind(position: StepPosition, draft: Draft): ReturnType<Step> {
  const files = await workspace.findFiles('**/*.json', '**/{node_modules,.git}/**', 200);
  const choices: Choice<Draft['kind']>[] = [
    { label: l10n.t('No instructions'), value: 'none' },
    { label: l10n.t('Type instructions as JSON…'), value: 'typed' },
    ...files.map((value) => ({ label: workspace.asRelativePath(value), description: l10n.t('JSON file'), value })),
  ];
  const placeholder = l10n.t('Instructions for processing the files at the destination');
  const answer = await pickOne(position, { placeholder, choices });
  if (typeof answer === 'string') return answer;
  draft.kind = answer.value;
  draft.instructions = answer.value instanceof Uri ? await readInstructions(answer.value) : undefined;
  return 'next';
}

async function askTypedInstructions(position: StepPosition, draft: Draft): ReturnType<Step> {
  if (draft.kind !== 'typed') return 'skip';
  const answer = await askText(position, {
    prompt: l10n.t('Instructions as a JSON object'),
    placeholder: '{"type": "assembly"}',
    validate: (value) => (parseJsonObject(value) ? undefined : l10n.t('This is not a JSON object yet.')),
  });
  return after(answer, (value) => (draft.instructions = parseJsonObject(value)));
}

async function readInstructions(file: Uri): Promise<JsonObject> {
  const text = new TextDecoder().decode(await workspace.fs.readFile(file));
  const instructions = parseJsonObject(text);
  if (instructions) return instructions;
  throw new CommandFailure(l10n.t('Instructions must be a JSON object; {0} is not.', workspace.asRelativePath(file)));
}
