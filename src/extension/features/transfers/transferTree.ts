import { EventEmitter, l10n, TreeItem, TreeItemCollapsibleState, type TreeDataProvider } from 'vscode';
import { hasEnded, type Estimate, type Transfer } from '../../../core/model/transferModel.ts';
import type { TransferStore } from '../../../core/transfers/transferStore.ts';
import type { Clock } from '../../../core/util/clock.ts';
import { Lifetime, type Disposable } from '../../../core/util/lifetime.ts';
import type { PlanNode, TransferNode } from '../../editor/contributions.ts';
import { formatNumber } from '../../words/localeFormats.ts';
import { arrangeFinished, getStartOfDay, type FinishedLayout } from './finishedGroups.ts';
import type { TransferRowFacts, VerifiedCount } from '../../words/transferRowWords.ts';
import type { MessageNode, TransferGroupNode, TransferTreeNode } from '../../views/nodes.ts';
import { createRemovedItem, createLoadingRow, createMessageItem } from '../../views/placeholders.ts';
import { createPlanItem, createTransferItem, findLookAlikes, type PlanList } from './transferItems.ts';

type Group = TransferGroupNode['group'];

/** Dependencies of a {@link TransferTree}. */
export interface TransferTreeDependencies {
  readonly store: TransferStore;
  readonly clock: Clock;
  /** Loads the transfers that ended in earlier sessions. */
  loadFinished(): Promise<void>;
  /** Quickly loads only the most recent transfers from earlier sessions. */
  loadLastFinished(): Promise<void>;
  /** The transfers that agents have proposed. */
  readonly plans: PlanList;
  /** Estimates a transfer's remaining time. Returns undefined if there is no reliable estimate. */
  estimate(transfer: Transfer): Estimate | undefined;
  readonly verifications: Verifications;
}

/** The last verifications of transfers. */
interface Verifications {
  /** Resolves to the verifications by the keys of their transfers. */
  getAll(): Promise<ReadonlyMap<string, VerifiedCount>>;
  onDidChange(listener: () => void): Disposable;
}

/** Provides the rows of the Transfers view: running before finished, newer before older. */
export class TransferTree implements TreeDataProvider<TransferTreeNode>, Disposable {
  private readonly lifetime = new Lifetime();
  private readonly dependencies: TransferTreeDependencies;
  private readonly rows = new Map<string, TransferNode>();
  private readonly groups = {
    proposed: { kind: 'group', group: 'proposed' },
    running: { kind: 'group', group: 'running' },
    notConfirmed: { kind: 'group', group: 'notConfirmed' },
    finished: { kind: 'group', group: 'finished' },
    today: { kind: 'group', group: 'today' },
    yesterday: { kind: 'group', group: 'yesterday' },
    thisWeek: { kind: 'group', group: 'thisWeek' },
    earlier: { kind: 'group', group: 'earlier' },
  } as const satisfies Record<Group, TransferGroupNode>;
  private readonly shownIn = new Map<string, Group>();
  private layout: FinishedLayout | undefined;
  private lastFinished: 'unloaded' | 'loading' | 'loaded' = 'unloaded';
  /** True if the records of earlier sessions could not be read. */
  private isUnreadable = false;
  /** Keys of transfers whose rows also show time and source, because another row of the group is the same. */
  private readonly alike = new Set<string>();
  private verifications: ReadonlyMap<string, VerifiedCount> = new Map();
  /** The last rendered appearance of each row, serialized, by transfer key. */
  private readonly drawn = new Map<string, string>();
  private readonly changed = this.lifetime.track(new EventEmitter<TransferTreeNode | undefined>());

  readonly onDidChangeTreeData = this.changed.event;

  constructor(dependencies: TransferTreeDependencies) {
    this.dependencies = dependencies;
    this.lifetime.track(dependencies.store.onDidChange((keys) => this.refresh(keys)));
    this.lifetime.track(dependencies.plans.onDidChange(() => this.changed.fire(undefined)));
    this.lifetime.track(dependencies.verifications.onDidChange(() => void this.readVerifications()));
    void this.readVerifications();
    this.redrawAfterMidnight();
  }

  getTreeItem(node: TransferTreeNode): TreeItem {
    if (node.kind === 'message') return createMessageItem(node);
    if (node.kind === 'group') return this.createGroupItem(node);
    if (node.kind === 'plan') return this.getPlanItem(node);
    const transfer = this.dependencies.store.get(node.key);
    return transfer ? this.getTransferItem(transfer) : createRemovedItem(node.key);
  }

