import { l10n } from 'vscode';
import type { Reason } from '../../core/model/reason.ts';
import { ReasonWords } from '../../core/words/reasonWords.ts';
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

/**
 * Describes why a transfer wasn't sent, as the second half of a sentence. The first half must already say that nothing
 * was sent.
 */
export function describeUnsentReason(reason: Reason): string {
  return words.describeUnsent(reason);
}
