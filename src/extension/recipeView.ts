import type { Uri } from 'vscode';
import { Emitter } from '../core/util/emitter.ts';
import type { Lifetime } from '../core/util/lifetime.ts';
import type { RecipeFeatures } from './commands/recipes/recipeFeatures.ts';
import type { CommandServices } from './commands/services.ts';
import type { LedgerPlace } from './editor/ledgerPlace.ts';
import type { RecipeFiles } from './editor/recipeFiles.ts';
import { RecipeTree, type RecipeStatus } from './views/recipeTree.ts';
import type { SideBar } from './views/sideBar.ts';

/** The services that exist since activation. */
export interface ActivationServices {
  readonly sideBar: SideBar;
  readonly recipeFiles: RecipeFiles;
  readonly ledger: Promise<LedgerPlace>;
}

/** Fills the Recipes view. Loads the code for recipes when one is opened or the view is shown. */
export function startRecipes(
  lifetime: Lifetime,
  services: CommandServices,
  { sideBar, recipeFiles }: Pick<ActivationServices, 'sideBar' | 'recipeFiles'>,
): void {
  const changed = lifetime.track(new Emitter<void>());
  let features: Promise<RecipeFeatures> | undefined;
  const load = (): Promise<RecipeFeatures> => (features ??= loadRecipes(lifetime, services, () => changed.fire()));
  lifetime.track(recipeFiles.onDidOpen(() => void load()));
  const getStatus = async (uri: Uri): Promise<RecipeStatus> => (await load()).getStatus(uri);
  const tree = new RecipeTree({ files: recipeFiles, getStatus, onDidChangeStatus: changed.event });
  sideBar.recipes.fill(lifetime.track(tree));
}

async function loadRecipes(
  lifetime: Lifetime,
  services: CommandServices,
  onDidChangeStatus: () => void,
): Promise<RecipeFeatures> {
  const { RecipeFeatures } = await import('./commands/recipes/recipeFeatures.ts');
  return lifetime.track(new RecipeFeatures(services, onDidChangeStatus));
}
