import { l10n } from 'vscode';
import type { Reason } from '../core/model/reason.ts';
import type { ConnectionNode } from './contributions.ts';
import { localConnectionId } from './machine.ts';

/** Returns true for a reason that is about the sign-in: the key, its account, or the ORCID iD (D44). */
export function isSignInRejected({ kind, signIn }: Reason): boolean {
  return kind === 'unauthorized' || signIn !== undefined;
}

/** Returns why a sign-in was rejected, as the second half of a sentence, without what the service said. */
export function signInText({ signIn, keyWorked, detail }: Reason): string {
  if (signIn === 'orcid') return l10n.t('the service rejected the ORCID iD');
  if (signIn === 'account') return l10n.t('the account of this API key has no ORCID iD');
  if (signIn === 'outage') return l10n.t("the service couldn't check the API key");
  const isOfKey = signIn === 'key' || detail === undefined;
  // A key that worked is only doubted (D28), and a text that isn't understood may be about something else.
  return isOfKey && !keyWorked
    ? l10n.t('the service rejected the API key')
    : l10n.t('the service rejected the sign-in');
}

/** Returns the sentences for a key that worked before and is tried again by itself, while it is only doubted (D28). */
export function doubtText({ signIn }: Reason): string {
  return signIn === 'outage'
    ? l10n.t("The service couldn't check the API key. Your key worked before, so it's being retried.")
    : l10n.t("The service rejected the sign-in. Your key worked before, so it's being retried.");
}

/** A command that helps against a rejected sign-in, besides trying again. */
export interface SignInRemedy {
  readonly id: 'dataTransfer.setOrcid' | 'dataTransfer.setApiKey';
  readonly title: string;
  readonly look: 'orcid' | 'key';
  readonly argument?: ConnectionNode;
}

/** Returns the command that fits why a sign-in was rejected (D44); none where only trying again helps. */
export function signInRemedy(reason: Reason, connectionId: string): SignInRemedy | undefined {
  if (!isSignInRejected(reason) || reason.signIn === 'outage') return undefined;
  if (reason.signIn === 'orcid') return { id: 'dataTransfer.setOrcid', title: l10n.t('Set ORCID iD…'), look: 'orcid' };
  // The local service makes its own key.
  return connectionId === localConnectionId ? undefined : setKeyRemedy(connectionId);
}

/** Returns the command that sets the key of a connection. */
export function setKeyRemedy(connectionId: string): SignInRemedy {
  const argument: ConnectionNode = { kind: 'connection', id: connectionId };
  return { id: 'dataTransfer.setApiKey', title: l10n.t('Set API Key…'), look: 'key', argument };
}
