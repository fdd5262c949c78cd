import { l10n, MarkdownString, StatusBarAlignment, ThemeColor, window } from 'vscode';
import type { Reason } from '../../../core/model/reason.ts';
import { isPaused, isPausedByUser, isUnderWay, type Transfer } from '../../../core/model/transferModel.ts';
import { getOutcome, getProgress, getShare } from '../../../core/model/transferOutcome.ts';
import type { TransferStore } from '../../../core/transfers/transferStore.ts';
import type { Clock } from '../../../core/util/clock.ts';
import { Lifetime, type Disposable } from '../../../core/util/lifetime.ts';
import type { TransferNode } from '../../editor/contributions.ts';
import { formatList, formatPercent, plural } from '../../words/localeFormats.ts';
import { describeKeyDoubt, describeReason } from '../../words/reasonWords.ts';
import { describeStatus, formatMovedBytes, formatMovedFiles, getTransferTitle } from '../../words/transferWords.ts';

/** Maximum number of rows in the tooltip. */
const maxRows = 10;

/** A column: its title, and a function that returns the Markdown of a cell. */
type Column = readonly [title: string, cell: (transfer: Transfer) => string];

/** Creates a table of transfers for a tooltip. Each transfer's title links to its page. */
function createTransferTable(
  transfers: readonly Transfer[],
  estimate: (transfer: Transfer) => string | undefined,
): MarkdownString {
  const shown = transfers.slice(0, maxRows);
  const columns: readonly Column[] = [
    [l10n.t('Transfer'), (transfer) => `[${escapeMarkdown(getTransferTitle(transfer))}](${createPageLink(transfer)})`],
    [l10n.t('Status'), (transfer) => escapeMarkdown(describeStatus(transfer))],
    [
      l10n.t('Done'),
      (transfer) => escapeMarkdown(formatList([formatMovedFiles(transfer), formatMovedBytes(transfer)])),
    ],
    [l10n.t('Time left'), (transfer) => escapeMarkdown(estimate(transfer) ?? '')],
  ];
  const filled = columns.filter(([, cell]) => shown.some((transfer) => cell(transfer) !== ''));
  const table = new MarkdownString(
    [
      formatTableLine(filled.map(([title]) => escapeMarkdown(title))),
      `|${':---|'.repeat(filled.length)}`,
      ...shown.map((transfer) => formatTableLine(filled.map(([, cell]) => cell(transfer)))),
    ].join('\n'),
  );
  const others = transfers.length - shown.length;
  if (others > 0) {
    table.appendMarkdown(`\n\n${escapeMarkdown(plural(others, 'and {0} more', 'and {0} more'))}`);
  }
  table.isTrusted = { enabledCommands: ['dataTransfer.showTransferProgress'] };
  return table;
}

/** Formats a row. Adds spaces, because the editor renders the columns too close together. */
function formatTableLine(cells: readonly string[]): string {
  return `| ${cells.join('&nbsp;&nbsp; | ')} |`;
}

function createPageLink({ key }: Transfer): string {
  const node: TransferNode = { kind: 'transfer', key };
  return `command:dataTransfer.showTransferProgress?${encodeURIComponent(JSON.stringify([node]))}`;
}

/** Escapes a server's text for Markdown: all but letters, digits and spaces as character references. */
function escapeMarkdown(text: string): string {
  return text.replace(/[^\p{L}\p{N} ]/gu, (character) => `&#${character.codePointAt(0)};`);
}

/** Dependencies of a {@link TransferStatusBar}. */
interface StatusBarDependencies {
  readonly store: TransferStore;
  readonly clock: Clock;
  /** Returns true if the connection is open. Otherwise, the status of its transfers can't be requested. */
  isConnected(connectionId: string): boolean;
  /** Returns the last rejection of an open connection's key, if any (D28: retry rejected keys). */
  keyRejection(connectionId: string): Reason | undefined;
  /** Describes a transfer's remaining time. Returns undefined if there is no reliable estimate. */
  estimate(transfer: Transfer): string | undefined;
}

const doneDurationMs = 60_000;

/** The content of the status bar item. */
interface StatusBarContent {
  readonly text: string;
  readonly tooltip: string | MarkdownString;
  readonly severity?: 'error' | 'warning';
}

/** States and outcomes of transfers that require the user's attention, worst first. */
const concerns = ['failed', 'notConfirmed', 'partial', 'expired'] as const;
type Concern = (typeof concerns)[number];

