import {
  EventEmitter,
  ThemeColor,
  ThemeIcon,
  TreeItem,
  workspace,
  type Event,
  type TreeDataProvider,
  type Uri,
  type ViewBadge,
} from 'vscode';
import { Lifetime, type Disposable } from '../../../core/util/lifetime.ts';
import type { RecipeNode } from '../../editor/contributions.ts';
import { plural } from '../../words/localeFormats.ts';
import { toPlainLine } from '../../words/plainText.ts';
import { setAccessibleLabel } from '../../views/placeholders.ts';

/** The status of a recipe as shown in its row. */
export interface RecipeStatus {
  readonly description: string;
  readonly icon: 'beaker' | 'bell-dot' | 'error';
  /** True if files have been added since the last run. */
  readonly hasNewFiles?: boolean;
}

/** Dependencies of {@link RecipeTree}. */
interface RecipeTreeDependencies {
  readonly files: { readonly all: readonly Uri[]; readonly onDidChange: Event<void> };
  /** Returns a recipe's last known status. Updates a missing or outdated one in the background and reports that. */
  getStatus(uri: Uri): Promise<RecipeStatus>;
  onDidChangeStatus(listener: () => void): Disposable;
}

/** Provides a row for each recipe in the workspace. */
export class RecipeTree implements TreeDataProvider<RecipeNode>, Disposable {
  private readonly lifetime = new Lifetime();
  private readonly dependencies: RecipeTreeDependencies;
  private readonly changed = this.lifetime.track(new EventEmitter<RecipeNode | undefined>());

  readonly onDidChangeTreeData = this.changed.event;

  constructor(dependencies: RecipeTreeDependencies) {
    this.dependencies = dependencies;
    this.lifetime.track(dependencies.files.onDidChange(() => this.changed.fire(undefined)));
    this.lifetime.track(dependencies.onDidChangeStatus(() => this.changed.fire(undefined)));
  }

  getChildren(parent?: RecipeNode): RecipeNode[] {
    return parent ? [] : this.dependencies.files.all.map((uri) => ({ kind: 'recipe', uri }));
  }

  async getTreeItem({ uri }: RecipeNode): Promise<TreeItem> {
    const { description, icon } = await this.dependencies.getStatus(uri);
    const name = toPlainLine(uri.path.split('/').at(-1) ?? '');
    const item = new TreeItem(name.replace(/\.transfer\.json$/, ''));
    item.id = uri.toString();
    item.description = description;
    item.tooltip = toPlainLine(workspace.asRelativePath(uri));
    item.iconPath = new ThemeIcon(icon, icon === 'error' ? new ThemeColor('problemsErrorIcon.foreground') : undefined);
    item.contextValue = 'recipe';
    item.command = { command: 'vscode.open', title: '', arguments: [uri] };
    return setAccessibleLabel(item);
  }

  dispose(): void {
    this.lifetime.dispose();
  }
}

/** Dependencies of {@link RecipeBadge}. */
interface RecipeBadgeDependencies {
  readonly view: { badge?: ViewBadge | undefined };
  readonly files: { readonly all: readonly Uri[]; readonly onDidChange: Event<void> };
  readonly settings: {
    readonly isRecipeBadgeEnabled: boolean;
    onDidChangeRecipeBadge(listener: () => void): Disposable;
  };
  /** Returns true if the last check found new files and is still current. Doesn't start a check. */
  hasNewFiles(uri: Uri): boolean;
  onDidChangeStatus(listener: () => void): Disposable;
}

/** Shows the number of recipes with new files as a badge, if the setting says so (D61: recipe and lock). */
export class RecipeBadge implements Disposable {
  private readonly lifetime = new Lifetime();
  private readonly dependencies: RecipeBadgeDependencies;

  constructor(dependencies: RecipeBadgeDependencies) {
    this.dependencies = dependencies;
    const draw = (): void => this.draw();
    this.lifetime.track(dependencies.files.onDidChange(draw));
    this.lifetime.track(dependencies.settings.onDidChangeRecipeBadge(draw));
    this.lifetime.track(dependencies.onDidChangeStatus(draw));
  }

  dispose(): void {
    this.lifetime.dispose();
  }

  private draw(): void {
    const { view, files, settings, hasNewFiles } = this.dependencies;
    const count = settings.isRecipeBadgeEnabled ? files.all.filter(hasNewFiles).length : 0;
    const tooltip = plural(count, '{0} recipe has new files', '{0} recipes have new files');
    view.badge = count > 0 ? { value: count, tooltip } : undefined;
  }
}
