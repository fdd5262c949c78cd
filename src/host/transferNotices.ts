import { l10n } from 'vscode';
import { hasEnded, type Transfer, type TransferState } from '../core/model/transfer.ts';
import { getOutcome } from '../core/model/transferOutcome.ts';
import type { TransferStore } from '../core/store/transferStore.ts';
import { wait, type Clock } from '../core/util/clock.ts';
import { Lifetime, type Disposable } from '../core/util/lifetime.ts';
import type { NoticeAction, Notices } from './notices.ts';
import { listText, movedText, numberText, plainLine, plural, reasonText, transferTitle } from './words.ts';

/** What {@link TransferNotices} need. */
export interface TransferNoticeParts {
  readonly store: TransferStore;
  readonly notices: Notices;
  readonly clock: Clock;
  /** The person's choice. */
  level(): 'all' | 'problems' | 'none';
  /** Whether the person submitted a transfer in this window: then other windows let it tell. */
  isMine(transfer: Transfer): boolean;
  /** Whether this window is the first to claim what is to be told; of several windows one is. */
  claim(name: string): Promise<boolean>;
  /** Whether the person looks at this window. */
  hasFocus(): boolean;
  showProgress(key: string): void;
  showTransfers(): void;
  /** The two ways on from a transfer that was not confirmed (D12). */
  didStart(key: string): void;
  didNotStart(key: string): void;
}

/** What ends within this time is told together; the status of transfers is asked for one after the other. */
const togetherMs = 1000;
/** How long another window waits for the one in which the transfer was submitted, which may be closed. */
const othersFirstMs = { withFocus: 2000, without: 3000 };

/** Tells once of every transfer that ended, or was not confirmed, while this window watched it. */
export class TransferNotices implements Disposable {
  private readonly lifetime = new Lifetime();
  private readonly parts: TransferNoticeParts;
  private readonly states = new Map<string, TransferState>();
  private readonly ending = new AbortController();
  private ended: Transfer[] = [];

  constructor(parts: TransferNoticeParts) {
    this.parts = parts;
    this.lifetime.track(parts.store.onDidChange((keys) => this.follow(keys)));
  }

  dispose(): void {
    this.ending.abort();
    this.lifetime.dispose();
  }

  private follow(keys: readonly string[]): void {
    for (const key of keys) {
      const transfer = this.parts.store.get(key);
      const before = this.states.get(key);
      if (!transfer || hasEnded(transfer.state)) this.states.delete(key);
      else this.states.set(key, transfer.state);
      if (transfer && before !== undefined && before !== transfer.state) void this.note(transfer);
    }
  }

  private async note(transfer: Transfer): Promise<void> {
    const isUnsettled = transfer.state === 'notConfirmed';
    if (!isUnsettled && !isWorthTelling(transfer)) return;
    await this.letOthersBeFirst(transfer);
    if (this.ending.signal.aborted) return;
    if (!(await this.parts.claim(`${transfer.key} ${isUnsettled ? 'not confirmed' : 'ended'}`))) return;
    if (isUnsettled) this.askWhatBecame(transfer);
    else this.tellSoon(transfer);
  }

  private async letOthersBeFirst(transfer: Transfer): Promise<void> {
    const { isMine, hasFocus, clock } = this.parts;
    if (isMine(transfer)) return;
    await wait(clock, hasFocus() ? othersFirstMs.withFocus : othersFirstMs.without, this.ending.signal);
  }

  private tellSoon(transfer: Transfer): void {
    this.ended.push(transfer);
    if (this.ended.length === 1) this.lifetime.track(this.parts.clock.after(togetherMs, () => this.tell()));
  }

  private tell(): void {
    const { store } = this.parts;
    const level = this.parts.level();
    const told = this.ended
      .filter(({ key }) => store.get(key) !== undefined)
      .filter((transfer) => level === 'all' || (level === 'problems' && getOutcome(transfer) !== 'complete'));
    this.ended = [];
    this.tellOfForgotten(told.filter(({ state }) => state === 'expired'));
    const others = told.filter(({ state }) => state !== 'expired');
    const [first] = others;
    if (others.length > 1) this.tellOfSeveral(others);
    else if (first) this.tellOfOne(first);
  }

