import { l10n } from 'vscode';
import type { OpenConnection } from '../../../core/flows/openConnections.ts';
import { createSingleStep, pickOne, type Choice } from '../../editor/quickInput.ts';
import { toPlainLine } from '../../words/plainText.ts';
import { requireSession } from '../connections/connectionPicker.ts';
import { requireOrcid } from '../connections/setOrcid.ts';
import type { CommandServices } from '../services.ts';
import { askTransferId, type FoundById } from './transferIdPrompt.ts';

/**
 * Asks for an ID, and shows the page for the transfer with this ID. Starts tracking the transfer if it isn't in the
 * list yet.
 */
export async function checkTransferById(services: CommandServices): Promise<void> {
  const title = l10n.t('Track a Transfer by ID');
  const session = await askSession(services, title);
  if (!session) return;
  const { id: connectionId, name } = session.connection;
  const orcid = await requireOrcid(services, connectionId);
  if (orcid === undefined) return;
  const prompt = l10n.t('Transfer ID issued by {0}', toPlainLine(name));
  const found = await askTransferId(services, { connectionId, position: createSingleStep(title), prompt });
  if (found) await showFoundTransfer(services, connectionId, orcid, found);
}

/** Shows the page for a transfer that was looked up. Starts tracking the transfer if it isn't in the list yet. */
export async function showFoundTransfer(
  { trackFlow, notifications, transferPanels, views }: CommandServices,
  connectionId: string,
  orcid: string,
  found: FoundById,
): Promise<void> {
  const isKnown = found.kind === 'known';
  const { key } = isKnown ? found.transfer : await trackFlow.track(connectionId, orcid, found.id, found.status);
  notifications.showStatusMessage(
    isKnown ? l10n.t('This transfer is already in the list.') : l10n.t('Now tracking this transfer.'),
  );
  views.revealTransfer(key);
  transferPanels.show(key);
}

/** Returns the only open session. If there is more than one, asks which one to use. If there is none, opens one. */
async function askSession(services: CommandServices, title: string): Promise<OpenConnection | undefined> {
  const open = services.sessions.getAll();
  if (open.length < 2) return open[0] ?? (await requireSession(services));
  const answer = await pickOne(createSingleStep(title), {
    placeholder: l10n.t('Select the service that the transfer belongs to'),
    choices: open.map(toSessionChoice),
  });
  return typeof answer === 'string' ? undefined : answer.value;
}

function toSessionChoice(session: OpenConnection): Choice<OpenConnection> {
  const { connection, service } = session;
  return { label: toPlainLine(connection.name), description: toPlainLine(service.name), value: session };
}
