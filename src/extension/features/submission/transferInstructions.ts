import { l10n, Range, Uri, window, workspace } from 'vscode';
import { hasInfinity, type JsonObject } from '../../../core/util/json.ts';
import { readJsonObject } from '../../../core/util/jsonObject.ts';
import { CommandHint } from '../../editor/commandBoundary.ts';
import type { LastInstructions, Memory } from '../../editor/memory.ts';
import {
  askText,
  pickOne,
  toStepResult,
  type Choice,
  type InputButton,
  type InputResult,
  type Step,
  type StepPosition,
} from '../../editor/quickInput.ts';
import { toPlainLine } from '../../words/plainText.ts';
import { describeJsonError } from '../../words/searchWords.ts';
import type { CommandServices } from '../services.ts';
import { describeUnreadableFile, getLastDescriptionLabel } from '../../words/sharedLabels.ts';

/** Instructions and their source. */
export interface InstructionsDraft {
  instructions: JsonObject | undefined;
  from: 'none' | 'earlier' | 'typed' | Uri;
}

const maxFiles = 500;
const maxFileBytes = 5_000_000;

/** Asks for the source of the instructions and, if the user chooses to type them, for the text. */
export async function askInstructions(
  services: CommandServices,
  position: StepPosition,
  draft: InstructionsDraft,
  earlier: JsonObject | undefined,
): ReturnType<Step> {
  const changed = { ...draft };
  let outcome: Awaited<ReturnType<Step>>;
  do {
    outcome = await askSource(services, position, changed, earlier);
    if (outcome !== 'next') return outcome;
    outcome = await askTypedText(services, position, changed);
  } while (outcome === 'back');
  if (outcome !== 'cancel') Object.assign(draft, changed);
  return outcome;
}

/** Describes the instructions that were used last; undefined without any, or without their file here. */
export async function describeLastInstructions({ memory }: CommandServices): Promise<string | undefined> {
  const file = await getLastFile(memory);
  return file ? formatPath(file) : await getLastInstructionsText(memory);
}

/** Reuses the instructions that were last typed or selected. Reports an error if their file can't be used. */
export async function useLastInstructions(services: CommandServices, draft: InstructionsDraft): Promise<void> {
  const file = await getLastFile(services.memory);
  const read = readJsonObject((await getLastInstructionsText(services.memory)) ?? '');
  const typed = read.kind === 'object' ? read.value : undefined;
  const instructions = file ? await readInstructions(services, file) : typed;
  if (instructions) Object.assign(draft, { instructions, from: file ?? 'typed' } satisfies InstructionsDraft);
}

async function getLastInstructionsText(memory: Memory): Promise<string | undefined> {
  const saved = await memory.getLastInstructions();
  return saved && 'text' in saved ? saved.text : undefined;
}

/** Asks for the source of the instructions. Rejects a file that can't be used, and reports the reason. */
async function askSource(
  services: CommandServices,
  position: StepPosition,
  draft: InstructionsDraft,
  earlier: JsonObject | undefined,
): ReturnType<Step> {
  const lastFile = await getLastFile(services.memory);
  for (;;) {
    const answer = await pickOne<InstructionsDraft['from']>(position, {
      placeholder: l10n.t('Instructions for processing the files at the destination (optional)'),
      choices: createFirstChoices(earlier, lastFile),
      active: draft.from,
      laterChoices: findWorkspaceFiles(lastFile),
    });
    if (typeof answer === 'string') return answer;
    draft.from = answer.value;
    if (await resolve(services, draft, earlier)) return 'next';
  }
}

/** Asks for the text of the instructions if the user has chosen to type it. */
async function askTypedText(
  services: CommandServices,
  position: StepPosition,
  draft: InstructionsDraft,
): ReturnType<Step> {
  if (draft.from !== 'typed') return 'skip';
  const lastText = (await getLastInstructionsText(services.memory)) ?? '';
  const answer = await askText(position, {
    prompt: l10n.t('Instructions as a JSON object'),
    placeholder: '{"type": "assembly"}',
    value: draft.instructions ? JSON.stringify(draft.instructions) : lastText,
    validate: describeJsonError,
  });
  if (typeof answer === 'string') return answer;
  const read = readJsonObject(answer.value);
  if (read.kind === 'object') draft.instructions = read.value;
  return 'next';
}

