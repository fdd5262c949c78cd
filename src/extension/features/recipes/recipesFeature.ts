import type { Uri } from 'vscode';
import { Emitter, type Lifetime } from '../../../core/util/lifetime.ts';
import type { RecipeArgument } from './recipeDocument.ts';
import type { RecipeFeatures } from './recipeFeatures.ts';
import type { CommandServices } from '../services.ts';
import type { LedgerLocation } from '../../editor/ledgerLocation.ts';
import type { RecipeFiles } from '../../editor/recipeFiles.ts';
import type { RecipeRow } from './saveAsRecipe.ts';
import { RecipeBadge, RecipeTree, type RecipeStatus } from './recipeTree.ts';
import type { SideBar } from '../../views/sideBar.ts';
import { command, type Command } from '../../editor/contributions.ts';

type RecipeHandler = (services: CommandServices, recipe: RecipeArgument | undefined) => Promise<void>;

/** Returns a command for a recipe. Its code is loaded when it is first run. */
function onRecipe(load: () => Promise<RecipeHandler>, icon?: string): Command<CommandServices, 'recipe' | 'document'> {
  const run: RecipeHandler = async (services, recipe) => (await load())(services, recipe);
  return command(run, { takes: ['recipe', 'document'], ...(icon !== undefined && { icon }) });
}

/** The commands of recipes. */
export const recipeCommands = {
  'dataTransfer.saveAsRecipe': command(
    async (services: CommandServices, row?: RecipeRow, selection?: readonly RecipeRow[]) =>
      (await import('./saveAsRecipe.ts')).saveAsRecipe(services, row, selection),
    { takes: ['search', 'file', 'transfer'], icon: 'add' },
  ),
  'dataTransfer.dryRunRecipe': onRecipe(async () => (await import('./runRecipe.ts')).dryRunRecipe, 'beaker'),
  'dataTransfer.runRecipe': onRecipe(async () => (await import('./runRecipe.ts')).runRecipe, 'play'),
  'dataTransfer.runLockedRecipe': onRecipe(async () => (await import('./runRecipe.ts')).runLockedRecipe),
  'dataTransfer.compareRecipe': onRecipe(async () => (await import('./runRecipe.ts')).compareRecipe, 'diff'),
  'dataTransfer.verifyRecipe': onRecipe(async () => (await import('./runRecipe.ts')).verifyRecipe),
  'dataTransfer.citeRecipe': onRecipe(async () => (await import('./runRecipe.ts')).citeRecipe),
};

declare module '../../editor/contributions.ts' {
  interface CommandTables {
    readonly recipes: typeof recipeCommands;
  }
}

/** The services that are created during activation. */
export interface ActivationServices {
  readonly sideBar: SideBar;
  readonly recipeFiles: RecipeFiles;
  readonly ledger: Promise<LedgerLocation>;
}

/** Fills the Recipes view. Loads the code for recipes when a recipe is opened or the view is shown. */
export function startRecipes(
  lifetime: Lifetime,
  services: CommandServices,
  { sideBar, recipeFiles }: Pick<ActivationServices, 'sideBar' | 'recipeFiles'>,
): void {
  const changed = lifetime.track(new Emitter<void>());
  let features: Promise<RecipeFeatures> | undefined;
  let loaded: RecipeFeatures | undefined;
  const load = async (): Promise<RecipeFeatures> =>
    (loaded = await (features ??= loadRecipes(lifetime, services, () => changed.fire())));
  lifetime.track(recipeFiles.onDidOpen(() => void load()));
  const getStatus = async (uri: Uri): Promise<RecipeStatus> => (await load()).getStatus(uri);
  const shared = { files: recipeFiles, onDidChangeStatus: changed.event };
  sideBar.recipes.fill(lifetime.track(new RecipeTree({ ...shared, getStatus })));
  const hasNewFiles = (uri: Uri): boolean => loaded?.hasNewFiles(uri) ?? false;
  const { view } = sideBar.recipes;
  lifetime.track(new RecipeBadge({ ...shared, view, settings: services.settings, hasNewFiles }));
}

async function loadRecipes(
  lifetime: Lifetime,
  services: CommandServices,
  onDidChangeStatus: () => void,
): Promise<RecipeFeatures> {
  const { RecipeFeatures } = await import('./recipeFeatures.ts');
  return lifetime.track(new RecipeFeatures(services, onDidChangeStatus));
}
