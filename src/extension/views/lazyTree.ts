import {
  EventEmitter,
  type CancellationToken,
  type ProviderResult,
  type TreeDataProvider,
  type TreeItem,
} from 'vscode';
import { Lifetime, type Disposable } from '../../core/util/lifetime.ts';

/** Provides the rows of a view. Creates the tree for them only when the editor first requests rows. */
export class LazyTree<T> implements TreeDataProvider<T>, Disposable {
  private readonly lifetime = new Lifetime();
  private readonly changed = this.lifetime.track(new EventEmitter<T | T[] | undefined>());
  private readonly start: () => Promise<unknown>;
  private tree: TreeDataProvider<T> | undefined;
  private resolveFilled = (): void => undefined;
  private readonly filled = new Promise<void>((resolve) => {
    this.resolveFilled = resolve;
  });

  readonly onDidChangeTreeData = this.changed.event;

  /** Creates an empty tree. `start` must call {@link fill}, or reject. */
  constructor(start: () => Promise<unknown>) {
    this.start = start;
  }

  /** Sets the tree that provides the rows. */
  fill(tree: TreeDataProvider<T>): void {
    this.tree = tree;
    const changes = tree.onDidChangeTreeData?.((node) => this.changed.fire(node ?? undefined));
    if (changes) this.lifetime.track(changes);
    this.resolveFilled();
  }

  /** Waits only for {@link fill} and not for the rest of the startup, which may be waiting for a disk. */
  async getChildren(parent?: T): Promise<T[] | null | undefined> {
    if (!this.tree) await Promise.race([this.filled, this.start()]);
    return await this.tree?.getChildren(parent);
  }

  getTreeItem(node: T): TreeItem | Thenable<TreeItem> {
    return this.loadedTree.getTreeItem(node);
  }

  getParent(node: T): ProviderResult<T> {
    return this.loadedTree.getParent?.(node);
  }

  resolveTreeItem(item: TreeItem, node: T, token: CancellationToken): ProviderResult<TreeItem> {
    return this.loadedTree.resolveTreeItem?.(item, node, token);
  }

  dispose(): void {
    this.lifetime.dispose();
  }

  /** Returns the tree. Throws if it isn't loaded, which can't happen after the editor has received rows. */
  private get loadedTree(): TreeDataProvider<T> {
    if (!this.tree) throw new Error('There are no rows yet.');
    return this.tree;
  }
}
