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
  kind: 'none' | 'kept' | 'typed' | Uri;
}

/** What asking begins with: another title, what is asked before, and what was said of an earlier transfer. */
export interface DetailsStart {
  readonly title?: string;
  readonly first?: Step;
  readonly earlier?: TransferDetails;
}

/** Asks for destination, description and instructions. Undefined when the person left. */
export async function askTransferDetails(
  parts: DetailsParts,
  sources: readonly string[],
  { title = l10n.t('Transfer Files'), first, earlier }: DetailsStart = {},
): Promise<TransferDetails | undefined> {
  const { lastDestination = '' } = parts.memory;
  const draft: Draft = { destination: lastDestination, description: '', instructions: undefined, kind: 'none' };
  Object.assign(draft, earlier);
  const done = await runSteps(title, [
    ...(first ? [first] : []),
    (position) => askDestination(parts, sources, position, draft),
    (position) => askDescription(position, draft),
    (position) => askInstructionsKind(position, draft, earlier?.instructions),
    (position) => askTypedInstructions(position, draft),
  ]);
  if (!done) return undefined;
  const { destination, description, instructions } = draft;
  return { destination, ...(description !== '' && { description }), ...(instructions && { instructions }) };
}

async function askDestination(
  { connectionStore }: DetailsParts,
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
    active: draft.destination,
  });
  return after(answer, (value) => (draft.destination = value));
}

async function askDescription(position: StepPosition, draft: Draft): ReturnType<Step> {
  const answer = await askText(position, {
    prompt: l10n.t('What this transfer is for, in Markdown; may be empty'),
    value: oneLine(draft.description),
  });
  const unchanged = oneLine(draft.description);
  return after(answer, (value) => {
    // The input shows one line; the lines of an earlier description are kept where it was not changed.
    if (oneLine(value) !== unchanged) draft.description = value;
  });
}

function oneLine(text: string): string {
  return text.replace(/\s+/g, ' ').trim();
}

async function askInstructionsKind(
  position: StepPosition,
  draft: Draft,
  earlier: JsonObject | undefined,
): ReturnType<Step> {
  const files = await workspace.findFiles('**/*.json', '**/{node_modules,.git}/**', 200);
  const choices: Choice<Draft['kind']>[] = [
    ...(earlier ? [{ label: l10n.t('The same instructions as before'), value: 'kept' as const }] : []),
    { label: l10n.t('No instructions'), value: 'none' },
    { label: l10n.t('Type instructions as JSON…'), value: 'typed' },
    ...files.map((value) => ({ label: workspace.asRelativePath(value), description: l10n.t('JSON file'), value })),
  ];
  const placeholder = l10n.t('Instructions for processing the files at the destination');
  const answer = await pickOne(position, { placeholder, choices });
  if (typeof answer === 'string') return answer;
  draft.kind = answer.value;
  if (answer.value instanceof Uri) draft.instructions = await readInstructions(answer.value);
  else draft.instructions = answer.value === 'none' ? undefined : earlier;
  return 'next';
}

async function askTypedInstructions(position: StepPosition, draft: Draft): ReturnType<Step> {
  if (draft.kind !== 'typed') return 'skip';
  const answer = await askText(position, {
    prompt: l10n.t('Instructions as a JSON object'),
    placeholder: '{"type": "assembly"}',
    value: draft.instructions ? JSON.stringify(draft.instructions) : '',
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
