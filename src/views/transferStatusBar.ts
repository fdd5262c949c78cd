import { l10n, StatusBarAlignment, ThemeColor, window, type MarkdownString } from 'vscode';
import type { Reason } from '../core/model/reason.ts';
import { fileCountOf, type Transfer } from '../core/model/transfer.ts';
import type { TransferStore } from '../core/store/transferStore.ts';
import type { Clock } from '../core/util/clock.ts';
import { Lifetime, type Disposable } from '../core/util/lifetime.ts';
import { doubtText } from '../host/signInWords.ts';
import { listText, percentText, plural, reasonText } from '../host/words.ts';
import { transferTable } from './transferTable.ts';

/** What a {@link TransferStatusBar} needs. */
export interface StatusBarParts {
  readonly store: TransferStore;
  readonly clock: Clock;
  /** Whether somebody can ask for the status of this connection's transfers now. */
  isConnected(connectionId: string): boolean;
  /** Returns the last rejection of a connection's key that worked before; its transfers wait (D28). */
  keyRejection(connectionId: string): Reason | undefined;
  /** How long a transfer will still take, in words; undefined where nothing honest can be said. */
  estimate(transfer: Transfer): string | undefined;
}

const doneShownMs = 60_000;

/** What the status bar says. */
interface Face {
  readonly text: string;
  readonly tooltip: string | MarkdownString;
  readonly look?: 'error' | 'warning';
}

/** Watches over all transfers in one short text: running, done for a minute, failed until looked at. */
export class TransferStatusBar implements Disposable {
  private readonly lifetime = new Lifetime();
  private readonly parts: StatusBarParts;
  private readonly item = this.lifetime.track(window.createStatusBarItem('transfers', StatusBarAlignment.Left, 10));
  private readonly seenRunning = new Set<string>();
  /** What ended badly and was not looked at yet. */
  private readonly unseen = new Map<string, 'failed' | 'expired'>();
  private doneUntil = 0;
  private drawn = '';

  constructor(parts: StatusBarParts) {
    this.parts = parts;
    this.item.name = l10n.t('Data Transfers');
    this.item.command = 'dataTransfer.showRunningTransfers';
    this.lifetime.track(parts.store.onDidChange((keys) => this.follow(keys)));
    this.draw();
  }

  /** The person has looked: what ended need not be shown any longer. */
  acknowledge(): void {
    this.unseen.clear();
    this.doneUntil = 0;
    this.draw();
  }

  /** Draws again, for example when a connection came or went. */
  draw(): void {
    const face = this.face();
    // The editor takes the tooltip from under the pointer when it is set, even to what it was.
    const { text, tooltip, look } = face ?? {};
    const drawn = JSON.stringify([text, typeof tooltip === 'object' ? tooltip.value : tooltip, look]);
    if (drawn === this.drawn) return;
    this.drawn = drawn;
    if (!face) {
      this.item.hide();
      return;
    }
    this.item.text = face.text;
    this.item.tooltip = face.tooltip;
    this.item.accessibilityInformation = { label: face.text.replace(/\$\([^)]*\)\s*/g, ''), role: 'button' };
    this.item.backgroundColor = face.look && new ThemeColor(`statusBarItem.${face.look}Background`);
    this.item.show();
  }

  dispose(): void {
    this.lifetime.dispose();
  }

  private follow(keys: readonly string[]): void {
    const running = new Set(this.parts.store.running().map((transfer) => transfer.key));
    for (const key of keys) {
      const transfer = this.parts.store.get(key);
      if (!transfer || running.has(key)) this.unseen.delete(key);
      else if (this.seenRunning.delete(key)) this.note(transfer);
    }
    for (const key of running) this.seenRunning.add(key);
    this.draw();
  }

  private note(ended: Transfer): void {
    if (ended.state === 'failed' || ended.state === 'refused') this.unseen.set(ended.key, 'failed');
    if (ended.state === 'expired') this.unseen.set(ended.key, 'expired');
    if (ended.state !== 'succeeded') return;
    this.doneUntil = this.parts.clock.now() + doneShownMs;
    this.lifetime.track(this.parts.clock.after(doneShownMs, () => this.draw()));
  }

  private face(): Face | undefined {
    const running = this.parts.store.running();
    if (running.length > 0) return this.runningFace(running);
    if (this.unseen.size > 0) return this.unseenFace();
    if (this.parts.clock.now() >= this.doneUntil) return undefined;
    return { text: `$(check) ${l10n.t('Transfers done')}`, tooltip: l10n.t('Show transfers') };
  }

  /** How an expired one ended is not known, so it is not called a failure. */
  private unseenFace(): Face {
    const expired = [...this.unseen.values()].filter((end) => end === 'expired').length;
    const failures = this.unseen.size - expired;
    const tooltip = l10n.t('Show transfers');
    if (failures === 0) {
      const text = plural(expired, '{0} transfer expired', '{0} transfers expired');
      return { text: `$(history) ${text}`, tooltip, look: 'warning' };
    }
    const text = plural(failures, '{0} transfer failed', '{0} transfers failed');
    const more = expired === 0 ? undefined : plural(expired, '{0} expired', '{0} expired');
    return { text: `$(error) ${listText([text, more])}`, tooltip, look: 'error' };
  }

  /** The face while no transfer can be asked for: there is no connection, or the key is rejected. */
  private waitingFace(running: readonly Transfer[]): Face | undefined {
    const { isConnected, keyRejection } = this.parts;
    const ids = [...new Set(running.map(({ order }) => order.connectionId))];
    const rejections = ids.map((id) => keyRejection(id));
    if (ids.some((id, place) => isConnected(id) && !rejections[place])) return undefined;
    const rejection = rejections.find((reason) => reason !== undefined);
    if (rejection)
      return { text: `$(key) ${l10n.t('Data Transfer: waiting for sign-in')}`, ...rejectedLook(rejection) };
    const tooltip = l10n.t('Transfers are waiting for a connection.');
    return { text: `$(plug) ${l10n.t('Data Transfer: not connected')}`, tooltip, look: 'warning' };
  }

  private runningFace(running: readonly Transfer[]): Face {
    const waiting = this.waitingFace(running);
    if (waiting) return waiting;
    const count = plural(running.length, '{0} transfer', '{0} transfers');
    const asked = running.reduce(
      (sum, transfer) => sum + (transfer.status?.fileCount ?? fileCountOf(transfer) ?? 0),
      0,
    );
    const moved = running.reduce((sum, { status }) => sum + (status?.movedFileCount ?? 0), 0);
    const share = asked > 0 ? ` · ${percentText(moved / asked)}` : '';
    return { text: `$(sync~spin) ${count}${share}`, tooltip: transferTable(running, this.parts.estimate) };
  }
}

function rejectedLook(rejection: Reason): Pick<Face, 'tooltip' | 'look'> {
  const sentence = rejection.keyWorked
    ? doubtText(rejection)
    : l10n.t('Transfers wait until the service accepts the API key: {0}', reasonText(rejection));
  return { tooltip: sentence, look: 'warning' };
}
