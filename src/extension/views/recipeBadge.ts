import type { Event, Uri, ViewBadge } from 'vscode';
import { Lifetime, type Disposable } from '../../core/util/lifetime.ts';
import { plural } from '../words/localeFormats.ts';

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

/**
 * Shows the number of recipes with new files as a badge on the Recipes view, if the setting enables it (D61: recipe and
 * lock).
 */
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
