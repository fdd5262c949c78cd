import { l10n } from 'vscode';
import { CommandFailure } from '../../host/commandBoundary.ts';
import type { Notices } from '../../host/notices.ts';
import { alone, pickOne } from '../../host/quickInput.ts';
import type { WaitingRequest, WaitingRequests } from '../../host/waitingRequests.ts';

/** Dependencies of the command. */
export interface SendNowParts {
  readonly waitingRequests: WaitingRequests;
  readonly notices: Notices;
}

/** Sends a request that waits for its turn at once (D34), after naming the risk; asks which if several wait. */
export async function sendNow({ waitingRequests, notices }: SendNowParts): Promise<void> {
  const waiting = waitingRequests.all();
  if (waiting.length === 0) throw new CommandFailure(l10n.t('No request is waiting to be sent.'));
  const request = await chooseRequest(waiting);
  if (!request) return;
  const question = l10n.t('Send this request now? ({0})', request.title);
  const risk = l10n.t(
    'The server is still working on another request. If requests overlap, the server can mix up their answers or stop answering for everyone who uses it.',
  );
  if (await notices.confirm(question, risk, l10n.t('Send Now'))) request.sendNow();
}

async function chooseRequest(waiting: readonly WaitingRequest[]): Promise<WaitingRequest | undefined> {
  if (waiting.length === 1) return waiting[0];
  const choices = waiting.map((request) => ({ label: request.title, value: request }));
  const placeholder = l10n.t('Select the request to send now');
  const answer = await pickOne(alone(l10n.t('Send Now')), { placeholder, choices });
  return typeof answer === 'string' ? undefined : answer.value;
}
