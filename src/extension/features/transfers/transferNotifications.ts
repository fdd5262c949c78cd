import { l10n } from 'vscode';
import {
  getFollowUp,
  hasEnded,
  hasMissedFollowUp,
  type Transfer,
  type TransferState,
} from '../../../core/model/transferModel.ts';
import { getOutcome, hasTransferredFiles } from '../../../core/model/transferOutcome.ts';
import type { TransferStore } from '../../../core/transfers/transferStore.ts';
import { wait, type Clock } from '../../../core/util/clock.ts';
import { Lifetime, type Disposable } from '../../../core/util/lifetime.ts';
import type { NotificationAction, Notifications } from '../../editor/notifications.ts';
import { describeFollowUp } from '../../../core/words/followUpWords.ts';
import { describeMissingReason } from '../../../core/words/sharedSentences.ts';
import { getCommandTitle } from '../../words/commandTitles.ts';
import { formatList, plural } from '../../words/localeFormats.ts';
import { toPlainLine } from '../../words/plainText.ts';
import { describeReason } from '../../words/reasonWords.ts';
import { formatMovedFiles, getTransferTitle } from '../../words/transferWords.ts';

/** Dependencies of {@link TransferNotifications}. */
interface TransferNotificationsDependencies {
  readonly store: TransferStore;
  readonly notifications: Notifications;
  readonly clock: Clock;
  /** Returns the user's notification level. */
  level(): 'all' | 'problems' | 'none';
  /** True for a transfer submitted or tracked in this window. Other windows wait before they notify of it. */
  isMine(transfer: Transfer): boolean;
  /** Claims a notification by name: true in only one window, or in all if claims can't be written. */
  claim(name: string): Promise<boolean>;
  hasFocus(): boolean;
  showFiles(key: string): void;
  showProgress(key: string): void;
  showTransfers(): void;
  /** Called when the user indicates that an unconfirmed transfer has started (D12: never resubmit). */
  didStart(key: string): void;
  /** Called when the user indicates that an unconfirmed transfer hasn't started (D12: never resubmit). */
  didNotStart(key: string): void;
}

/**
 * Time in milliseconds to wait for more transfers to end before showing one notification for all of them. Statuses are
 * polled one at a time, and so arrive separately.
 */
const batchWindowMs = 1000;
/**
 * Time in milliseconds that a window waits before reporting a transfer that it neither submitted nor tracked.
 * Meanwhile, the transfer's own window, if still open, can report it. The focused window waits less than the others.
 */
const deferralMs = { withFocus: 2000, without: 3000 };

/** Notifies the user of transfers that end or turn out to be unconfirmed while this window is open. */
export class TransferNotifications implements Disposable {
  private readonly lifetime = new Lifetime();
  private readonly dependencies: TransferNotificationsDependencies;
  private readonly states = new Map<string, TransferState>();
  private readonly disposal = new AbortController();
  private ended: Transfer[] = [];

  constructor(dependencies: TransferNotificationsDependencies) {
    this.dependencies = dependencies;
    this.lifetime.track(dependencies.store.onDidChange((keys) => this.follow(keys)));
  }

  dispose(): void {
    this.disposal.abort();
    this.lifetime.dispose();
  }

  private follow(keys: readonly string[]): void {
    for (const key of keys) {
      const transfer = this.dependencies.store.get(key);
      const previous = this.states.get(key);
      if (!transfer || hasEnded(transfer.state)) this.states.delete(key);
      else this.states.set(key, transfer.state);
      if (transfer && previous !== undefined && previous !== transfer.state) void this.handleEnd(transfer);
    }
  }

  private async handleEnd(transfer: Transfer): Promise<void> {
    const isUnconfirmed = transfer.state === 'notConfirmed';
    if (!isUnconfirmed && !shouldNotify(transfer)) return;
    await this.deferToOtherWindows(transfer);
    if (this.disposal.signal.aborted) return;
    if (!(await this.dependencies.claim(`${transfer.key} ${isUnconfirmed ? 'not confirmed' : 'ended'}`))) return;
    if (isUnconfirmed) this.askIfStarted(transfer);
    else this.scheduleNotification(transfer);
  }

  private async deferToOtherWindows(transfer: Transfer): Promise<void> {
    const { isMine, hasFocus, clock } = this.dependencies;
    if (isMine(transfer)) return;
    await wait(clock, hasFocus() ? deferralMs.withFocus : deferralMs.without, this.disposal.signal);
  }

  private scheduleNotification(transfer: Transfer): void {
    this.ended.push(transfer);
    if (this.ended.length === 1)
      this.lifetime.track(this.dependencies.clock.after(batchWindowMs, () => this.showNotification()));
  }

  private showNotification(): void {
    const { store } = this.dependencies;
    const level = this.dependencies.level();
    const reported = this.ended
      .filter(({ key }) => store.get(key) !== undefined)
      .filter((transfer) => level === 'all' || (level === 'problems' && isUnsuccessful(transfer)));
    this.ended = [];
    this.showExpiredNotification(reported.filter(({ state }) => state === 'expired'));
    const known = reported.filter(({ state }) => state !== 'expired');
    // Each has its own reason.
    for (const one of known.filter(hasMissedFollowUp)) this.showSingleNotification(one);
    const others = known.filter((one) => !hasMissedFollowUp(one));
    const [first] = others;
    if (others.length > 1) this.showCombinedNotification(others);
    else if (first) this.showSingleNotification(first);
  }

