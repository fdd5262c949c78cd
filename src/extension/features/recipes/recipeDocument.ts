import { commands, l10n, Range, Uri, window, workspace } from 'vscode';
import { dirname } from 'node:path';
import { maxRecipeBytes, parseRecipe } from '../../../core/recipes/parseRecipe.ts';
import { readLock, type LockReadResult } from '../../../core/recipes/recipeLock.ts';
import { isRecipePath } from '../../../core/recipes/recipeNames.ts';
import type { RecipeProblem } from '../../../core/recipes/recipeProblem.ts';
import type { Recipe } from '../../../core/recipes/recipeSchema.ts';
import type { RecipeText } from '../../../core/recipes/recipeText.ts';
import { readRegularFile } from '../../../core/util/regularFile.ts';
import { CommandFailure, CommandHint, createCommandAction } from '../../editor/commandBoundary.ts';
import type { CommandArgument } from '../../editor/contributions.ts';
import type { NotificationAction } from '../../editor/notifications.ts';
import { chooseOne } from '../../editor/quickInput.ts';
import { describeError, toPlainLine } from '../../words/plainText.ts';
import { describeRecipeProblem } from '../../words/recipeWords.ts';
import { describeUnreadableFile } from '../../words/sharedLabels.ts';

/** The recipe that a command applies to, identified by its row or its file. */
export type RecipeArgument = CommandArgument<'recipe' | 'document'>;

/** A valid recipe and its lock. */
export interface OpenRecipe {
  readonly uri: Uri;
  /** The name of the recipe's file. */
  readonly name: string;
  readonly folder: string;
  readonly recipe: Recipe;
  readonly text: RecipeText;
  readonly lock: LockReadResult;
}

const maxRecipes = 200;

/**
 * Reads a recipe: the given one, the one in the active editor, or one that the user picks. Saves any unsaved changes
 * first. Returns undefined if the user cancels.
 */
export async function openRecipe(argument: RecipeArgument | undefined, title: string): Promise<OpenRecipe | undefined> {
  const given = argument instanceof Uri ? argument : argument?.uri;
  const uri = given ?? getActiveRecipe() ?? (await pickRecipe(title));
  return uri && (await readRecipe(uri));
}

/**
 * Reads a recipe and its lock. Throws a {@link CommandFailure} if one of them can't be read or the recipe is invalid.
 * For an invalid recipe, the message contains the line number of the first problem.
 */
async function readRecipe(uri: Uri): Promise<OpenRecipe> {
  const name = toPlainLine(uri.path.split('/').at(-1) ?? '');
  if (uri.scheme !== 'file') throw new CommandHint(l10n.t('Save the recipe to a folder on this machine first.'));
  const { recipe, problems, text } = parseRecipe(await readText(uri, name));
  const [problem] = problems;
  if (!recipe || problem) throw createProblemFailure(uri, name, problem);
  return { uri, name, folder: dirname(uri.fsPath), recipe, text, lock: await readRecipeLock(uri, name) };
}

/**
 * Creates the failure for a recipe that can't be used. If the problem is known, a button opens the file at the
 * problem's line.
 */
export function createProblemFailure(uri: Uri, name: string, problem: RecipeProblem | undefined): CommandFailure {
  if (!problem) return new CommandFailure(describeUnreadableFile(name));
  const text = l10n.t('{0}, line {1}: {2}', name, problem.range.line, describeRecipeProblem(problem));
  return new CommandFailure(text, createOpenAction(uri, problem.range.line));
}

function createOpenAction(uri: Uri, line: number): NotificationAction {
  const selection = new Range(line - 1, 0, line - 1, 0);
  return { label: l10n.t('Open File'), run: () => commands.executeCommand('vscode.open', uri, { selection }) };
}

async function readText(uri: Uri, name: string): Promise<string> {
  const document = workspace.textDocuments.find((one) => one.uri.toString() === uri.toString());
  if (document?.isDirty === true && !(await document.save()))
    throw new CommandFailure(l10n.t('Could not save {0}.', name));
  try {
    return await readRegularFile(uri.fsPath, maxRecipeBytes);
  } catch (error) {
    throw new CommandFailure(l10n.t('Could not read {0}: {1}', name, describeError(error)));
  }
}

async function readRecipeLock(uri: Uri, name: string): Promise<LockReadResult> {
  try {
    return await readLock(uri.fsPath);
  } catch (error) {
    throw new CommandFailure(l10n.t('Could not read the lock for {0}: {1}', name, describeError(error)));
  }
}

function getActiveRecipe(): Uri | undefined {
  const uri = window.activeTextEditor?.document.uri;
  return uri && isRecipePath(uri.path) ? uri : undefined;
}

async function pickRecipe(title: string): Promise<Uri | undefined> {
  const found = await workspace.findFiles('**/*.transfer.json', '**/node_modules/**', maxRecipes);
  if (found.length === 0) throw new CommandHint(l10n.t('There are no recipes in this workspace.'), createSaveStep());
  const choices = found.map((value) => ({ label: toPlainLine(workspace.asRelativePath(value)), value }));
  const sorted = choices.sort((one, other) => one.label.localeCompare(other.label));
  return await chooseOne(title, { placeholder: l10n.t('Select a recipe'), choices: sorted });
}

function createSaveStep(): NotificationAction {
  return createCommandAction('dataTransfer.saveAsRecipe');
}
