import {
  EventEmitter,
  type CancellationToken,
  type ProviderResult,
  type TreeDataProvider,
  type TreeItem,
} from 'vscode';
import { Lifetime, type Disposable } from '../core/util/lifetime.ts';

/** The rows of a view whose tree is made only when the editor first asks for them. */
export class LateTree<T> implements TreeDataProvider<T>, Disposable {
  private readonly lifetime = new Lifetime();
  private readonly changed = this.lifetime.track(new EventEmitter<T | T[] | undefined>());
  private readonly begin: () => Promise<unknown>;
  private tree: TreeDataProvider<T> | undefined;
  private tellFilled = (): void => undefined;
  private readonly filled = new Promise<void>((resolve) => {
    this.tellFilled = resolve;
  });

  readonly onDidChangeTreeData = this.changed.event;

  /** `begin` is to fill it, and rejects where it cannot. */
  constructor(begin: () => Promise<unknown>) {
    this.begin = begin;
  }

  /** Shows this tree from now on. */
  fill(tree: TreeDataProvider<T>): void {
    this.tree = tree;
    const changes = tree.onDidChangeTreeData?.((node) => this.changed.fire(node ?? undefined));
    if (changes) this.lifetime.track(changes);
    this.tellFilled();
  }

  /** Waits for the tree alone: whoever begins may wait for a disk as well. */
  async getChildren(parent?: T): Promise<T[] | null | undefined> {
    if (!this.tree) await Promise.race([this.filled, this.begin()]);
    return await this.tree?.getChildren(parent);
  }

  getTreeItem(node: T): TreeItem | Thenable<TreeItem> {
    return this.there.getTreeItem(node);
  }

  getParent(node: T): ProviderResult<T> {
    return this.there.getParent?.(node);
  }

  resolveTreeItem(item: TreeItem, node: T, token: CancellationToken): ProviderResult<TreeItem> {
    return this.there.resolveTreeItem?.(item, node, token);
  }

  dispose(): void {
    this.lifetime.dispose();
  }

  /** A row that the editor asks about came from it. */
  private get there(): TreeDataProvider<T> {
    if (!this.tree) throw new Error('There are no rows yet.');
    return this.tree;
  }
}
