import type { Uri } from 'vscode';
import { RecipeLenses } from '../../editor/recipeEditor.ts';
import { Lifetime, type Disposable } from '../../../core/util/lifetime.ts';
import type { RecipeStatus } from '../../views/recipeTree.ts';
import type { CommandServices } from '../services.ts';
import { RecipeChanges } from './recipeChanges.ts';
import { createRecipeDiagnostics } from './recipeFacts.ts';

/** Provides the diagnostics, code lenses and status of recipes. Loaded when a recipe is first shown or opened. */
export class RecipeFeatures implements Disposable {
  private readonly lifetime = new Lifetime();
  private readonly changes: RecipeChanges;

  constructor(services: CommandServices, onDidChangeStatus: () => void) {
    this.lifetime.track(new RecipeLenses());
    this.lifetime.track(createRecipeDiagnostics(services));
    this.changes = this.lifetime.track(new RecipeChanges(services));
    this.lifetime.track(this.changes.onDidChange(onDidChangeStatus));
  }

  getStatus(uri: Uri): RecipeStatus {
    return this.changes.getStatus(uri);
  }

  hasNewFiles(uri: Uri): boolean {
    return this.changes.hasNewFiles(uri);
  }

  dispose(): void {
    this.lifetime.dispose();
  }
}