  getChildren(parent?: TransferTreeNode): TransferTreeNode[] {
    if (!parent) return this.getShownGroups();
    if (parent.kind !== 'group') return [];
    const { group } = parent;
    if (group === 'proposed') return this.getPlanRows();
    const rows = this.getRows(group);
    if (group === 'finished') return [...rows, ...this.getOlderRows()];
    return group === 'earlier' && this.dependencies.store.hasEarlier ? [...rows, this.getEarlierRow()] : rows;
  }

  getParent(node: TransferTreeNode): TransferTreeNode | undefined {
    if (node.kind === 'group') return isDay(node.group) ? this.groups.finished : undefined;
    if (node.kind === 'plan') return this.groups.proposed;
    const transfer = node.kind === 'transfer' ? this.dependencies.store.get(node.key) : undefined;
    return transfer && this.groups[this.getGroup(transfer)];
  }

  /** Returns a transfer's row, for example to reveal it. */
  getNode(key: string): TransferNode | undefined {
    const transfer = this.dependencies.store.get(key);
    return transfer && this.getRow(transfer);
  }

  dispose(): void {
    this.lifetime.dispose();
  }

  private getShownGroups(): TransferGroupNode[] {
    const { store } = this.dependencies;
    const { proposed, running, notConfirmed, finished } = this.groups;
    const hasFinished = store.hasEarlier || this.getTransfers('finished').length > 0;
    const unfinished = [running, notConfirmed].filter(({ group }) => this.getTransfers(group).length > 0);
    const shown = this.dependencies.plans.getAll().length > 0 ? [proposed, ...unfinished] : unfinished;
    return hasFinished ? [...shown, finished] : shown;
  }

  private getPlanRows(): PlanNode[] {
    return this.dependencies.plans.getAll().map(({ id }) => ({ kind: 'plan', id }));
  }

  private getPlanItem({ id }: PlanNode): TreeItem {
    const plan = this.dependencies.plans.get(id);
    return plan ? createPlanItem(plan) : createRemovedItem(`plan/${id}`);
  }

  private getTransfers(group: Exclude<Group, 'proposed'>): readonly Transfer[] {
    const { store } = this.dependencies;
    if (group === 'running') return store.getRunning();
    return group === 'notConfirmed' ? store.getNotConfirmed() : this.getLayout().groups[group];
  }

  private getLayout(): FinishedLayout {
    const { store, clock } = this.dependencies;
    this.layout ??= arrangeFinished(store.getFinished(), clock.now(), store.hasEarlier);
    return this.layout;
  }

  private getGroup(transfer: Transfer): Exclude<Group, 'proposed'> {
    const group = getStatusGroup(transfer);
    return group === 'finished' ? (this.getLayout().groupByKey.get(transfer.key) ?? group) : group;
  }

  /** Returns the groups by day, or a placeholder until they are loaded; the first call starts that. */
  private getOlderRows(): TransferTreeNode[] {
    const { store, loadLastFinished } = this.dependencies;
    const days = this.getLayout().days.map((day) => this.groups[day]);
    if (!store.hasEarlier || this.lastFinished === 'loaded') return days;
    if (this.lastFinished === 'unloaded')
      void loadLastFinished().finally(() => {
        this.lastFinished = 'loaded';
        this.redraw();
      });
    this.lastFinished = 'loading';
    return [createLoadingRow('finished')];
  }

  /** Returns a placeholder for older transfers, or a failure row if loading failed. Starts loading all transfers. */
  private getEarlierRow(): TransferTreeNode {
    const { store, loadFinished } = this.dependencies;
    void loadFinished().finally(() => {
      if (!store.hasEarlier || this.isUnreadable) return;
      this.isUnreadable = true;
      this.redraw();
    });
    return this.isUnreadable ? createUnreadableRow() : createLoadingRow('earlier');
  }

  private getRows(group: Exclude<Group, 'proposed'>): TransferNode[] {
    this.findLookAlikes(group);
    return this.getTransfers(group).map((transfer) => this.getRow(transfer));
  }

  private findLookAlikes(group: Exclude<Group, 'proposed'>): void {
    const transfers = this.getTransfers(group);
    const alike = findLookAlikes(transfers, (transfer) => this.getFacts(transfer));
    for (const { key } of transfers) {
      if (alike.has(key)) this.alike.add(key);
      else this.alike.delete(key);
    }
  }

  private redraw(): void {
    this.layout = undefined;
    this.changed.fire(undefined);
  }

  /** Redraws the tree at midnight every day, when transfers move to other groups. */
  private redrawAfterMidnight(): void {
    const now = this.dependencies.clock.now();
    const wait = this.dependencies.clock.after(getStartOfDay(now, 1) - now, () => {
      this.redraw();
      this.redrawAfterMidnight();
    });
    this.lifetime.track(wait);
  }

