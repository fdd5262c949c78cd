import { l10n } from 'vscode';
import type { UnsavedRecords } from '../core/ledger/unsavedRecords.ts';
import type { Disposable } from '../core/util/lifetime.ts';
import type { Notices } from './notices.ts';

/** Tells once that what becomes of the transfers cannot be written, until it can be again. */
export function tellOfUnsaved(unsaved: UnsavedRecords, notices: Notices): Disposable {
  return unsaved.onDidFail((error) => {
    const text = l10n.t(
      'Could not save how the transfers stand: {0}. It is kept as long as this window is open, and tried again.',
      whyNotWritten(error, l10n.t('the log says why')),
    );
    void notices.error(text);
  });
}

/** Why a file could not be written, as a part of a sentence; `otherwise` stands for what has no words of its own. */
export function whyNotWritten(error: unknown, otherwise: string): string {
  const code = error instanceof Error && 'code' in error ? error.code : undefined;
  if (code === 'ENOSPC' || code === 'EDQUOT') return l10n.t('the disk is full');
  if (code === 'EROFS' || code === 'EACCES' || code === 'EPERM') return l10n.t('the folder cannot be written to');
  return otherwise;
}
