import { l10n } from 'vscode';
import { CommandHint } from '../../editor/commandBoundary.ts';
import { createSingleStep, pickOne } from '../../editor/quickInput.ts';
import type { WaitingRequest } from '../../notifications/waitingRequests.ts';
import type { CommandServices } from '../services.ts';

/**
 * Warns the user and, after confirmation, sends a waiting request immediately (D34: serialized requests). If more than
 * one request is waiting, asks which one to send.
 */
export async function sendNow({ waitingRequests, notifications }: CommandServices): Promise<void> {
  const waiting = waitingRequests.getAll();
  if (waiting.length === 0) throw new CommandHint(l10n.t('No request is waiting to be sent.'));
  const request = await chooseRequest(waiting);
  if (!request) return;
  const question = l10n.t('Send this request now? ({0})', request.title);
  const risk = l10n.t(
    'The server may still be working on another request. Overlapping requests can cause it to mix up responses or stop responding for all users.',
  );
  if (await notifications.confirm(question, risk, l10n.t('Send Now'))) request.sendNow();
}

async function chooseRequest(waiting: readonly WaitingRequest[]): Promise<WaitingRequest | undefined> {
  if (waiting.length === 1) return waiting[0];
  const choices = waiting.map((request) => ({ label: request.title, value: request }));
  const placeholder = l10n.t('Select the request to send now');
  const answer = await pickOne(createSingleStep(l10n.t('Send Now')), { placeholder, choices });
  return typeof answer === 'string' ? undefined : answer.value;
}