/** Summarizes transfers under way, succeeded in the last minute, or unacknowledged and in need of attention. */
export class TransferStatusBar implements Disposable {
  private readonly lifetime = new Lifetime();
  private readonly dependencies: StatusBarDependencies;
  private readonly item = this.lifetime.track(window.createStatusBarItem('transfers', StatusBarAlignment.Left, 10));
  private readonly seenRunning = new Set<string>();
  /** Transfers that require attention, until the user has acknowledged them. */
  private readonly unseen = new Map<string, Concern>();
  private doneUntil = 0;
  private drawn = '';

  constructor(dependencies: StatusBarDependencies) {
    this.dependencies = dependencies;
    this.item.name = l10n.t('Data Transfers');
    this.item.command = 'dataTransfer.showRunningTransfers';
    this.lifetime.track(dependencies.store.onDidChange((keys) => this.follow(keys)));
    this.draw();
  }

  /** The keys of the transfers that require attention and aren't acknowledged yet. */
  get unacknowledged(): readonly string[] {
    return [...this.unseen.keys()];
  }

  /** Stops showing ended and unconfirmed transfers, because the user has seen them. */
  acknowledge(): void {
    this.unseen.clear();
    this.doneUntil = 0;
    this.draw();
  }

  /** Updates the item, for example after a connection is opened or closed. */
  draw(): void {
    const content = this.getContent();
    // Setting the tooltip would close it while the user hovers over the item, even if its text is the same.
    const { text, tooltip, severity } = content ?? {};
    const drawn = JSON.stringify([text, typeof tooltip === 'object' ? tooltip.value : tooltip, severity]);
    if (drawn === this.drawn) return;
    this.drawn = drawn;
    if (!content) {
      this.item.hide();
      return;
    }
    this.item.text = content.text;
    this.item.tooltip = content.tooltip;
    this.item.accessibilityInformation = { label: content.text.replace(/\$\([^)]*\)\s*/g, ''), role: 'button' };
    this.item.backgroundColor = content.severity && new ThemeColor(`statusBarItem.${content.severity}Background`);
    this.item.show();
  }

  dispose(): void {
    this.lifetime.dispose();
  }

  private follow(keys: readonly string[]): void {
    const running = new Set(this.dependencies.store.getRunning().map((transfer) => transfer.key));
    for (const key of keys) {
      const transfer = this.dependencies.store.get(key);
      const wasUnseen = this.unseen.delete(key);
      if (!transfer || running.has(key)) continue;
      if (this.seenRunning.delete(key) || wasUnseen) this.recordEnd(transfer);
    }
    for (const key of running) this.seenRunning.add(key);
    this.draw();
  }

  private recordEnd(ended: Transfer): void {
    const outcome = getOutcome(ended);
    if (outcome === 'failed' || outcome === 'refused') this.unseen.set(ended.key, 'failed');
    if (outcome === 'partial' || outcome === 'expired') this.unseen.set(ended.key, outcome);
    if (ended.state === 'notConfirmed') this.unseen.set(ended.key, 'notConfirmed');
    if (outcome !== 'complete') return;
    this.doneUntil = this.dependencies.clock.now() + doneDurationMs;
    this.lifetime.track(this.dependencies.clock.after(doneDurationMs, () => this.draw()));
  }

  private getContent(): StatusBarContent | undefined {
    const underWay = this.dependencies.store.getRunning().filter(isUnderWay);
    const running = underWay.filter((transfer) => !isPaused(transfer) && !isPausedByUser(transfer));
    if (running.length > 0) return this.addUnseen(this.createRunningContent(running));
    if (this.unseen.size > 0) return this.createUnseenContent(this.describeOnlyPartial());
    if (underWay.length > 0) return this.createPausedContent(underWay);
    if (this.dependencies.clock.now() >= this.doneUntil) return undefined;
    return { text: `$(check) ${l10n.t('All transfers finished')}`, tooltip: l10n.t('Show transfers') };
  }

  /** Describes unacknowledged transfers, worst first; expired ones not as failures, as their outcome is unknown. */
  private createUnseenContent(onlyPartial?: string): StatusBarContent {
    const unseen = [...this.unseen.values()];
    const counts = concerns
      .map((concern) => ({ concern, count: unseen.filter((one) => one === concern).length }))
      .filter(({ count }) => count > 0);
    const texts = counts.map(({ concern, count }, index) => (index === 0 ? describe : describeMore)(concern, count));
    const [worst = 'failed'] = counts.map(({ concern }) => concern);
    const text = onlyPartial ?? formatList(texts);
    const severity = worst === 'failed' ? 'error' : 'warning';
    const tooltip = l10n.t('New since you last looked at the transfers. Select to show them.');
    return { text: `$(${icons[worst]}) ${text}`, tooltip, severity };
  }

  /** Describes the only unacknowledged transfer if it completed without all of its files, else nothing. */
  private describeOnlyPartial(): string | undefined {
    const [[key, concern] = [], other] = this.unseen;
    const transfer =
      concern === 'partial' && !other && key !== undefined ? this.dependencies.store.get(key) : undefined;
    const moved = transfer && formatMovedFiles(transfer);
    return moved === undefined ? undefined : l10n.t('{0} transferred', moved);
  }

  /** Describes paused transfers. Warns if the user has to start the local service. */
  private createPausedContent(paused: readonly Transfer[]): StatusBarContent {
    const text = plural(paused.length, '{0} transfer paused', '{0} transfers paused');
    if (paused.every(isPausedByUser))
      return { text: `$(debug-pause) ${text}`, tooltip: createTransferTable(paused, this.dependencies.estimate) };
    const start = `[${l10n.t('Start')}](command:dataTransfer.startLocalService)`;
    const reasons = new Set(paused.map((transfer) => describeStatus(transfer)));
    const tooltip = new MarkdownString(`${[...reasons].join(', ')} · ${start}`);
    tooltip.isTrusted = { enabledCommands: ['dataTransfer.startLocalService'] };
    return { text: `$(debug-pause) ${text}`, tooltip, severity: 'warning' };
  }

  /**
   * Describes transfers whose status can't be requested because their connection is closed or their key was rejected.
   * Returns undefined if at least one connection works.
   */
  private createWaitingContent(running: readonly Transfer[]): StatusBarContent | undefined {
    const { isConnected, keyRejection } = this.dependencies;
    const ids = [...new Set(running.map(({ order }) => order.connectionId))];
    const rejections = ids.map((id) => keyRejection(id));
    if (ids.some((id, index) => isConnected(id) && !rejections[index])) return undefined;
    const rejection = rejections.find((reason) => reason !== undefined);
    if (rejection)
      return { text: `$(key) ${l10n.t('Data Transfer: waiting for sign-in')}`, ...getRejectionStyle(rejection) };
    const tooltip = l10n.t("Transfer status can't be checked without a connection.");
    return { text: `$(plug) ${l10n.t('Data Transfer: not connected')}`, tooltip, severity: 'warning' };
  }

  private createRunningContent(running: readonly Transfer[]): StatusBarContent {
    const waiting = this.createWaitingContent(running);
    if (waiting) return waiting;
    const count = plural(running.length, '{0} transfer', '{0} transfers');
    const share = getShare(running.map(getProgress));
    const percent = share === undefined ? '' : ` · ${formatPercent(share)}`;
    return {
      text: `$(sync~spin) ${count}${percent}`,
      tooltip: createTransferTable(running, this.dependencies.estimate),
    };
  }

  /** Returns the given content with a description of the unacknowledged transfers, if any, appended to its text. */
  private addUnseen({ text, tooltip, severity }: StatusBarContent): StatusBarContent {
    if (this.unseen.size === 0) return { text, tooltip, ...(severity && { severity }) };
    const unseen = this.createUnseenContent();
    return { ...unseen, text: `${text} · ${unseen.text}`, tooltip };
  }
}

