import { homedir } from 'node:os';
import { basename } from 'node:path/posix';
import { commands, l10n, Uri, workspace } from 'vscode';
import { localLinkService, toLinkService } from '../../../core/model/link.ts';
import type { SearchQuery } from '../../../core/model/searchModel.ts';
import type { Transfer } from '../../../core/model/transferModel.ts';
import { isRecipePath, recipeExtension } from '../../../core/recipes/recipeNames.ts';
import { formatRecipe, toRecipeSource, type RecipeDraft } from '../../../core/recipes/recipeSchema.ts';
import type { CheckedFile, Search } from '../../../core/search/searchStore.ts';
import { thenField } from '../../../core/util/followUp.ts';
import { omit } from '../../../core/util/json.ts';
import { CommandFailure, CommandHint } from '../../editor/commandBoundary.ts';
import type { CommandArgument } from '../../editor/contributions.ts';
import { pickNewFile, writeTextFile } from '../../editor/fileDialogs.ts';
import { localConnectionId } from '../../editor/machine.ts';
import { chooseOne, createSingleStep, pickOne, type Choice } from '../../editor/quickInput.ts';
import { createNoFilesHint, createUnknownFilesHint } from '../../editor/nextSteps.ts';
import { formatFileCount } from '../../words/localeFormats.ts';
import { describeError, toPlainLine } from '../../words/plainText.ts';
import { getTransferTitle } from '../../words/transferWords.ts';
import { getOrOpenConnection } from '../connections/connectionOpener.ts';
import { createSearchChoice } from '../search/searches.ts';
import type { CommandServices } from '../services.ts';
import { getDialogTitle } from '../../words/commandTitles.ts';
import { getDestinationPlaceholder } from '../../words/sharedLabels.ts';

/** Saves a search, files or an earlier transfer as a recipe, and opens the recipe. */
export async function saveAsRecipe(
  services: CommandServices,
  row: RecipeRow | undefined,
  selection: readonly RecipeRow[] | undefined,
): Promise<void> {
  const owned = await chooseDraft(services, row, selection);
  const draft = owned && (await completeDraft(services, owned));
  if (!draft) return;
  const file = await pickNewFile(getDialogTitle('dataTransfer.saveAsRecipe'), getSuggestedFile(), {
    [l10n.t('Recipe')]: ['json'],
  });
  const recipe = file && (await confirmRecipeUri(services, file));
  if (recipe) await writeRecipe(recipe, draft);
}

/** Completes a draft with its service and a destination. Returns undefined if the user cancels. */
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
  const placeholder = getDestinationPlaceholder();
  return await chooseOne(getDialogTitle('dataTransfer.saveAsRecipe'), { placeholder, choices });
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

/** A row from which a recipe can be created. */
export type RecipeRow = CommandArgument<'search' | 'file' | 'transfer'>;

/** A recipe to save, and the connection that its files come from. */
interface OwnedDraft {
  readonly connectionId: string;
  readonly draft: RecipeDraft;
}

/**
 * Drafts a recipe from the rows that the command applies to. Without a row, asks for a source. Returns undefined if the
 * row no longer exists or the user cancels.
 */
async function chooseDraft(
  services: CommandServices,
  row: RecipeRow | undefined,
  selection: readonly RecipeRow[] | undefined,
): Promise<OwnedDraft | undefined> {
  if (row?.kind === 'search') return toSearchDraft(services.searchStore.get(row.key));
  if (row?.kind === 'transfer') return toTransferDraft(services.transferStore.get(row.key));
  if (row?.kind === 'file') return await toFilesDraft(services, getSelected(row, selection));
  return await pickDraft(services);
}

function getSelected(
  row: Extract<RecipeRow, { readonly kind: 'file' }>,
  selection: readonly RecipeRow[] = [],
): readonly CheckedFile[] {
  const rows = selection.filter((one) => one.kind === 'file');
  return rows.includes(row) ? rows : [row];
}

