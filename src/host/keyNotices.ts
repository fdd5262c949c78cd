import { l10n } from 'vscode';
import type { KeyWatch } from '../core/flows/keyWatch.ts';
import { Lifetime, type Disposable } from '../core/util/lifetime.ts';
import type { ConnectionNode } from './contributions.ts';
import { localConnectionId } from './machine.ts';
import type { NoticeAction, Notices } from './notices.ts';
import { plainLine } from './words.ts';

/** What {@link KeyNotices} need. */
export interface KeyNoticeParts {
  readonly keys: KeyWatch;
  readonly notices: Notices;
  /** What a connection is called. */
  nameOf(connectionId: string): string;
  tryAgain(node: ConnectionNode): void;
  setKey(node: ConnectionNode): void;
}

/** What helps when a key was refused: the service may only have been unable to check it, so trying again comes first (D28). */
export function keyActions(
  connectionId: string,
  { tryAgain, setKey }: Pick<KeyNoticeParts, 'tryAgain' | 'setKey'>,
): readonly NoticeAction[] {
  const node: ConnectionNode = { kind: 'connection', id: connectionId };
  const again = { label: l10n.t('Try Again'), run: () => tryAgain(node) };
  if (connectionId === localConnectionId) return [again];
  return [again, { label: l10n.t('Set API Key'), run: () => setKey(node) }];
}

/** Tells once that a key which was accepted before is refused now, however many requests fail for it (D28). */
export class KeyNotices implements Disposable {
  private readonly lifetime = new Lifetime();

  constructor(parts: KeyNoticeParts) {
    const { keys, notices, nameOf } = parts;
    const tell = (id: string): void => {
      if (keys.standing(id) !== 'refused') return;
      const message = l10n.t('{0} refuses the API key. Transfers wait until it is accepted.', plainLine(nameOf(id)));
      void notices.error(message, ...keyActions(id, parts));
    };
    this.lifetime.track(keys.onDidChange(tell));
  }

  dispose(): void {
    this.lifetime.dispose();
  }
}
