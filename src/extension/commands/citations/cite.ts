import { env, l10n } from 'vscode';
import { listCitations } from '../../../core/citations/citableUnits.ts';
import { writeCitations, type CitationFormat } from '../../../core/citations/citationFormats.ts';
import type { Citation } from '../../../core/citations/citation.ts';
import { getAccessDay } from '../../../core/model/transferOutcome.ts';
import { runSteps } from '../../editor/inputSteps.ts';
import type { Step } from '../../editor/quickInput.ts';
import {
  describeCopiedCitations,
  formatAvailabilityStatement,
  getCitationFileTexts,
} from '../../words/citationWords.ts';
import type { CommandServices } from '../services.ts';
import { askCitationAction, askCitationFormat, type CitationAction } from './citationPrompt.ts';
import { insertText, saveCitations } from './citationTargets.ts';
import { collectCitedFiles, type CiteArgument } from './citedFiles.ts';

/**
 * Creates citations for files. The user chooses a format, and whether to copy the citations, insert them at the cursor,
 * or save them.
 */
export async function cite(
  services: CommandServices,
  argument: CiteArgument | undefined,
  selection: readonly CiteArgument[] | undefined,
): Promise<void> {
  const cited = await collectCitedFiles(services, argument, selection, l10n.t('Cite'));
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
  const title = l10n.t('Copy Data Availability Statement');
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
  if (!(await runSteps(l10n.t('Cite'), steps))) return undefined;
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