  /** Reports expired transfers, not as failures: their outcome is unknown (D11: check status identity). */
  private showExpiredNotification(transfers: readonly Transfer[]): void {
    const { notifications } = this.dependencies;
    const [first, second] = transfers;
    if (!first) return;
    const single = l10n.t(
      'The service no longer has a record of the transfer of {0}; its outcome is unknown.',
      getTransferTitle(first),
    );
    const several = plural(
      transfers.length,
      'The service no longer has a record of {0} transfer; its outcome is unknown.',
      'The service no longer has a record of {0} transfers; their outcomes are unknown.',
    );
    if (second) void notifications.warning(several, this.createShowAllAction());
    else void notifications.warning(single, this.createShowAction(first));
  }

  private createShowAction({ key }: Transfer): NotificationAction {
    return { label: l10n.t('Show Details'), run: () => this.dependencies.showProgress(key) };
  }

  /** Creates the button that shows the transferred files. Returns an empty list if there are no such files. */
  private createFilesActions(transfer: Transfer): readonly NotificationAction[] {
    if (!hasTransferredFiles(transfer)) return [];
    return [{ label: l10n.t('Show Files'), run: () => this.dependencies.showFiles(transfer.key) }];
  }

  private createShowAllAction(): NotificationAction {
    return { label: l10n.t('Show Transfers'), run: () => this.dependencies.showTransfers() };
  }

  private showSingleNotification(transfer: Transfer): void {
    const { notifications } = this.dependencies;
    const actions = [...this.createFilesActions(transfer), this.createShowAction(transfer)];
    const title = getTransferTitle(transfer);
    const outcome = getOutcome(transfer);
    if (hasMissedFollowUp(transfer)) void notifications.warning(describeMissedFollowUp(transfer), ...actions);
    else if (outcome === 'complete') void notifications.info(l10n.t('Transferred {0}.', title), ...actions);
    else if (outcome === 'partial') void notifications.warning(describePartialTransfer(transfer), ...actions);
    else {
      const text = l10n.t('Transfer of {0} failed: {1}', title, describeFailureReason(transfer));
      void notifications.error(text, ...actions);
    }
  }

  private showCombinedNotification(transfers: readonly Transfer[]): void {
    const { notifications } = this.dependencies;
    const counts = countOutcomes(transfers);
    const [text, action] = [describeOutcomes(counts), this.createShowAllAction()];
    if (counts.failed > 0) void notifications.error(text, action);
    else if (counts.partial > 0) void notifications.warning(text, action);
    else void notifications.info(text, action);
  }

  private askIfStarted(transfer: Transfer): void {
    const { store, notifications, level, didStart, didNotStart } = this.dependencies;
    if (level() === 'none' || store.get(transfer.key)?.state !== 'notConfirmed') return;
    const actions: readonly NotificationAction[] = [
      { label: getCommandTitle('dataTransfer.transferDidStart'), run: () => didStart(transfer.key) },
      { label: getCommandTitle('dataTransfer.transferDidNotStart'), run: () => didNotStart(transfer.key) },
    ];
    const reason = transfer.problem ? describeReason(transfer.problem) : '';
    const text = l10n.t(
      "It's unclear whether the transfer of {0} has started: {1}",
      getTransferTitle(transfer),
      reason,
    );
    void notifications.warning(text, ...actions);
  }
}

/** Returns true if a transfer's state is final and news to the user. Excludes cancellations and refused submissions. */
function shouldNotify({ state }: Transfer): boolean {
  return hasEnded(state) && state !== 'cancelled' && state !== 'refused';
}

function isUnsuccessful(transfer: Transfer): boolean {
  return getOutcome(transfer) !== 'complete' || hasMissedFollowUp(transfer);
}

function describeMissedFollowUp(transfer: Transfer): string {
  const followUp = getFollowUp(transfer);
  const reason = followUp ? describeFollowUp({ l10n, toPlainLine }, followUp) : '';
  return l10n.t('Transferred {0}, but {1}.', getTransferTitle(transfer), reason);
}

/** The number of transfers with each outcome. */
interface OutcomeCounts {
  readonly total: number;
  readonly complete: number;
  readonly partial: number;
  readonly failed: number;
}

function countOutcomes(transfers: readonly Transfer[]): OutcomeCounts {
  const outcomes = transfers.map(getOutcome);
  const complete = outcomes.filter((outcome) => outcome === 'complete').length;
  const partial = outcomes.filter((outcome) => outcome === 'partial').length;
  const total = transfers.length;
  return { total, complete, partial, failed: total - complete - partial };
}

function describeOutcomes(counts: OutcomeCounts): string {
  const { total, complete, failed } = counts;
  if (complete === total) return plural(total, '{0} transfer succeeded.', '{0} transfers succeeded.');
  if (failed === total) return plural(total, '{0} transfer failed.', '{0} transfers failed.');
  return describeMixedOutcomes(counts);
}

/** Describes a transfer that completed without transferring all of its files (D39: server data display). */
function describePartialTransfer(transfer: Transfer): string {
  const moved = formatMovedFiles(transfer) ?? '';
  if (transfer.startedElsewhere) return l10n.t('Incomplete: {0} transferred.', moved);
  return l10n.t('Incomplete: {0} transferred to {1}.', moved, toPlainLine(transfer.order.destination));
}

function describeFailureReason(transfer: Transfer): string {
  const message = toPlainLine(transfer.status?.message ?? '');
  if (message !== '') return message;
  return transfer.problem ? describeReason(transfer.problem) : describeMissingReason(l10n);
}

function describeMixedOutcomes({ total, complete, partial, failed }: OutcomeCounts): string {
  const parts = formatList([
    failed > 0 ? plural(failed, '{0} failed', '{0} failed') : undefined,
    partial > 0 ? plural(partial, '{0} incomplete', '{0} incomplete') : undefined,
    complete > 0 ? plural(complete, '{0} complete', '{0} complete') : undefined,
  ]);
  return plural(total, '{0} transfer ended: {1}.', '{0} transfers ended: {1}.', parts);
}
