import { l10n } from 'vscode';
import type { Reason } from '../../core/model/reason.ts';
import { ReasonWords } from '../../core/words/reasonWords.ts';
import type { ConnectionNode } from '../editor/contributions.ts';
import { localConnectionId } from '../editor/machine.ts';
import { getCommandTitle } from './commandTitles.ts';
import { toPlainLine } from './plainText.ts';

const words = new ReasonWords({
  l10n,
  toPlainLine,
  remedies: {
    badAddress: () => l10n.t('the address must start with http:// or https://, for example https://dts.example.org'),
    insecureAddress: () => l10n.t('the key would be sent unencrypted; use https://'),
    keyMissing: () => l10n.t('no API key is saved for this connection'),
    keyGone: () => l10n.t('the saved API key is gone; this editor may not be able to store secrets'),
    keyElsewhere: () =>
      l10n.t("the connection's address has changed, and the API key is only sent to the address it was saved for"),
    internalError: () => l10n.t('an unexpected error occurred; the log has the details'),
  },
});

/** Describes a failure as the second half of a sentence, without a period, such as "the service can't be reached". */
export function describeReason(reason: Reason): string {
  return words.describe(reason);
}

/** Describes a connection that failed. */
export function describeFailedConnection(reason: Reason): string {
  return l10n.t('Could not connect: {0}.', describeReason(reason));
}

/**
 * Describes why a transfer wasn't sent, as the second half of a sentence. The first half must already say that nothing
 * was sent.
 */
export function describeUnsentReason(reason: Reason): string {
  return words.describeUnsent(reason);
}

/**
 * Returns true if a sign-in was rejected: the service refused the key, the key's account or the ORCID iD, or couldn't
 * check them (D44: classify sign-in failures).
 */
export function isSignInRejected({ kind, signIn }: Reason): boolean {
  return kind === 'unauthorized' || signIn !== undefined;
}

/** Explains that a previously accepted key is being retried (D28: retry rejected keys). */
export function describeKeyDoubt({ signIn }: Reason): string {
  return signIn === 'outage'
    ? l10n.t("The service couldn't check the API key. Your key worked before, so it's being retried.")
    : l10n.t("The service rejected the sign-in. Your key worked before, so it's being retried.");
}

/** A command, other than a retry, that fixes a rejected sign-in. */
export interface SignInRemedy {
  readonly id: 'dataTransfer.setOrcid' | 'dataTransfer.setApiKey';
  readonly title: string;
  readonly icon: 'orcid' | 'key';
  readonly argument?: ConnectionNode;
}

/**
 * Returns the command that fixes a rejected sign-in. Returns undefined if the failure isn't a rejected sign-in, or if
 * no command can fix it (D44: classify sign-in failures).
 */
export function getSignInRemedy(reason: Reason, connectionId: string): SignInRemedy | undefined {
  if (!isSignInRejected(reason) || reason.signIn === 'outage') return undefined;
  if (reason.signIn === 'orcid')
    return { id: 'dataTransfer.setOrcid', title: getCommandTitle('dataTransfer.setOrcid'), icon: 'orcid' };
  // The local service generates its own key.
  return connectionId === localConnectionId ? undefined : getSetKeyRemedy(connectionId);
}

/** Returns the command that sets a connection's key. */
export function getSetKeyRemedy(connectionId: string): SignInRemedy {
  const argument: ConnectionNode = { kind: 'connection', id: connectionId };
  return { id: 'dataTransfer.setApiKey', title: getCommandTitle('dataTransfer.setApiKey'), icon: 'key', argument };
}