  private getRow(transfer: Transfer): TransferNode {
    const { key } = transfer;
    const node = this.rows.get(key) ?? { kind: 'transfer', key };
    this.rows.set(key, node);
    this.shownIn.set(key, getStatusGroup(transfer));
    return node;
  }

  /** Redraws the rows of transfers that stay in their groups, and otherwise the whole tree. */
  private refresh(keys: readonly string[]): void {
    this.layout = undefined;
    const isInPlace = (key: string): boolean => {
      const transfer = this.dependencies.store.get(key);
      return transfer !== undefined && this.shownIn.get(key) === getStatusGroup(transfer);
    };
    const areInPlace = keys.length > 0 && keys.every(isInPlace);
    for (const key of keys) if (!this.dependencies.store.get(key)) this.forget(key);
    const redrawn = areInPlace ? keys.filter((key) => this.hasRowChanged(key)) : [];
    if (!areInPlace) this.changed.fire(undefined);
    for (const key of redrawn) this.changed.fire(this.rows.get(key));
  }

  /** Returns true if a row would look different. Redrawing it needlessly would close its menu and tooltip. */
  private hasRowChanged(key: string): boolean {
    const transfer = this.dependencies.store.get(key);
    return !transfer || this.drawn.get(key) !== serializeItem(this.createItem(transfer));
  }

  private forget(key: string): void {
    this.rows.delete(key);
    this.drawn.delete(key);
    this.shownIn.delete(key);
    this.alike.delete(key);
  }

  private getTransferItem(transfer: Transfer): TreeItem {
    const item = this.createItem(transfer);
    this.drawn.set(transfer.key, serializeItem(item));
    return item;
  }

  private createItem(transfer: Transfer): TreeItem {
    const now = this.dependencies.clock.now();
    return createTransferItem(transfer, this.getFacts(transfer), now, this.alike.has(transfer.key));
  }

  private getFacts(transfer: Transfer): TransferRowFacts {
    return { estimate: this.dependencies.estimate(transfer), verification: this.verifications.get(transfer.key) };
  }

  private async readVerifications(): Promise<void> {
    this.verifications = await this.dependencies.verifications.getAll();
    const drawn = [...this.drawn.keys()].flatMap((key) => this.dependencies.store.get(key) ?? []);
    for (const group of new Set(drawn.map((transfer) => this.getGroup(transfer)))) this.findLookAlikes(group);
    for (const { key } of drawn) if (this.hasRowChanged(key)) this.changed.fire(this.rows.get(key));
  }

  private createGroupItem({ group }: TransferGroupNode): TreeItem {
    const titles: Readonly<Record<Group, string>> = {
      proposed: l10n.t('Proposed by an agent'),
      running: l10n.t('Running'),
      notConfirmed: l10n.t('Not confirmed'),
      finished: l10n.t('Finished'),
      today: l10n.t('Earlier today'),
      yesterday: l10n.t('Yesterday'),
      thisWeek: l10n.t('This week'),
      earlier: l10n.t('Earlier'),
    };
    const state = isDay(group) ? TreeItemCollapsibleState.Collapsed : TreeItemCollapsibleState.Expanded;
    const item = new TreeItem(titles[group], state);
    item.id = group;
    item.contextValue = `group.${group}`;
    const count = this.countTransfers(group);
    if (count !== undefined) item.description = formatNumber(count);
    return item;
  }

  /** Returns the number of transfers in a group and its subgroups; undefined while some aren't loaded. */
  private countTransfers(group: Group): number | undefined {
    const { store, plans } = this.dependencies;
    if (group === 'proposed') return plans.getAll().length;
    if (store.hasEarlier && (group === 'finished' || isDay(group))) return undefined;
    return group === 'finished' ? this.getLayout().groupByKey.size : this.getTransfers(group).length;
  }
}

function createUnreadableRow(): MessageNode {
  const text = l10n.t("Some transfers couldn't be read. See the log.");
  const command = { id: 'dataTransfer.showLog', title: l10n.t('Show Log') } as const;
  return { kind: 'message', id: 'earlier/unreadable', icon: 'unreadable', text, command };
}

function serializeItem({ label, description, tooltip, iconPath, contextValue }: TreeItem): string {
  return JSON.stringify([label, description, tooltip, iconPath, contextValue]);
}

function isDay(group: Group): boolean {
  return group !== 'proposed' && group !== 'running' && group !== 'notConfirmed' && group !== 'finished';
}

function getStatusGroup({ state }: Transfer): 'running' | 'notConfirmed' | 'finished' {
  if (state === 'notConfirmed') return 'notConfirmed';
  return hasEnded(state) ? 'finished' : 'running';
}
