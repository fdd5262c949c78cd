import { l10n } from 'vscode';
import type { SearchQuery } from '../../../core/model/searchModel.ts';
import type { Transfer } from '../../../core/model/transferModel.ts';
import { toRecipeSource, type RecipeDraft } from '../../../core/recipes/recipeSchema.ts';
import type { CheckedFile } from '../../../core/store/checkedFiles.ts';
import type { Search } from '../../../core/store/searchStore.ts';
import { CommandHint } from '../../editor/commandBoundary.ts';
import type { CommandArguments } from '../../editor/contributions.ts';
import { createSingleStep, pickOne, type Choice } from '../../editor/quickInput.ts';
import { createNoFilesHint, createUnknownFilesHint } from '../../notifications/nextSteps.ts';
import { formatFileCount } from '../../words/localeFormats.ts';
import { getTransferTitle } from '../../words/transferWords.ts';
import { createSearchChoice } from '../search/searches.ts';
import type { CommandServices } from '../services.ts';

/** A row from which a recipe can be created. */
export type RecipeRow = CommandArguments['dataTransfer.saveAsRecipe'];

/** A recipe to save, and the connection that its files come from. */
export interface OwnedDraft {
  readonly connectionId: string;
  readonly draft: RecipeDraft;
}

/**
 * Drafts a recipe from the rows that the command applies to. Without a row, asks for a source. Returns undefined if the
 * row no longer exists or the user cancels.
 */
export async function chooseDraft(
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
  const answer = await pickOne(createSingleStep(l10n.t('Save as Recipe')), { placeholder, choices });
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
  const { connectionId, source, destination, files, description, instructions } = transfer.order;
  if (files.length === 0) throw createUnknownFilesHint(transfer.key);
  const from = { database: source, ids: files.map(({ id }) => id) };
  const details = { ...(description !== undefined && { description }), ...(instructions && { instructions }) };
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
  const answer = await pickOne(createSingleStep(l10n.t('Save as Recipe')), {
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
  return typeof answer === 'string' ? undefined : answer.value;
}
