import {
  EventEmitter,
  l10n,
  ThemeColor,
  ThemeIcon,
  TreeItem,
  TreeItemCollapsibleState,
  type TreeDataProvider,
} from 'vscode';
import { hasEnded, isPaused, type Transfer, type TransferState } from '../core/model/transfer.ts';
import { getOutcome } from '../core/model/transferOutcome.ts';
import type { TransferStore } from '../core/store/transferStore.ts';
import type { Clock } from '../core/util/clock.ts';
import { Lifetime, type Disposable } from '../core/util/lifetime.ts';
import type { TransferNode } from '../host/contributions.ts';
import { foreignServiceName } from '../host/serviceNames.ts';
import {
  numberText,
  plainLine,
  progressText,
  reasonText,
  timeText,
  transferRowTitle,
  transferTitle,
} from '../host/words.ts';
import type { TransferGroupNode, TransferTreeNode } from './nodes.ts';
import { goneItem, loadingRow, messageItem } from './placeholders.ts';
import { spokenRow } from './spokenRow.ts';

type Group = TransferGroupNode['group'];

/** What a {@link TransferTree} needs. */
export interface TransferTreeParts {
  readonly store: TransferStore;
  readonly clock: Clock;
  /** Brings in the transfers that ended in earlier sessions. */
  loadFinished(): Promise<void>;
  /** How long a transfer will still take, in words; undefined where nothing honest can be said. */
  estimate(transfer: Transfer): string | undefined;
}

/** The transfers, running ones first, newest first. */
export class TransferTree implements TreeDataProvider<TransferTreeNode>, Disposable {
  private readonly lifetime = new Lifetime();
  private readonly parts: TransferTreeParts;
  private readonly rows = new Map<string, TransferNode>();
  private readonly groups = {
    running: { kind: 'group', group: 'running' },
    notConfirmed: { kind: 'group', group: 'notConfirmed' },
    finished: { kind: 'group', group: 'finished' },
  } as const satisfies Record<string, TransferGroupNode>;
  private readonly shownIn = new Map<string, Group>();
  /** The look of each row when it was drawn last. */
  private readonly drawn = new Map<string, string>();
  private readonly changed = this.lifetime.track(new EventEmitter<TransferTreeNode | undefined>());

  readonly onDidChangeTreeData = this.changed.event;

  constructor(parts: TransferTreeParts) {
    this.parts = parts;
    this.lifetime.track(parts.store.onDidChange((keys) => this.refresh(keys)));
  }

  getTreeItem(node: TransferTreeNode): TreeItem {
    if (node.kind === 'message') return messageItem(node);
    if (node.kind === 'group') return this.groupItem(node);
    const transfer = this.parts.store.get(node.key);
    return transfer ? this.transferItem(transfer) : goneItem(node.key);
  }

  getChildren(parent?: TransferTreeNode): TransferTreeNode[] {
    const { store } = this.parts;
    if (!parent) return this.shownGroups();
    if (parent.kind !== 'group') return [];
    const rows = this.transfersOf(parent.group).map((transfer) => this.row(transfer));
    if (parent.group !== 'finished' || !store.hasEarlier) return rows;
    void this.parts.loadFinished();
    return [...rows, loadingRow('finished')];
  }

  getParent(node: TransferTreeNode): TransferTreeNode | undefined {
    const transfer = node.kind === 'transfer' ? this.parts.store.get(node.key) : undefined;
    return transfer && this.groups[groupOf(transfer)];
  }

  /** The row of a transfer, to reveal it. */
  node(key: string): TransferNode | undefined {
    const transfer = this.parts.store.get(key);
    return transfer && this.row(transfer);
  }

  dispose(): void {
    this.lifetime.dispose();
  }

  private shownGroups(): TransferGroupNode[] {
    const { hasEarlier } = this.parts.store;
    return Object.values(this.groups).filter(
      ({ group }) => this.transfersOf(group).length > 0 || (group === 'finished' && hasEarlier),
    );
  }

  private transfersOf(group: Group): readonly Transfer[] {
    return this.parts.store[group]();
  }

  private row(transfer: Transfer): TransferNode {
    const { key } = transfer;
    const node = this.rows.get(key) ?? { kind: 'transfer', key };
    this.rows.set(key, node);
    this.shownIn.set(key, groupOf(transfer));
    return node;
  }

  /** A row that stays in its group is drawn alone; one that comes, goes or moves changes the groups. */
  private refresh(keys: readonly string[]): void {
    const stays = (key: string): boolean => {
      const transfer = this.parts.store.get(key);
      return transfer !== undefined && this.shownIn.get(key) === groupOf(transfer);
    };
    const isSame = keys.length > 0 && keys.every(stays);
    for (const key of keys) if (!this.parts.store.get(key)) this.forget(key);
    const redrawn = isSame ? keys.filter((key) => this.looksDifferent(key)) : [];
    if (!isSame) this.changed.fire(undefined);
    for (const key of redrawn) this.changed.fire(this.rows.get(key));
  }

  /** Returns true unless a row looks as it was drawn. Drawing it again would close its menu and tooltip. */
  private looksDifferent(key: string): boolean {
    const transfer = this.parts.store.get(key);
    return !transfer || this.drawn.get(key) !== lookOf(this.newItem(transfer));
  }

