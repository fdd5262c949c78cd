import { l10n } from 'vscode';
import type { Session } from '../../core/flows/sessions.ts';
import type { Notices } from '../../host/notices.ts';
import { alone, pickOne } from '../../host/quickInput.ts';
import { plainLine } from '../../host/words.ts';
import type { TransferPanels } from '../../panels/transferPanel.ts';
import { askTransferId, type AskIdParts } from './askTransferId.ts';
import { requireSession, type ConnectionParts } from '../connections/connections.ts';
import { requireOrcid } from '../connections/setOrcid.ts';

/** Dependencies of the command. */
export interface CheckByIdParts extends AskIdParts, ConnectionParts {
  readonly transferPanels: TransferPanels;
  readonly notices: Notices;
  /** Shows the row of a transfer. */
  revealTransfer(key: string): void;
}

/** Asks for an id, and takes over the transfer that the service has under it; one that is known already is shown. */
export async function checkTransferById(parts: CheckByIdParts): Promise<void> {
  const title = l10n.t('Check a Transfer by Id');
  const session = await askSession(parts, title);
  if (!session) return;
  const orcid = await requireOrcid(parts);
  if (orcid === undefined) return;
  const { adoptFlow, notices, transferPanels, revealTransfer } = parts;
  const { id: connectionId, name } = session.connection;
  const prompt = l10n.t('The id that {0} gave the transfer', plainLine(name));
  const found = await askTransferId(parts, connectionId, alone(title), prompt, () => undefined);
  if (!found) return;
  const { key } =
    found.kind === 'known' ? found.transfer : await adoptFlow.takeOver(connectionId, orcid, found.id, found.status);
  notices.done(
    found.kind === 'known' ? l10n.t('This transfer is in the list already.') : l10n.t('The transfer is watched now.'),
  );
  revealTransfer(key);
  transferPanels.show(key);
}

/** The open session; asks where several are open, and opens one where none is. */
async function askSession(parts: CheckByIdParts, title: string): Promise<Session | undefined> {
  const open = parts.sessions.all();
  if (open.length < 2) return open[0] ?? (await requireSession(parts));
  const answer = await pickOne(alone(title), {
    placeholder: l10n.t('Select the service that has the transfer'),
    choices: open.map((value) => ({
      label: plainLine(value.connection.name),
      description: plainLine(value.service.name),
      value,
    })),
  });
  return typeof answer === 'string' ? undefined : answer.value;
}
