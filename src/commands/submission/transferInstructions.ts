import { l10n, Range, Uri, window, workspace } from 'vscode';
import type { JsonObject } from '../../core/util/json.ts';
import { readJsonObject, type JsonReading } from '../../core/util/jsonObject.ts';
import type { LastInstructions, Memory } from '../../host/memory.ts';
import type { Notices } from '../../host/notices.ts';
import { askText, pickOne, type Choice, type Step, type StepPosition } from '../../host/quickInput.ts';
import { plainLine } from '../../host/words.ts';

/** What asking for instructions needs. */
export interface InstructionsParts {
  readonly memory: Memory;
  readonly notices: Notices;
}

/** Instructions, and where they came from. */
export interface InstructionsDraft {
  instructions: JsonObject | undefined;
  from: 'none' | 'earlier' | 'typed' | Uri;
}

const mostFiles = 500;
const largestFileBytes = 5_000_000;

/** Asks where the instructions come from (§4.5); a file that is no JSON object is refused here, with the place of the error. */
export async function askInstructionsSource(
  parts: InstructionsParts,
  position: StepPosition,
  draft: InstructionsDraft,
  earlier: JsonObject | undefined,
): ReturnType<Step> {
  const last = await lastFile(parts.memory);
  for (;;) {
    const answer = await pickOne<InstructionsDraft['from']>(position, {
      placeholder: l10n.t('Instructions for processing the files at the destination'),
      choices: firstChoices(earlier, last),
      active: draft.from,
      later: workspaceFiles(last),
    });
    if (typeof answer === 'string') return answer;
    draft.from = answer.value;
    if (await isSettled(parts, draft, earlier)) return 'next';
  }
}

/** Takes the instructions from where they come; false when they cannot be used. */
async function isSettled(
  parts: InstructionsParts,
  draft: InstructionsDraft,
  earlier: JsonObject | undefined,
): Promise<boolean> {
  if (draft.from === 'typed') return true;
  if (draft.from instanceof Uri) {
    draft.instructions = await taken(parts, draft.from);
    return draft.instructions !== undefined;
  }
  draft.instructions = draft.from === 'none' ? undefined : earlier;
  return true;
}

/** What the file holds; undefined, with the reason told, when it cannot be used. */
async function taken({ notices }: InstructionsParts, file: Uri): Promise<JsonObject | undefined> {
  const read = await readFile(file);
  if (typeof read !== 'string') return read.value;
  void notices.error(read, { label: l10n.t('Open File'), run: opening(file) });
  return undefined;
}

/** Asks for the instructions themselves, where they are to be typed. */
export async function askTypedInstructions(
  { memory }: InstructionsParts,
  position: StepPosition,
  draft: InstructionsDraft,
): ReturnType<Step> {
  if (draft.from !== 'typed') return 'skip';
  const lastInstructions = await memory.lastInstructions();
  const last = lastInstructions && 'text' in lastInstructions ? lastInstructions.text : '';
  const answer = await askText(position, {
    prompt: l10n.t('Instructions as a JSON object'),
    placeholder: '{"type": "assembly"}',
    value: draft.instructions ? JSON.stringify(draft.instructions) : last,
    validate: (value) => typedTrouble(readJsonObject(value)),
  });
  if (typeof answer === 'string') return answer;
  const read = readJsonObject(answer.value);
  if (read.kind === 'object') draft.instructions = read.value;
  return 'next';
}

/** What is worth keeping of the instructions for the next transfer. */
export function instructionsToKeep({ instructions, from }: InstructionsDraft): LastInstructions | undefined {
  if (from instanceof Uri) return { file: from.toString() };
  return from === 'typed' && instructions ? { text: JSON.stringify(instructions) } : undefined;
}

function firstChoices(earlier: JsonObject | undefined, last: Uri | undefined): Choice<InstructionsDraft['from']>[] {
  return [
    ...(earlier ? [{ label: l10n.t('The same instructions as before'), value: 'earlier' as const }] : []),
    { label: l10n.t('No instructions'), value: 'none' },
    { label: l10n.t('Type instructions as JSON…'), value: 'typed' },
    ...(last ? [{ label: pathText(last), description: l10n.t('JSON file, used last'), value: last }] : []),
  ];
}

async function workspaceFiles(last: Uri | undefined): Promise<readonly Choice<InstructionsDraft['from']>[]> {
  const files = await workspace.findFiles('**/*.json', '**/{node_modules,.git}/**', mostFiles);
  const others = files.filter((file) => file.toString() !== last?.toString());
  const choices = others.map((value) => ({ label: pathText(value), description: l10n.t('JSON file'), value }));
  return choices.sort((one, other) => one.label.localeCompare(other.label));
}

async function lastFile(memory: Memory): Promise<Uri | undefined> {
  const lastInstructions = await memory.lastInstructions();
  if (!lastInstructions || !('file' in lastInstructions)) return undefined;
  const file = Uri.parse(lastInstructions.file);
  return workspace.getWorkspaceFolder(file) ? file : undefined;
}

/** What a file holds, or why it cannot be used. */
async function readFile(file: Uri): Promise<string | { readonly value: JsonObject }> {
  const name = pathText(file);
  try {
    const { size } = await workspace.fs.stat(file);
    if (size > largestFileBytes) return l10n.t('{0} is too large for instructions.', name);
    const read = readJsonObject(new TextDecoder().decode(await workspace.fs.readFile(file)));
    if (read.kind === 'object') return read;
    if (read.kind === 'other') return l10n.t('Instructions must be a JSON object; {0} is not.', name);
    return l10n.t('{0} is not JSON: the error is in line {1}, column {2}.', name, read.line, read.column);
  } catch {
    return l10n.t('{0} cannot be read.', name);
  }
}

function typedTrouble(read: JsonReading): string | undefined {
  if (read.kind === 'object') return undefined;
  if (read.kind === 'other') return l10n.t('This is not a JSON object yet.');
  return l10n.t('This is not JSON yet: the error is at character {0}.', read.column);
}

/** Opens a file where its error is now: it may have been changed since it was read. */
function opening(file: Uri): () => Promise<void> {
  return async () => {
    const document = await workspace.openTextDocument(file);
    const read = readJsonObject(document.getText());
    const place = read.kind === 'broken' ? [read.line - 1, read.column - 1] : [0, 0];
    const [line = 0, column = 0] = place;
    await window.showTextDocument(document, { selection: new Range(line, column, line, column) });
  };
}

function pathText(file: Uri): string {
  return plainLine(workspace.asRelativePath(file));
}
