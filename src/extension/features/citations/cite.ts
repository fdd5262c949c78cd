import { homedir } from 'node:os';
import { join } from 'node:path';
import { commands, env, l10n, Uri, window, workspace } from 'vscode';
import { listCitations } from '../../../core/citations/citableUnits.ts';
import type { Citation } from '../../../core/citations/citation.ts';
import {
  citationFileNames,
  citationFormats,
  writeCitations,
  type CitationFormat,
} from '../../../core/citations/citationFormats.ts';
import { getAccessDay } from '../../../core/model/transferOutcome.ts';
import { CommandFailure } from '../../editor/commandBoundary.ts';
import { pickNewFile, writeTextFile } from '../../editor/fileDialogs.ts';
import { runSteps } from '../../editor/inputSteps.ts';
import { pickOne, toStepResult, type Choice, type Step, type StepPosition } from '../../editor/quickInput.ts';
import {
  describeCopiedCitations,
  formatAvailabilityStatement,
  getCitationFileTexts,
  getCitationFormatName,
} from '../../words/citationWords.ts';
import { describeError, toPlainLine } from '../../words/plainText.ts';
import { getFormatPlaceholder, getInsertLabel } from '../../words/sharedLabels.ts';
import type { CommandServices } from '../services.ts';
import { collectCitedFiles, type CiteArgument } from './citedFiles.ts';
import { getDialogTitle } from '../../words/commandTitles.ts';

/** Creates citations for files in a chosen format, and copies, inserts or saves them. */
export async function cite(
  services: CommandServices,
  argument: CiteArgument | undefined,
  selection: readonly CiteArgument[] | undefined,
): Promise<void> {
  const cited = await collectCitedFiles(services, argument, selection, getDialogTitle('dataTransfer.cite'));
  if (!cited) return;
  const citations = listCitations(cited.files, getAccessDay(cited.receipt));
  const request = await askRequest(services);
  if (!request) return;
  await services.memory.rememberCitation(request);
  const text = writeCitations(request.format, citations, getCitationFileTexts(citations.length));
  await deliver(services, { ...request, citations, text });
}

/**
 * Copies a data availability statement in Markdown. The statement contains the number of files, their sources, the
 * service, the transfer date, and the citations.
 */
export async function copyAvailabilityStatement(
  services: CommandServices,
  argument: CiteArgument | undefined,
  selection: readonly CiteArgument[] | undefined,
): Promise<void> {
  const title = getDialogTitle('dataTransfer.copyAvailabilityStatement');
  const cited = await collectCitedFiles(services, argument, selection, title);
  if (!cited) return;
  await env.clipboard.writeText(formatAvailabilityStatement(cited, listCitations(cited.files)));
  services.notifications.showStatusMessage(l10n.t('Copied the data availability statement.'));
}

/** A format for citations, and what to do with the citations. */
interface CitationRequest {
  readonly format: CitationFormat;
  readonly action: CitationAction;
}

async function askRequest({ memory }: CommandServices): Promise<CitationRequest | undefined> {
  const last = await memory.getLastCitation();
  let { format, action } = last;
  const steps: readonly Step[] = [
    async (position) => await askCitationFormat(position, last.format, (value) => (format = value)),
    async (position) => await askCitationAction(position, last.action, (value) => (action = value)),
  ];
  if (!(await runSteps(getDialogTitle('dataTransfer.cite'), steps))) return undefined;
  return format && action ? { format, action } : undefined;
}

interface WrittenCitations extends CitationRequest {
  readonly citations: readonly Citation[];
  readonly text: string;
}

async function deliver(
  services: CommandServices,
  { format, action, citations, text }: WrittenCitations,
): Promise<void> {
  if (action === 'insert') await insertText(text);
  else if (action === 'save') await saveCitations(services, format, text);
  else {
    await env.clipboard.writeText(text);
    services.notifications.showStatusMessage(describeCopiedCitations(citations.length));
  }
}

/** An action that the user can take with citations. */
type CitationAction = 'copy' | 'insert' | 'save';

async function askCitationFormat(
  position: StepPosition,
  last: CitationFormat | undefined,
  store: (format: CitationFormat) => void,
): ReturnType<Step> {
  const choices = citationFormats.map((value) => ({
    label: getCitationFormatName(value),
    description: citationFileNames[value],
    value,
  }));
  const placeholder = getFormatPlaceholder();
  return toStepResult(await pickOne(position, { placeholder, choices, ...(last && { active: last }) }), store);
}

/** Asks what to do with the citations; highlights the last choice. Inserting needs an active text editor. */
async function askCitationAction(
  position: StepPosition,
  last: CitationAction | undefined,
  store: (action: CitationAction) => void,
): ReturnType<Step> {
  const choices: readonly Choice<CitationAction>[] = [
    { label: l10n.t('Copy'), value: 'copy' },
    ...(window.activeTextEditor ? [{ label: getInsertLabel(), value: 'insert' as const }] : []),
    { label: l10n.t('Save As…'), value: 'save' },
  ];
  const placeholder = l10n.t('Select what to do with the citations');
  return toStepResult(await pickOne(position, { placeholder, choices, ...(last && { active: last }) }), store);
}

async function insertText(text: string): Promise<void> {
  const editor = window.activeTextEditor;
  const isInserted = await editor?.edit((edit) => {
    for (const selection of editor.selections) edit.replace(selection, text);
  });
  if (!isInserted)
    throw new CommandFailure(l10n.t('Could not insert the citations into the editor. Copy them instead.'));
}

async function saveCitations({ notifications }: CommandServices, format: CitationFormat, text: string): Promise<void> {
  const name = citationFileNames[format];
  const kinds = { [getCitationFormatName(format)]: [name.replace(/^.*\./, '')] };
  const file = await pickNewFile(l10n.t('Save Citations'), getSuggestedFile(name), kinds);
  if (!file) return;
  try {
    await writeTextFile(file, [text]);
  } catch (error) {
    throw new CommandFailure(l10n.t('Could not write {0}: {1}', toPlainLine(file.path), describeError(error)));
  }
  const open = { label: l10n.t('Open'), run: () => commands.executeCommand('vscode.open', file) };
  void notifications.info(l10n.t('Saved the citations.'), open);
}

function getSuggestedFile(name: string): Uri {
  const [folder] = workspace.workspaceFolders ?? [];
  return folder ? Uri.joinPath(folder.uri, name) : Uri.file(join(homedir(), name));
}
