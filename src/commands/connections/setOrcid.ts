import { l10n } from 'vscode';
import { hasOrcidForm, parseOrcid } from '../../core/model/orcid.ts';
import type { Notices } from '../../host/notices.ts';
import { alone, askText, type TextQuestion } from '../../host/quickInput.ts';
import type { Settings } from '../../host/settings.ts';

/** Dependencies of the command. */
export interface OrcidParts {
  readonly settings: Settings;
  readonly notices: Notices;
}

/** The question for an ORCID iD, checked while it is typed (D19). */
export function orcidQuestion(value: string): TextQuestion {
  return {
    prompt: l10n.t('Your ORCID iD: the service wants to know who searches and transfers'),
    placeholder: '0000-0002-1825-0097',
    value,
    validate: describeOrcidError,
  };
}

function describeOrcidError(text: string): string | undefined {
  if (parseOrcid(text) !== undefined) return undefined;
  if (hasOrcidForm(text)) return l10n.t("The check digit doesn't match: check the iD for a typo.");
  return l10n.t('An ORCID iD has 16 digits, for example 0000-0002-1825-0097; the last is a check digit or X.');
}

/** Asks for the ORCID iD and saves it. */
export async function setOrcid(parts: OrcidParts): Promise<void> {
  if ((await askOrcid(parts)) !== undefined) parts.notices.done(l10n.t('The ORCID iD is saved.'));
}

/** The saved ORCID iD; where there is none, asks and saves it. Undefined when the person left. */
export async function requireOrcid(parts: OrcidParts): Promise<string | undefined> {
  return parts.settings.orcid || (await askOrcid(parts));
}

async function askOrcid({ settings }: OrcidParts): Promise<string | undefined> {
  const answer = await askText(alone(l10n.t('ORCID iD')), orcidQuestion(settings.enteredOrcid));
  const orcid = typeof answer === 'string' ? undefined : parseOrcid(answer.value);
  if (orcid !== undefined) await settings.saveOrcid(orcid);
  return orcid;
}
