import { l10n, MarkdownString, StatusBarAlignment, ThemeColor, window } from 'vscode';
import type { Reason } from '../core/model/reason.ts';
import { isPaused, isUnderWay, type Transfer } from '../core/model/transfer.ts';
import { getOutcome, getProgress } from '../core/model/transferOutcome.ts';
import type { TransferStore } from '../core/store/transferStore.ts';
import type { Clock } from '../core/util/clock.ts';
import { Lifetime, type Disposable } from '../core/util/lifetime.ts';
import { doubtText } from '../host/signInWords.ts';
import { listText, movedText, percentText, plural, reasonText, standingText } from '../host/words.ts';
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

/** The end of a transfer that the person should look at. */
type BadEnd = 'failed' | 'partial' | 'expired';

/** Watches over all transfers in one short text: running, done for a minute, failed until looked at. */
export class TransferStatusBar implements Disposable {
  private readonly lifetime = new Lifetime();
  private readonly parts: StatusBarParts;
  private readonly item = this.lifetime.track(window.createStatusBarItem('transfers', StatusBarAlignment.Left, 10));
  private readonly seenRunning = new Set<string>();
  /** What ended badly and was not looked at yet. */
  private readonly unseen = new Map<string, BadEnd>();
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
    const outcome = getOutcome(ended);
    if (outcome === 'failed' || outcome === 'refused') this.unseen.set(ended.key, 'failed');
    if (outcome === 'partial' || outcome === 'expired') this.unseen.set(ended.key, outcome);
    if (outcome !== 'complete') return;
    this.doneUntil = this.parts.clock.now() + doneShownMs;
    this.lifetime.track(this.parts.clock.after(doneShownMs, () => this.draw()));
  }

  private face(): Face | undefined {
    const underWay = this.parts.store.running().filter(isUnderWay);
    const running = underWay.filter((transfer) => !isPaused(transfer));
    if (running.length > 0) return this.runningFace(running);
    if (this.unseen.size > 0) return this.unseenFace();
    if (underWay.length > 0) return this.pausedFace(underWay);
    if (this.parts.clock.now() >= this.doneUntil) return undefined;
    return { text: `$(check) ${l10n.t('Transfers done')}`, tooltip: l10n.t('Show transfers') };
  }

  /** Describes what ended badly, the gravest first. How an expired one ended is not known: that is no failure. */
  private unseenFace(): Face {
    const ends = [...this.unseen.values()];
    const counts = (['failed', 'partial', 'expired'] as const)
      .map((end) => ({ end, count: ends.filter((one) => one === end).length }))
      .filter(({ count }) => count > 0);
    const texts = counts.map(({ end, count }, index) => (index === 0 ? endText(end, count) : moreText(end, count)));
    const [worst = 'failed'] = counts.map(({ end }) => end);
    const text = this.onlyPartialText() ?? listText(texts);
    const look = worst === 'failed' ? 'error' : 'warning';
    return { text: `$(${endIcons[worst]}) ${text}`, tooltip: l10n.t('Show transfers'), look };
  }

  /** Returns what moved of the only transfer that is to be looked at, where it completed without all its files. */
  private onlyPartialText(): string | undefined {
    const [[key, end] = [], other] = this.unseen;
    const transfer = end === 'partial' && !other && key !== undefined ? this.parts.store.get(key) : undefined;
    const moved = transfer && movedText(transfer);
    return moved === undefined ? undefined : l10n.t('{0} transferred', moved);
  }

  /** The local service is stopped: nothing moves until the person starts it. */
  private pausedFace(paused: readonly Transfer[]): Face {
    const text = plural(paused.length, '{0} transfer paused', '{0} transfers paused');
    const start = `[${l10n.t('Start')}](command:dataTransfer.startLocalService)`;
    const reasons = new Set(paused.map((transfer) => standingText(transfer)));
    const tooltip = new MarkdownString(`${[...reasons].join(', ')} · ${start}`);
    tooltip.isTrusted = { enabledCommands: ['dataTransfer.startLocalService'] };
    return { text: `$(debug-pause) ${text}`, tooltip, look: 'warning' };
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
    const progress = running.map(getProgress);
    const total = progress.reduce((sum, one) => sum + (one.total ?? 0), 0);
    const moved = progress.reduce((sum, one) => sum + (one.moved ?? 0), 0);
    const share = total > 0 ? ` · ${percentText(moved / total)}` : '';
    return { text: `$(sync~spin) ${count}${share}`, tooltip: transferTable(running, this.parts.estimate) };
  }
}

function rejectedLook(rejection: Reason): Pick<Face, 'tooltip' | 'look'> {
  const sentence = rejection.keyWorked
    ? doubtText(rejection)
    : l10n.t('Transfers wait until the service accepts the API key: {0}', reasonText(rejection));
  return { tooltip: sentence, look: 'warning' };
}

const endIcons: Readonly<Record<BadEnd, string>> = { failed: 'error', partial: 'warning', expired: 'history' };

function endText(end: BadEnd, count: number): string {
  if (end === 'failed') return plural(count, '{0} transfer failed', '{0} transfers failed');
  if (end === 'partial') return plural(count, '{0} transfer incomplete', '{0} transfers incomplete');
  return plural(count, '{0} transfer expired', '{0} transfers expired');
}

/** Continues a list that says already that it is about transfers. */
function moreText(end: BadEnd, count: number): string {
  if (end === 'partial') return plural(count, '{0} incomplete', '{0} incomplete');
  return plural(count, '{0} expired', '{0} expired');
}