function getRejectionStyle(rejection: Reason): Pick<StatusBarContent, 'tooltip' | 'severity'> {
  const sentence = rejection.keyWorked
    ? describeKeyDoubt(rejection)
    : l10n.t("Transfer status can't be checked without a valid API key: {0}", describeReason(rejection));
  return { tooltip: sentence, severity: 'warning' };
}

const icons: Readonly<Record<Concern, string>> = {
  failed: 'error',
  notConfirmed: 'question',
  partial: 'warning',
  expired: 'history',
};

function describe(concern: Concern, count: number): string {
  if (concern === 'failed') return plural(count, '{0} transfer failed', '{0} transfers failed');
  if (concern === 'notConfirmed') return plural(count, '{0} transfer not confirmed', '{0} transfers not confirmed');
  if (concern === 'partial') return plural(count, '{0} transfer incomplete', '{0} transfers incomplete');
  return plural(count, '{0} transfer expired', '{0} transfers expired');
}

/** Describes further transfers in a list whose first entry already contains the word "transfer". */
function describeMore(concern: Concern, count: number): string {
  if (concern === 'notConfirmed') return plural(count, '{0} not confirmed', '{0} not confirmed');
  if (concern === 'partial') return plural(count, '{0} incomplete', '{0} incomplete');
  return plural(count, '{0} expired', '{0} expired');
}
