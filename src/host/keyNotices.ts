import { l10n } from 'vscode';
import type { KeyWatch } from '../core/flows/keyWatch.ts';
import { Lifetime, type Disposable } from '../core/util/lifetime.ts';
import type { Notices } from './notices.ts';
import { signInActions } from './signInActions.ts';
import { plainLine } from './words.ts';

/** What {@link KeyNotices} need. */
export interface KeyNoticeParts {
  readonly keys: KeyWatch;
  readonly notices: Notices;
  /** What a connection is called. */
  nameOf(connectionId: string): string;
}

/** Tells once that a key which was accepted before is refused now, however many requests fail for it (D28). */
export class KeyNotices implements Disposable {
  private readonly lifetime = new Lifetime();

  constructor({ keys, notices, nameOf }: KeyNoticeParts) {
    const tell = (id: string): void => {
      const reason = keys.rejection(id);
      if (keys.standing(id) !== 'refused' || !reason) return;
      const name = plainLine(nameOf(id));
      const said = plainLine(reason.detail ?? '');
      const message = said
        ? l10n.t('{0} rejected the API key ({1}). Transfers wait until the key is accepted.', name, said)
        : l10n.t('{0} rejected the API key. Transfers wait until the key is accepted.', name);
      void notices.error(message, ...signInActions(reason, id));
    };
    this.lifetime.track(keys.onDidChange(tell));
  }

  dispose(): void {
    this.lifetime.dispose();
  }
}
