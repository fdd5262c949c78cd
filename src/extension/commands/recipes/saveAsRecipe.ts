import { homedir } from 'node:os';
import { basename } from 'node:path/posix';
import { commands, l10n, Uri, workspace } from 'vscode';
import { localLinkService, toLinkService } from '../../../core/model/link.ts';
import { isRecipePath, recipeExtension } from '../../../core/recipes/recipeNames.ts';
import { formatRecipe, type RecipeDraft } from '../../../core/recipes/recipeSchema.ts';
import { CommandFailure } from '../../editor/commandBoundary.ts';
import { localConnectionId } from '../../editor/machine.ts';
import { createSingleStep, pickOne, type Choice } from '../../editor/quickInput.ts';
import { pickNewFile, writeTextFile } from '../../editor/fileDialogs.ts';
import { describeError, toPlainLine } from '../../words/plainText.ts';
import { getOrOpenConnection } from '../connections/connectionOpener.ts';
import type { CommandServices } from '../services.ts';
import { chooseDraft, type OwnedDraft, type RecipeRow } from './recipeDrafts.ts';

/** Saves a search, files or an earlier transfer as a recipe, and opens the recipe. */
export async function saveAsRecipe(
  services: CommandServices,
  row: RecipeRow | undefined,
  selection: readonly RecipeRow[] | undefined,
): Promise<void> {
  const owned = await chooseDraft(services, row, selection);
  const draft = owned && (await completeDraft(services, owned));
  if (!draft) return;
  const file = await pickNewFile(l10n.t('Save as Recipe'), getSuggestedFile(), { [l10n.t('Recipe')]: ['json'] });
  const recipe = file && (await confirmRecipeUri(services, file));
  if (recipe) await writeRecipe(recipe, draft);
}

/**
 * Adds the service to a draft, and asks for a destination unless the draft has one. Returns undefined if the user
 * cancels.
 */
async function completeDraft(
  services: CommandServices,
  { connectionId, draft }: OwnedDraft,
): Promise<RecipeDraft | undefined> {
  const service = getServiceName(services, connectionId);
  const named = { ...(service !== undefined && { service }), ...draft };
  if (draft.to) return named;
  const destination = await askDestination(services, connectionId, draft.from.database);
  if (destination === undefined) return undefined;
  return destination === '' ? named : { ...named, to: { database: destination } };
}

/**
 * Returns the name by which a recipe refers to a connection. The name is usually the service's address, which is the
 * same for all users. Returns undefined if the connection is no longer saved.
 */
function getServiceName({ settings }: CommandServices, connectionId: string): string | undefined {
  if (connectionId === localConnectionId) return localLinkService;
  const connection = settings.connections.find(({ id }) => id === connectionId);
  return connection && (toLinkService(connection) ?? connection.name);
}

/**
 * Asks for the destination. Opens the connection first if needed; if that fails, "No destination" is the only choice.
 * Resolves to an empty string if the user wants no destination, and to undefined if the user cancels.
 */
async function askDestination(
  services: CommandServices,
  connectionId: string,
  source: string,
): Promise<string | undefined> {
  const canConnect = await getOrOpenConnection(services, connectionId).then(Boolean, ignoreFailure);
  if (canConnect === false) return undefined;
  const databases = await services.connectFlow.listDatabases(connectionId);
  const others = databases.filter(({ name, readOnly }) => name !== source && readOnly !== true);
  const none = { label: l10n.t('No destination'), description: l10n.t('a saved search'), value: '' };
  const choices: readonly Choice<string>[] = [
    ...others.map(({ name, organization }) => ({
      label: toPlainLine(name),
      description: toPlainLine(organization),
      value: name,
    })),
    none,
  ];
  const placeholder = l10n.t('Select the database to transfer to');
  const answer = await pickOne(createSingleStep(l10n.t('Save as Recipe')), { placeholder, choices });
  return typeof answer === 'string' ? undefined : answer.value;
}

/** Ignores a failure to open a connection, because the view shows it. Rethrows any other error. */
function ignoreFailure(error: unknown): undefined {
  if (error instanceof CommandFailure) return undefined;
  throw error;
}

function getSuggestedFile(): Uri {
  const [folder] = workspace.workspaceFolders ?? [];
  return Uri.joinPath(folder?.uri ?? Uri.file(homedir()), `files${recipeExtension}`);
}

/**
 * Returns a file's URI with the recipe extension. If this URI differs from the selected one and the file already
 * exists, asks whether to replace it, because the save dialog asked only about the selected file. Returns undefined if
 * the user cancels.
 */
async function confirmRecipeUri({ notifications }: CommandServices, file: Uri): Promise<Uri | undefined> {
  const recipe = toRecipeUri(file);
  if (recipe.path === file.path || !(await exists(recipe))) return recipe;
  const question = l10n.t('Replace {0}?', toPlainLine(basename(recipe.path)));
  const detail = l10n.t('The file already exists, and its contents will be lost.');
  return (await notifications.confirm(question, detail, l10n.t('Replace'))) ? recipe : undefined;
}

async function exists(file: Uri): Promise<boolean> {
  return await workspace.fs.stat(file).then(
    () => true,
    () => false,
  );
}

/** Returns a file's URI with the extension by which the editor recognizes recipes. */
function toRecipeUri(file: Uri): Uri {
  if (isRecipePath(file.path)) return file;
  return file.with({ path: file.path.replace(/(?:\.transfer)?(?:\.json)?$/, recipeExtension) });
}

async function writeRecipe(file: Uri, draft: RecipeDraft): Promise<void> {
  try {
    await writeTextFile(file, [formatRecipe(draft)]);
  } catch (error) {
    throw new CommandFailure(l10n.t('Could not write {0}: {1}', toPlainLine(file.path), describeError(error)));
  }
  await commands.executeCommand('vscode.open', file);
}
