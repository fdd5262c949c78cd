import { workspace } from 'vscode';
import { Lifetime, type Disposable } from '../../../core/util/lifetime.ts';
import { RecipeDiagnostics } from '../../editor/recipeEditor.ts';
import type { CommandServices } from '../services.ts';
import { loadServiceFacts } from './serviceFacts.ts';

/** Creates the recipe diagnostics, which check recipes against the active connection's service. */
export function createRecipeDiagnostics(services: CommandServices): RecipeDiagnostics {
  return new RecipeDiagnostics({
    getFacts: (recipe) => loadServiceFacts(services, recipe, workspace.isTrusted),
    onDidChangeFacts: (listener) => onDidChangeFacts(services, listener),
  });
}

function onDidChangeFacts({ connectionStore, recipeFlow }: CommandServices, listener: () => void): Disposable {
  const subscriptions = new Lifetime();
  subscriptions.track(connectionStore.onDidChange(listener));
  subscriptions.track(workspace.onDidGrantWorkspaceTrust(listener));
  subscriptions.track(recipeFlow.missingIds.onDidChange(listener));
  return subscriptions;
}
