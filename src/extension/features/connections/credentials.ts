import { l10n } from 'vscode';
import type { Connection } from '../../../core/model/connection.ts';
import type { Reason } from '../../../core/model/reason.ts';
import { hasOrcidForm, parseOrcid } from '../../../core/util/userIdentity.ts';
import { getUserId } from '../../editor/connectionFacts.ts';
import { askText, createSingleStep, type TextInputOptions } from '../../editor/quickInput.ts';
import { isVariableName } from '../../editor/settings.ts';
import { toPlainLine } from '../../words/plainText.ts';
import { describeFailedConnection } from '../../words/reasonWords.ts';
import type { CommandServices } from '../services.ts';

/**
 * Asks for a connection's key and saves it once the service has accepted it (D6: prove the key). If the user didn't
 * request the prompt, `reason` explains why the key is needed. Returns undefined if the user cancels.
 */
export async function askApiKey(
  services: CommandServices,
  connection: Connection,
  reason?: Reason,
): Promise<string | undefined> {
  const origin = l10n.t(
    "Developer token for your account on this service. It's stored in the editor's secret storage.",
  );
  const cause = reason && describeFailedConnection(reason);
  const key = await askText(createSingleStep(l10n.t('API Key for {0}', toPlainLine(connection.name))), {
    prompt: cause === undefined ? origin : `${cause} ${origin}`,
    password: true,
    validate: requireKey,
    check: (value, signal) => checkKey(services, connection, value, signal),
  });
  if (typeof key === 'string') return undefined;
  const isSaved = await services.apiKeys.set(connection, key.value);
  if (!isSaved || reason?.kind === 'keyGone') warnAboutUnsavedKeys(services, connection);
  return key.value;
}

/** Warns that the editor doesn't store secrets. Offers to use an environment variable instead. */
export function warnAboutUnsavedKeys(services: CommandServices, { id, name }: Connection): void {
  const message = l10n.t(
    "This editor doesn't store secrets. You'll have to enter the API key for {0} again after a restart.",
    name,
  );
  const label = l10n.t('Use an Environment Variable');
  void services.notifications.warning(message, { label, run: () => askVariable(services, id) });
}

/** Asks for the variable with a connection's key, and saves its name. Tests the key if the variable is set. */
async function askVariable(services: CommandServices, connectionId: string): Promise<void> {
  const { apiKeys, settings, notifications } = services;
  const connection = settings.connections.find(({ id }) => id === connectionId);
  if (!connection) return;
  const answer = await askText(createSingleStep(l10n.t('API Key for {0}', toPlainLine(connection.name))), {
    prompt: l10n.t(
      'Name of an environment variable that contains the API key (not the key itself). It must be set where the extension runs.',
    ),
    placeholder: 'DATA_TRANSFER_KEY',
    value: connection.apiKeyVariable ?? '',
    validate: (name) =>
      isVariableName(name)
        ? undefined
        : l10n.t("The name can contain only letters, digits, and _, and can't start with a digit."),
    check: (name, signal) => checkVariable(services, { ...connection, apiKeyVariable: name }, signal),
  });
  if (typeof answer === 'string') return;
  const changed = { ...connection, apiKeyVariable: answer.value };
  await settings.saveConnection(changed);
  if (apiKeys.isFromEnvironment(changed)) reportAcceptedKey(services);
  else
    void notifications.info(
      l10n.t('Set the {0} environment variable to the API key, then restart the editor.', answer.value),
    );
}

/**
 * Tests the key in an environment variable. Accepts an unset variable, because it may be set when the editor next
 * starts. Returns an error message if the test fails.
 */
async function checkVariable(
  services: CommandServices,
  connection: Connection,
  signal: AbortSignal,
): Promise<string | undefined> {
  const { apiKeys } = services;
  const key = apiKeys.isFromEnvironment(connection) ? await apiKeys.get(connection) : undefined;
  return key === undefined ? undefined : await checkKey(services, connection, key, signal);
}

async function checkKey(
  { connectFlow }: CommandServices,
  connection: Connection,
  key: string,
  signal: AbortSignal,
): Promise<string | undefined> {
  const reason = await connectFlow.checkKey(connection, key, signal);
  return reason && describeFailedConnection(reason);
}

/** Returns an error message for an input box without a key. */
export function requireKey(value: string): string | undefined {
  return value === '' ? l10n.t('Enter the API key.') : undefined;
}

/** Reports that the service accepted a key. */
export function reportAcceptedKey({ notifications }: CommandServices): void {
  notifications.showStatusMessage(l10n.t('API key accepted.'));
}

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
