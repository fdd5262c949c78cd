import { CodeLens, EventEmitter, l10n, languages, Range, workspace, type TextDocument } from 'vscode';
import { stat } from 'node:fs/promises';
import { parseRecipe } from '../../core/recipes/parseRecipe.ts';
import { getLockPath } from '../../core/recipes/recipeLock.ts';
import { Lifetime, type Disposable } from '../../core/util/lifetime.ts';
import type { CommandId } from './contributions.ts';

/** Provides the code lenses that are shown above a recipe and run commands on it. */
export class RecipeLenses implements Disposable {
  private readonly lifetime = new Lifetime();
  private readonly changed = this.lifetime.track(new EventEmitter<void>());

  readonly onDidChangeCodeLenses = this.changed.event;

  constructor() {
    this.lifetime.track(languages.registerCodeLensProvider({ pattern: '**/*.transfer.json' }, this));
    const locks = this.lifetime.track(workspace.createFileSystemWatcher('**/*.transfer.lock.json', false, true));
    this.lifetime.track(locks.onDidCreate(() => this.changed.fire()));
    this.lifetime.track(locks.onDidDelete(() => this.changed.fire()));
  }

  async provideCodeLenses(document: TextDocument): Promise<CodeLens[]> {
    const { recipe } = parseRecipe(document.getText());
    if (!recipe) return [];
    const isSavedSearch = recipe.to === undefined;
    const ids = [
      createTitle('dataTransfer.dryRunRecipe', l10n.t('Dry Run')),
      ...(isSavedSearch ? [] : [createTitle('dataTransfer.runRecipe', l10n.t('Run…'))]),
      ...((await hasLock(document)) ? createLockTitles() : []),
    ];
    return ids.map((command) => new CodeLens(new Range(0, 0, 0, 0), { ...command, arguments: [document.uri] }));
  }

  dispose(): void {
    this.lifetime.dispose();
  }
}

interface LensTitle {
  readonly command: CommandId;
  readonly title: string;
}

function createTitle(command: CommandId, title: string): LensTitle {
  return { command, title };
}

function createLockTitles(): readonly LensTitle[] {
  return [
    createTitle('dataTransfer.runLockedRecipe', l10n.t('Run with Locked Files…')),
    createTitle('dataTransfer.compareRecipe', l10n.t('Compare with Lock')),
    createTitle('dataTransfer.verifyRecipe', l10n.t('Verify')),
    createTitle('dataTransfer.citeRecipe', l10n.t('Cite…')),
  ];
}

async function hasLock({ uri }: TextDocument): Promise<boolean> {
  if (uri.scheme !== 'file') return false;
  const stats = await stat(getLockPath(uri.fsPath)).catch(() => undefined);
  return stats?.isFile() ?? false;
}
