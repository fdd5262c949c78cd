import { l10n } from 'vscode';
import { hasEnded, type Transfer } from '../core/model/transfer.ts';
import type { TransferStore } from '../core/store/transferStore.ts';
import { Lifetime, type Disposable } from '../core/util/lifetime.ts';
import type { Notices } from './notices.ts';
import { filesText, plainLine, reasonText } from './words.ts';

/** What {@link TransferNotices} need. */
export interface TransferNoticeParts {
  readonly store: TransferStore;
  readonly notices: Notices;
  /** The person's choice. */
  level(): 'all' | 'problems' | 'none';
  showProgress(key: string): void;
}

/** Tells once of every transfer that ended while this window watched it. */
export class TransferNotices implements Disposable {
  private readonly lifetime = new Lifetime();
  private readonly parts: TransferNoticeParts;
  private readonly running = new Set<string>();

  constructor(parts: TransferNoticeParts) {
    this.parts = parts;
    this.lifetime.track(parts.store.onDidChange((keys) => this.follow(keys)));
  }

  dispose(): void {
    this.lifetime.dispose();
  }

  private follow(keys: readonly string[]): void {
    for (const key of keys) {
      const transfer = this.parts.store.get(key);
      if (!transfer) this.running.delete(key);
      else if (!hasEnded(transfer.state)) this.running.add(key);
      else if (this.running.delete(key)) this.tell(transfer);
    }
  }

  private tell(transfer: Transfer): void {
    const { notices, level, showProgress } = this.parts;
    // A cancel was the person's own wish, and a refusal was said where they submitted.
    if (transfer.state === 'cancelled' || transfer.state === 'refused' || level() === 'none') return;
    const action = { label: l10n.t('Show Progress'), run: () => showProgress(transfer.key) };
    const files = filesText(transfer.order.files.length);
    const destination = plainLine(transfer.order.destination);
    if (transfer.state !== 'succeeded') {
      const why = whyNot(transfer);
      void notices.error(l10n.t('Transfer of {0} to {1} failed: {2}', files, destination, why), action);
    } else if (level() === 'all') {
      void notices.info(l10n.t('Transferred {0} to {1}.', files, destination), action);
    }
  }
}

function whyNot(transfer: Transfer): string {
  if (transfer.state === 'expired') return l10n.t('the service does not know it any longer');
  const { message } = transfer.status ?? {};
  if (message) return plainLine(message);
  return transfer.problem ? reasonText(transfer.problem) : l10n.t('the service gave no reason');
}