async function pickDraft(services: CommandServices): Promise<OwnedDraft | undefined> {
  await services.transferFlow.loadFinished();
  const choices = createChoices(services);
  if (choices.length === 0) throw createNoFilesHint();
  const placeholder = l10n.t('Select what to save as a recipe');
  const answer = await pickOne(createSingleStep(getDialogTitle('dataTransfer.saveAsRecipe')), { placeholder, choices });
  return typeof answer === 'string' ? undefined : await answer.value();
}

type DraftSource = () => OwnedDraft | undefined | Promise<OwnedDraft | undefined>;

function createChoices(services: CommandServices): readonly Choice<DraftSource>[] {
  const { searchStore, transferStore } = services;
  const checked = searchStore.getCheckedFiles();
  const files = { label: l10n.t('Checked files'), description: formatFileCount(checked.length) };
  return [
    ...(checked.length > 0 ? [{ ...files, value: () => toFilesDraft(services, checked) }] : []),
    ...searchStore.getAll().map((search) => ({
      ...createSearchChoice(search),
      value: () => toSearchDraft(search),
    })),
    ...transferStore.getAll().map((transfer) => ({
      label: getTransferTitle(transfer),
      description: formatFileCount(transfer.order.files.length),
      value: () => toTransferDraft(transfer),
    })),
  ];
}

function toSearchDraft(search: Search | undefined): OwnedDraft | undefined {
  return search && { connectionId: search.connectionId, draft: { from: toRecipeSource(search.query) } };
}

function toTransferDraft(transfer: Transfer | undefined): OwnedDraft | undefined {
  if (!transfer) return undefined;
  const { connectionId, source, destination, files, description } = transfer.order;
  // What follows the transfer may be anywhere; a recipe can only start what is in its own folder.
  const instructions = transfer.order.instructions && omit(transfer.order.instructions, thenField);
  if (files.length === 0) throw createUnknownFilesHint(transfer.key);
  const from = { database: source, ids: files.map(({ id }) => id) };
  const hasInstructions = instructions && Object.keys(instructions).length > 0;
  const details = { ...(description !== undefined && { description }), ...(hasInstructions && { instructions }) };
  return { connectionId, draft: { from, to: { database: destination }, ...details } };
}

/**
 * Drafts a recipe that lists files by ID. If the files are exactly the results of one search, the user can choose a
 * recipe that repeats the search instead.
 */
async function toFilesDraft(services: CommandServices, files: readonly CheckedFile[]): Promise<OwnedDraft | undefined> {
  const [first] = files;
  if (!first) return undefined;
  const { connectionId } = first;
  const { database } = first.file;
  if (files.some((one) => one.connectionId !== connectionId || one.file.database !== database))
    throw new CommandHint(l10n.t('A recipe has one source. Select files from one database only.'));
  const ids = files.map(({ file }) => file.id);
  const query = findWholeSearch(services, first, ids);
  const from = query ? await askSource(query, ids) : { database, ids };
  return from && { connectionId, draft: { from } };
}

/**
 * Returns the query of a search whose loaded results are exactly these files. Ignores searches by ID. Returns undefined
 * if there is no such search.
 */
function findWholeSearch(
  { searchStore }: CommandServices,
  { connectionId, file: { database } }: CheckedFile,
  ids: readonly string[],
): SearchQuery | undefined {
  const wanted = new Set(ids);
  return searchStore
    .getAll()
    .filter(({ query }) => query.database === database && !query.ids)
    .filter((search) => search.connectionId === connectionId)
    .find(
      ({ files }) => files.length === wanted.size && files.every((one) => one.kind === 'file' && wanted.has(one.id)),
    )?.query;
}

async function askSource(query: SearchQuery, ids: readonly string[]): Promise<RecipeDraft['from'] | undefined> {
  return await chooseOne(getDialogTitle('dataTransfer.saveAsRecipe'), {
    placeholder: l10n.t('Select how the recipe finds its files'),
    choices: [
      {
        label: l10n.t('By search'),
        description: l10n.t('all files that match when the recipe is run'),
        value: toRecipeSource(query),
      },
      {
        label: l10n.t('By ID'),
        description: formatFileCount(ids.length),
        value: { database: query.database, ids: [...ids] },
      },
    ],
  });
}
