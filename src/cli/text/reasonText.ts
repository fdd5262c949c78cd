import type { Reason } from '../../core/model/reason.ts';
import { ReasonWords } from '../../core/words/reasonWords.ts';
import { toPlainCell } from './terminalText.ts';
import { english } from './sentences.ts';

const words = new ReasonWords({
  l10n: english,
  toPlainLine: toPlainCell,
  remedies: {
    badAddress: ({ detail = '' }) => `the address isn't valid${detail === '' ? '' : `; ${toPlainCell(detail)}`}`,
    insecureAddress: () =>
      'the key would be sent unencrypted; use https://, or allowInsecureHttp in a connections file',
    keyMissing: () => 'no API key was given; use --key-variable, --key-file or --key-stdin',
    keyGone: () => 'the API key is gone',
    keyElsewhere: () => 'the API key belongs to a different address',
    internalError: () => 'an unexpected error occurred in this program',
  },
});

/**
 * Describes why a transfer was not sent, as a clause without a period. The sentence must already say that nothing was
 * sent.
 */
export function describeUnsentReason(reason: Reason): string {
  return words.describeUnsent(reason);
}

/** Describes a failure as a clause without a period: `the API key is gone`. */
export function describeReason(reason: Reason): string {
  return words.describe(reason);
}