  private forget(key: string): void {
    this.rows.delete(key);
    this.drawn.delete(key);
    this.shownIn.delete(key);
  }

  private transferItem(transfer: Transfer): TreeItem {
    const item = this.newItem(transfer);
    this.drawn.set(transfer.key, lookOf(item));
    return item;
  }

  private newItem(transfer: Transfer): TreeItem {
    return transferItem(transfer, this.parts.estimate(transfer), this.parts.clock.now());
  }

  private groupItem({ group }: TransferGroupNode): TreeItem {
    const titles: Readonly<Record<Group, string>> = {
      running: l10n.t('Running'),
      notConfirmed: l10n.t('Not confirmed'),
      finished: l10n.t('Finished'),
    };
    const state = group === 'finished' ? TreeItemCollapsibleState.Collapsed : TreeItemCollapsibleState.Expanded;
    const item = new TreeItem(titles[group], state);
    item.id = group;
    item.contextValue = `group.${group}`;
    if (group !== 'finished' || !this.parts.store.hasEarlier) {
      item.description = numberText(this.transfersOf(group).length);
    }
    return item;
  }
}

/** Returns everything of a row that a person can notice, as text to compare. */
function lookOf({ label, description, tooltip, iconPath, contextValue }: TreeItem): string {
  return JSON.stringify([label, description, tooltip, iconPath, contextValue]);
}

function groupOf({ state }: Transfer): Group {
  if (state === 'notConfirmed') return 'notConfirmed';
  return hasEnded(state) ? 'finished' : 'running';
}

const icons: Readonly<Record<TransferState, ThemeIcon>> = {
  submitting: new ThemeIcon('loading~spin'),
  notConfirmed: new ThemeIcon('question', new ThemeColor('list.warningForeground')),
  refused: new ThemeIcon('error', new ThemeColor('list.errorForeground')),
  accepted: new ThemeIcon('clock'),
  staging: new ThemeIcon('cloud-download'),
  active: new ThemeIcon('sync~spin'),
  finalizing: new ThemeIcon('tasklist'),
  inactive: new ThemeIcon('debug-pause', new ThemeColor('list.warningForeground')),
  unknown: new ThemeIcon('question'),
  running: new ThemeIcon('sync~spin'),
  succeeded: new ThemeIcon('pass', new ThemeColor('testing.iconPassed')),
  failed: new ThemeIcon('error', new ThemeColor('list.errorForeground')),
  cancelled: new ThemeIcon('circle-slash'),
  expired: new ThemeIcon('history'),
};

const partialIcon = new ThemeIcon('warning', new ThemeColor('list.warningForeground'));

function iconFor(transfer: Transfer): ThemeIcon {
  if (getOutcome(transfer) === 'partial') return partialIcon;
  return isPaused(transfer) ? icons.inactive : icons[transfer.state];
}

function transferItem(transfer: Transfer, estimate: string | undefined, now: number): TreeItem {
  const { order } = transfer;
  const item = new TreeItem(transferRowTitle(transfer));
  item.id = transfer.key;
  item.iconPath = iconFor(transfer);
  item.contextValue = contextOf(transfer);
  const isOld = transfer.problem !== undefined && !hasEnded(transfer.state);
  const asOf = isOld && transfer.askedAt ? l10n.t('as of {0}', timeText(transfer.askedAt, now)) : undefined;
  const elsewhere = foreignServiceName(order.connectionId);
  item.description = [progressText(transfer), estimate, asOf, elsewhere].filter(Boolean).join(' · ');
  item.tooltip = transferTooltip(transfer, estimate, now);
  item.command = {
    command: 'dataTransfer.showTransferProgress',
    title: l10n.t('Show Transfer Progress'),
    arguments: [{ kind: 'transfer', key: transfer.key } satisfies TransferNode],
  };
  return spokenRow(item);
}

function contextOf(transfer: Transfer): string {
  if (hasEnded(transfer.state)) return transfer.startedElsewhere ? 'transfer.endedElsewhere' : 'transfer.ended';
  if (transfer.state === 'notConfirmed') return 'transfer.notConfirmed';
  if (isPaused(transfer)) return 'transfer.paused';
  if (transfer.cancelUnheeded) return 'transfer.unheeded';
  const cancellable = transfer.id !== undefined && transfer.cancelAcceptedAt === undefined;
  return cancellable ? 'transfer.running' : 'transfer.waiting';
}

function transferTooltip(transfer: Transfer, estimate: string | undefined, now: number): string {
  const { order, status, problem, startedElsewhere } = transfer;
  const begun = timeText(transfer.createdAt, now);
  return [
    startedElsewhere ? transferTitle(transfer) : `${plainLine(order.source)} → ${plainLine(order.destination)}`,
    [progressText(transfer), estimate].filter(Boolean).join(' · '),
    status?.message ? plainLine(status.message) : '',
    problem && !isPaused(transfer) ? reasonText(problem) : '',
    startedElsewhere ? l10n.t('Watched since: {0}', begun) : l10n.t('Started: {0}', begun),
    transfer.askedAt ? l10n.t('Last updated: {0}', timeText(transfer.askedAt, now)) : '',
    transfer.id ? l10n.t('Id: {0}', plainLine(transfer.id)) : '',
  ]
    .filter(Boolean)
    .join('\n');
}
