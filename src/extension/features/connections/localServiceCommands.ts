import { env, l10n } from 'vscode';
import { quoteForShell } from '../../../core/code/codeRequest.ts';
import { isPausedByUser, isUnderWay, type Transfer } from '../../../core/model/transferModel.ts';
import { CommandFailure } from '../../editor/commandBoundary.ts';
import type { WelcomeButton } from '../../editor/contributions.ts';
import { localConnectionId } from '../../editor/machine.ts';
import { chooseOne, type Choice } from '../../editor/quickInput.ts';
import type { LocalServiceAccess } from '../../localService/serviceRecord.ts';
import { plural } from '../../words/localeFormats.ts';
import { describeError } from '../../words/plainText.ts';
import { describeProgress, getTransferTitle } from '../../words/transferWords.ts';
import type { CommandServices } from '../services.ts';
import { isLocalConnectionActive, openLocalConnection, openLocalInBackground } from './connectionOpener.ts';
import { getDialogTitle } from '../../words/commandTitles.ts';

/** Connects to the local service. After the welcome button, which disappears, focuses the connection's row. */
export async function startAndConnect(services: CommandServices, button: WelcomeButton | undefined): Promise<void> {
  const opening = openLocalConnection(services);
  if (button) services.views.focusConnection();
  await opening;
}

/** Stops the local service. Asks for confirmation if transfers are running or other windows use the service. */
export async function stopLocalService(services: CommandServices): Promise<void> {
  const { localService, connectFlow, sessions, notifications } = services;
  const others = await localService.countOtherWindows();
  if (others === undefined && !localService.isRunning) {
    void notifications.info(l10n.t("The local service isn't running."));
    return;
  }
  if (!(await confirmStop(services, others ?? 0))) return;
  const reopen = getReopening(services);
  if (isLocalConnectionActive(services)) connectFlow.disconnect();
  else sessions.close(localConnectionId);
  try {
    await localService.stop();
  } catch (error) {
    // The service is still running, and so are its transfers.
    await reopen();
    throw new CommandFailure(l10n.t('Could not stop the local service: {0}', describeError(error)));
  }
}

/** Returns a function that restores the current state of the local service's connection. The function never rejects. */
function getReopening(services: CommandServices): () => Promise<unknown> {
  if (isLocalConnectionActive(services)) return () => openLocalConnection(services).catch(() => undefined);
  const isOpen = services.sessions.get(localConnectionId) !== undefined;
  return () => (isOpen ? openLocalInBackground(services) : Promise.resolve());
}

async function confirmStop({ notifications, transferStore }: CommandServices, others: number): Promise<boolean> {
  const running = transferStore
    .getRunning()
    .filter((transfer) => transfer.order.connectionId === localConnectionId)
    .filter((transfer) => isUnderWay(transfer) && !isPausedByUser(transfer));
  const details = [
    running.length > 0 ? describeRunningTransfers(running) : '',
    others > 0 ? describeOtherWindows(others) : '',
  ];
  if (details.every((detail) => detail === '')) return true;
  const question = l10n.t('Stop the local service?');
  return await notifications.confirm(
    question,
    details.filter(Boolean).join('\n\n'),
    getDialogTitle('dataTransfer.stopLocalService'),
  );
}

/** Maximum number of transfers listed in the confirmation. */
const maxListedTransfers = 5;

function describeRunningTransfers(running: readonly Transfer[]): string {
  const named = running
    .slice(0, maxListedTransfers)
    .map((transfer) => `${getTransferTitle(transfer)} · ${describeProgress(transfer)}`);
  const others = running.length - named.length;
  return [
    plural(running.length, '{0} transfer is running on it:', '{0} transfers are running on it:'),
    ...named,
    ...(others > 0 ? [plural(others, 'and {0} more', 'and {0} more')] : []),
    l10n.t('Running transfers will be paused until you start the service again.'),
  ].join('\n');
}

function describeOtherWindows(others: number): string {
  const use = plural(others, 'Another window is using it.', '{0} other windows are using it.');
  return `${use} ${l10n.t("The service's databases will disappear there too.")}`;
}

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
  const answer = await chooseOne(getDialogTitle('dataTransfer.copyLocalAccess'), {
    placeholder,
    choices: listChoices(),
  });
  if (answer === undefined) return;
  const access = await localService.start().catch((error: unknown) => {
    throw new CommandFailure(l10n.t('Could not start the local service: {0}', describeError(error)));
  });
  const text = answer(access);
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
