import { l10n } from 'vscode';
import type { KeyWatch } from '../../../core/connections/openConnections.ts';
import type { UnsavedRecords } from '../../../core/transfers/savedTransfers.ts';
import type { Disposable } from '../../../core/util/lifetime.ts';
import type { Notifications } from '../../editor/notifications.ts';
import { toPlainLine } from '../../words/plainText.ts';
import { createSignInActions } from '../../editor/nextSteps.ts';

/** Notifies the user once when a key that worked is rejected, however many requests fail (D28: retry rejected keys). */
export function notifyRejectedKeys(
  keys: KeyWatch,
  notifications: Notifications,
  getConnectionName: (connectionId: string) => string,
): Disposable {
  return keys.onDidChange((id) => {
    const reason = keys.getRejection(id);
    if (keys.getStatus(id) !== 'refused' || !reason) return;
    const name = toPlainLine(getConnectionName(id));
    const detail = toPlainLine(reason.detail ?? '');
    const text = detail
      ? l10n.t("{0} rejected the API key ({1}). Transfer status can't be checked without a valid key.", name, detail)
      : l10n.t("{0} rejected the API key. Transfer status can't be checked without a valid key.", name);
    void notifications.error(text, ...createSignInActions(reason, id));
  });
}

/** Notifies the user when transfer records can't be saved. */
export function notifyUnsavedRecords(unsaved: UnsavedRecords, notifications: Notifications): Disposable {
  return unsaved.onDidFail((error) => {
    const text = l10n.t(
      'Could not save the transfer status: {0}. The status is kept while this window is open, and the extension will try again.',
      describeWriteError(error, l10n.t('see the log for details')),
    );
    void notifications.error(text);
  });
}

/** Describes the cause of a failed write as a clause; `fallback` if it is unknown. */
export function describeWriteError(error: unknown, fallback: string): string {
  const code = error instanceof Error && 'code' in error ? error.code : undefined;
  if (code === 'ENOSPC' || code === 'EDQUOT') return l10n.t('the disk is full');
  if (code === 'EROFS' || code === 'EACCES' || code === 'EPERM') return l10n.t("the folder isn't writable");
  return fallback;
}
