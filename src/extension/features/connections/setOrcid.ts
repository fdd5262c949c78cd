import { l10n } from 'vscode';
import { hasOrcidForm, parseOrcid } from '../../../core/util/userIdentity.ts';
import { createSingleStep, askText, type TextInputOptions } from '../../editor/quickInput.ts';
import { getUserId } from '../../editor/connectionFacts.ts';
import type { CommandServices } from '../services.ts';

/**
 * Returns the `orcid` value for a connection's requests. If the service needs an ORCID iD and none is saved, asks for
 * one. Returns undefined if the user cancels.
 */
export async function requireOrcid(services: CommandServices, connectionId: string): Promise<string | undefined> {
  return getUserId(services.settings, connectionId) || (await askOrcid(services));
}

/** Asks for the user's ORCID iD and saves it. */
export async function setOrcid(services: CommandServices): Promise<void> {
  if ((await askOrcid(services)) !== undefined) services.notifications.showStatusMessage(l10n.t('ORCID iD saved.'));
}

/** Asks for the ORCID iD and saves it. Returns undefined if the user cancels. */
async function askOrcid({ settings }: CommandServices): Promise<string | undefined> {
  const answer = await askText(createSingleStep(l10n.t('ORCID iD')), createOrcidInput(settings.enteredOrcid));
  const orcid = typeof answer === 'string' ? undefined : parseOrcid(answer.value);
  if (orcid !== undefined) await settings.saveOrcid(orcid);
  return orcid;
}

/** Creates the input for an ORCID iD, which is validated while the user types (D19: ORCID iD format). */
export function createOrcidInput(value: string): TextInputOptions {
  return {
    prompt: l10n.t('Your ORCID iD (identifies you to the service for searches and transfers)'),
    placeholder: '0000-0002-1825-0097',
    value,
    validate: describeOrcidError,
  };
}

function describeOrcidError(text: string): string | undefined {
  if (parseOrcid(text) !== undefined) return undefined;
  if (hasOrcidForm(text)) return l10n.t("The check character doesn't match. Check the iD for typos.");
  return l10n.t('An ORCID iD has 15 digits and a check character (0–9 or X), for example 0000-0002-1825-0097.');
}
