import { l10n } from 'vscode';
import type { KeyWatch } from '../../core/flows/connectionWatch.ts';
import type { Disposable } from '../../core/util/lifetime.ts';
import type { Notifications } from '../editor/notifications.ts';
import { toPlainLine } from '../words/plainText.ts';
import { createSignInActions } from './signInActions.ts';

/**
 * Notifies the user once when a previously accepted key is rejected, even if multiple requests fail (D28: retry
 * rejected keys).
 */
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
