import { env, l10n } from 'vscode';
import { quoteForShell } from '../../../core/code/literals.ts';
import { CommandFailure } from '../../editor/commandBoundary.ts';
import { createSingleStep, pickOne, type Choice } from '../../editor/quickInput.ts';
import type { LocalServiceAccess } from '../../localService/serviceRecord.ts';
import { describeError } from '../../words/plainText.ts';
import type { CommandServices } from '../services.ts';

/**
 * Default name of the environment variable for a key. The name is specific to this extension, so that a program doesn't
 * send a key meant for another one.
 */
export const keyVariable = 'DATA_TRANSFER_KEY';
/** Name of the environment variable for the address of the local service in generated code. */
export const addressVariable = 'DATA_TRANSFER_ADDRESS';

/**
 * Copies the address, the key, or commands that set both as environment variables, for a program outside the editor.
 * Starts the local service if it isn't running. The key opens only this service, and changes at each start (D29: shared
 * service).
 */
export async function copyLocalAccess({ localService, notifications }: CommandServices): Promise<void> {
  const placeholder = l10n.t('Select what to copy. Address and key change when the service starts.');
  const answer = await pickOne(createSingleStep(l10n.t('Copy Address and Key of Local Service')), {
    placeholder,
    choices: listChoices(),
  });
  if (typeof answer === 'string') return;
  const access = await localService.start().catch((error: unknown) => {
    throw new CommandFailure(l10n.t('Could not start the local service: {0}', describeError(error)));
  });
  const text = answer.value(access);
  await env.clipboard.writeText(text);
  notifications.showStatusMessage(
    text.includes(access.token)
      ? l10n.t('Copied. Any program with the key can use this local service until it stops.')
      : l10n.t('Copied the address. A program also needs the API key.'),
  );
}

function listChoices(): readonly Choice<(access: LocalServiceAccess) => string>[] {
  const label = l10n.t('Commands that set both');
  const names = `${addressVariable}, ${keyVariable}`;
  return [
    { label, description: l10n.t('{0}, for bash, zsh and sh', names), value: writeExports },
    { label, description: l10n.t('{0}, for PowerShell', names), value: writeAssignments },
    { label: l10n.t('Address'), value: ({ address }) => address },
    { label: l10n.t('API key'), value: ({ token }) => token },
  ];
}

function writeExports({ address, token }: LocalServiceAccess): string {
  return `export ${addressVariable}=${quoteForShell(address)} ${keyVariable}=${quoteForShell(token)}\n`;
}

function writeAssignments({ address, token }: LocalServiceAccess): string {
  const quote = (text: string): string => `'${text.replaceAll("'", "''")}'`;
  return `$env:${addressVariable} = ${quote(address)}; $env:${keyVariable} = ${quote(token)}\n`;
}