  /** Nobody knows how these ended, so they are not called failures (D11). */
  private tellOfForgotten(transfers: readonly Transfer[]): void {
    const { notices } = this.parts;
    const [first] = transfers;
    if (!first) return;
    const text =
      transfers.length === 1
        ? l10n.t(
            'The service does not know the transfer of {0} any longer. How it ended is not known.',
            transferTitle(first),
          )
        : plural(
            transfers.length,
            'The service does not know {0} transfer any longer. How it ended is not known.',
            'The service does not know {0} transfers any longer. How they ended is not known.',
          );
    void notices.warning(text, transfers.length === 1 ? this.showOne(first) : this.showAll());
  }

  private showOne({ key }: Transfer): NoticeAction {
    return { label: l10n.t('Show Progress'), run: () => this.parts.showProgress(key) };
  }

  private showAll(): NoticeAction {
    return { label: l10n.t('Show Transfers'), run: () => this.parts.showTransfers() };
  }

  private tellOfOne(transfer: Transfer): void {
    const action = this.showOne(transfer);
    const title = transferTitle(transfer);
    const outcome = getOutcome(transfer);
    if (outcome === 'complete') void this.parts.notices.info(l10n.t('Transferred {0}.', title), action);
    else if (outcome === 'partial') void this.parts.notices.warning(partialText(transfer), action);
    else void this.parts.notices.error(l10n.t('Transfer of {0} failed: {1}', title, whyNot(transfer)), action);
  }

  private tellOfSeveral(transfers: readonly Transfer[]): void {
    const { notices } = this.parts;
    const counts = countOutcomes(transfers);
    const [text, action] = [severalText(counts), this.showAll()];
    if (counts.failed > 0) void notices.error(text, action);
    else if (counts.partial > 0) void notices.warning(text, action);
    else void notices.info(text, action);
  }

  private askWhatBecame(transfer: Transfer): void {
    const { store, notices, level, didStart, didNotStart } = this.parts;
    if (level() === 'none' || store.get(transfer.key)?.state !== 'notConfirmed') return;
    const actions: readonly NoticeAction[] = [
      { label: l10n.t('It Did Start…'), run: () => didStart(transfer.key) },
      { label: l10n.t('It Did Not: Submit Again…'), run: () => didNotStart(transfer.key) },
    ];
    const why = transfer.problem ? reasonText(transfer.problem) : '';
    const text = l10n.t('It is not known whether the transfer of {0} has begun: {1}', transferTitle(transfer), why);
    void notices.warning(text, ...actions);
  }
}

/** A cancel was the person's own wish, and a refusal was said where they submitted. */
function isWorthTelling({ state }: Transfer): boolean {
  return hasEnded(state) && state !== 'cancelled' && state !== 'refused';
}

/** Counts several transfers by their outcome. */
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

function severalText({ total, complete, partial, failed }: OutcomeCounts): string {
  if (partial > 0) {
    const parts = listText([
      failed > 0 ? plural(failed, '{0} failed', '{0} failed') : undefined,
      plural(partial, '{0} incomplete', '{0} incomplete'),
      complete > 0 ? plural(complete, '{0} complete', '{0} complete') : undefined,
    ]);
    return plural(total, '{0} transfer has ended: {1}.', '{0} transfers have ended: {1}.', parts);
  }
  if (failed === 0) return plural(total, '{0} transfer has succeeded.', '{0} transfers have succeeded.');
  if (failed === total) return plural(total, '{0} transfer has failed.', '{0} transfers have failed.');
  return plural(total, '{1} of {0} transfer has failed.', '{1} of {0} transfers have failed.', numberText(failed));
}

/** Says how many files were moved of a transfer that completed without all of them (D39). */
function partialText(transfer: Transfer): string {
  const moved = movedText(transfer) ?? '';
  if (transfer.startedElsewhere) return l10n.t('Completed: {0} transferred.', moved);
  return l10n.t('Completed: {0} transferred to {1}.', moved, plainLine(transfer.order.destination));
}

function whyNot(transfer: Transfer): string {
  const { message } = transfer.status ?? {};
  if (message) return plainLine(message);
  return transfer.problem ? reasonText(transfer.problem) : l10n.t('the service gave no reason');
}