/** Reads the instructions from their source. Returns false if they can't be used. */
async function resolve(
  services: CommandServices,
  draft: InstructionsDraft,
  earlier: JsonObject | undefined,
): Promise<boolean> {
  const { from } = draft;
  if (from === 'none') draft.instructions = undefined;
  if (from === 'earlier') draft.instructions = earlier;
  if (from instanceof Uri) draft.instructions = await readInstructions(services, from);
  return !(from instanceof Uri) || draft.instructions !== undefined;
}

/** Reads the instructions in a file. Reports an error, and returns undefined, if the file can't be used. */
async function readInstructions(services: CommandServices, file: Uri): Promise<JsonObject | undefined> {
  const read = await readFile(file);
  if (typeof read !== 'string') return read.value;
  void services.notifications.error(read, { label: l10n.t('Open File'), run: createOpenAction(file) });
  return undefined;
}

/**
 * Returns the instructions to save for the next transfer: their text, or the URI of their file. Returns undefined if
 * the user neither typed them nor selected a file.
 */
export function getInstructionsToSave({ instructions, from }: InstructionsDraft): LastInstructions | undefined {
  if (from instanceof Uri) return { file: from.toString() };
  return from === 'typed' && instructions ? { text: JSON.stringify(instructions) } : undefined;
}

function createFirstChoices(
  earlier: JsonObject | undefined,
  last: Uri | undefined,
): Choice<InstructionsDraft['from']>[] {
  return [
    ...(earlier ? [{ label: l10n.t('Same instructions as before'), value: 'earlier' as const }] : []),
    { label: l10n.t('No instructions'), value: 'none' },
    { label: l10n.t('Enter instructions (JSON)…'), value: 'typed' },
    ...(last ? [{ label: formatPath(last), description: l10n.t('last used JSON file'), value: last }] : []),
  ];
}

async function findWorkspaceFiles(last: Uri | undefined): Promise<readonly Choice<InstructionsDraft['from']>[]> {
  const files = await workspace.findFiles('**/*.json', '**/{node_modules,.git}/**', maxFiles);
  const others = files.filter((file) => file.toString() !== last?.toString());
  const choices = others.map((value) => ({ label: formatPath(value), description: l10n.t('JSON file'), value }));
  return choices.sort((one, other) => one.label.localeCompare(other.label));
}

async function getLastFile(memory: Memory): Promise<Uri | undefined> {
  const lastInstructions = await memory.getLastInstructions();
  if (!lastInstructions || !('file' in lastInstructions)) return undefined;
  const file = Uri.parse(lastInstructions.file);
  return workspace.getWorkspaceFolder(file) ? file : undefined;
}

/** Reads a file. Returns the JSON object in it, or an error message if the file can't be used. */
async function readFile(file: Uri): Promise<string | { readonly value: JsonObject }> {
  const name = formatPath(file);
  try {
    const { size } = await workspace.fs.stat(file);
    if (size > maxFileBytes) return l10n.t('{0} is too large to use as instructions.', name);
    const read = readJsonObject(new TextDecoder().decode(await workspace.fs.readFile(file)));
    if (read.kind === 'object' && hasInfinity(read.value))
      return l10n.t('{0} contains a number that is too large. Put it in quotation marks.', name);
    if (read.kind === 'object') return read;
    if (read.kind === 'other') return l10n.t("Instructions must be a JSON object; {0} isn't one.", name);
    return l10n.t("{0} isn't valid JSON (line {1}, column {2}).", name, read.line, read.column);
  } catch {
    return describeUnreadableFile(name);
  }
}

/** Creates an action that opens a file at its JSON error, which is located again then. */
function createOpenAction(file: Uri): () => Promise<void> {
  return async () => {
    const document = await workspace.openTextDocument(file);
    const read = readJsonObject(document.getText());
    const [line, column] = read.kind === 'broken' ? [read.line - 1, read.column - 1] : [0, 0];
    await window.showTextDocument(document, { selection: new Range(line, column, line, column) });
  };
}

function formatPath(file: Uri): string {
  return toPlainLine(workspace.asRelativePath(file));
}

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
      : [{ icon: 'history', label: getLastDescriptionLabel(), run: () => askAgain(lastDescription) }];
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
