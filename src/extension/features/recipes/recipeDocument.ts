import { commands, l10n, Range, Uri, window, workspace } from 'vscode';
import type { PlanOptions } from '../../../core/search/recipeFlow.ts';
import {
  planRun,
  readRecipe,
  type AcceptedTransfer,
  type OpenRecipe,
  type PlannedRun,
  type RecipeReader,
  type RecipeService,
  type SubmittingHost,
} from '../../../core/search/recipeRun.ts';
import type { TransferOrder } from '../../../core/model/transferModel.ts';
import type { PlanObstacle, RecipePlan } from '../../../core/recipes/planRecipe.ts';
import type { LockReadResult } from '../../../core/recipes/recipeLock.ts';
import { isRecipePath } from '../../../core/recipes/recipeNames.ts';
import type { RecipeProblem } from '../../../core/recipes/recipeText.ts';
import { CommandFailure, CommandHint, createCommandAction, runCommand } from '../../editor/commandBoundary.ts';
import type { CommandArgument } from '../../editor/contributions.ts';
import { withLateProgress, type NotificationAction } from '../../editor/notifications.ts';
import { chooseOne } from '../../editor/quickInput.ts';
import { createConnectStep } from '../../editor/nextSteps.ts';
import { formatFileCount } from '../../words/localeFormats.ts';
import { describeError, toPlainLine } from '../../words/plainText.ts';
import {
  describeLock,
  describeObstacle,
  describeObstructedRun,
  describeOmissions,
  describeRecipeProblem,
  getCompareTitle,
} from '../../words/recipeWords.ts';
import { describeUnreadableFile } from '../../words/sharedLabels.ts';
import { getOrOpenConnection } from '../connections/connectionOpener.ts';
import { requireSession } from '../connections/connectionPicker.ts';
import { requireOrcid } from '../connections/credentials.ts';
import type { CommandServices } from '../services.ts';
import { confirmSubmission, type LeaveOutListener } from '../submission/submissionSummary.ts';
import { submitTransfers } from '../submission/submitTransfers.ts';
import { findConnectionId } from './recipeChecks.ts';

/** The recipe that a command applies to, identified by its row or its file. */
export type RecipeArgument = CommandArgument<'recipe' | 'document'>;

const maxRecipes = 200;

/** Reports why a recipe can't be read. If a problem is known, a button opens the file at the problem's line. */
class RecipeDocument implements RecipeReader {
  readonly uri: Uri;
  /** The name of the recipe's file, as shown to the user. */
  readonly name: string;

  constructor(uri: Uri) {
    this.uri = uri;
    this.name = toPlainLine(uri.path.split('/').at(-1) ?? '');
  }

  failToRead(error: unknown, part: 'recipe' | 'lock'): never {
    const cause = describeError(error);
    if (part === 'recipe') throw new CommandFailure(l10n.t('Could not read {0}: {1}', this.name, cause));
    throw new CommandFailure(l10n.t('Could not read the lock for {0}: {1}', this.name, cause));
  }

  failInvalid([problem]: readonly RecipeProblem[]): never {
    if (!problem) throw new CommandFailure(describeUnreadableFile(this.name));
    const { line } = problem.range;
    const text = l10n.t('{0}, line {1}: {2}', this.name, line, describeRecipeProblem(problem));
    const selection = new Range(line - 1, 0, line - 1, 0);
    const run = (): Thenable<unknown> => commands.executeCommand('vscode.open', this.uri, { selection });
    throw new CommandFailure(text, { label: l10n.t('Open File'), run });
  }
}

/**
 * Reads a recipe: the given one, the one in the active editor, or one that the user picks. Saves any unsaved changes
 * first. Throws a {@link CommandFailure} if the recipe or its lock can't be used. Returns undefined if the user
 * cancels.
 */
export async function openRecipe(argument: RecipeArgument | undefined, title: string): Promise<OpenRecipe | undefined> {
  const uri = await chooseRecipe(argument, title);
  return uri && (await readDocument(new RecipeDocument(uri)));
}

async function chooseRecipe(argument: RecipeArgument | undefined, title: string): Promise<Uri | undefined> {
  return (argument instanceof Uri ? argument : argument?.uri) ?? getActiveRecipe() ?? (await pickRecipe(title));
}

async function readDocument(document: RecipeDocument): Promise<OpenRecipe> {
  const { uri, name } = document;
  if (uri.scheme !== 'file') throw new CommandHint(l10n.t('Save the recipe to a folder on this machine first.'));
  const open = workspace.textDocuments.find((one) => one.uri.toString() === uri.toString());
  if (open?.isDirty === true && !(await open.save())) throw new CommandFailure(l10n.t('Could not save {0}.', name));
  return await readRecipe(document, uri.fsPath);
}

/** Opens a recipe, connects to its service, and determines its files. Returns undefined if the user cancels. */
export async function openAndPlan(
  services: CommandServices,
  argument: RecipeArgument | undefined,
  title: string,
  isLocked = false,
): Promise<{ readonly host: EditorRecipeHost; readonly planned: PlannedRun } | undefined> {
  const uri = await chooseRecipe(argument, title);
  if (!uri) return undefined;
  const host = new EditorRecipeHost(services, uri);
  const planned = await planRun(services.recipeFlow, host, await readDocument(host), isLocked);
  return planned && { host, planned };
}

/** Runs a recipe for a command: shows messages and progress, and asks the user before a transfer is submitted. */
export class EditorRecipeHost extends RecipeDocument implements SubmittingHost {
  private readonly services: CommandServices;

  constructor(services: CommandServices, uri: Uri) {
    super(uri);
    this.services = services;
  }

  failLocked(lock: LockReadResult): never {
    throw new CommandFailure(describeLock(lock, undefined).join(' '));
  }

  async connect({ recipe: { service } }: OpenRecipe): Promise<RecipeService | undefined> {
    const session = service === undefined ? await requireSession(this.services) : await this.open(service);
    const orcid = session && (await requireOrcid(this.services, session.connection.id));
    if (!session || orcid === undefined) return undefined;
    return { session, orcid, databases: await this.services.connectFlow.listDatabases(session.connection.id) };
  }

  async showPlanning(start: (options: PlanOptions) => Promise<RecipePlan>): Promise<RecipePlan | undefined> {
    const title = l10n.t('Finding the files for {0}', this.name);
    return await withLateProgress(title, async (signal, report) => {
      const planning = start({ signal, onProgress: (count) => report(formatFileCount(count)) });
      return await planning.catch((error: unknown) => {
        if (!signal.aborted) throw error;
        return undefined;
      });
    });
  }

  failObstructed({ plan }: PlannedRun, obstacle: PlanObstacle): never {
    if (obstacle === 'noDestination') throw new CommandHint(describeObstacle(plan, obstacle));
    const actions = obstacle === 'differsFromLock' ? [this.createCompareAction()] : [];
    throw new CommandFailure(describeObstructedRun(plan, obstacle), ...actions);
  }

  async confirm({ lock, plan }: PlannedRun, order: TransferOrder): Promise<TransferOrder | undefined> {
    let confirmed: TransferOrder | undefined = order;
    const onLeaveOut: LeaveOutListener = ([remaining]) => (confirmed = remaining);
    const notes = [...describeLock(lock, plan.difference), ...describeOmissions(plan)];
    const outcome = await confirmSubmission(this.services, [order], { notes, onLeaveOut });
    return outcome === 'next' ? confirmed : undefined;
  }

  async submit(order: TransferOrder): Promise<AcceptedTransfer | undefined> {
    const [result] = await submitTransfers(this.services, [order]);
    const { transfer } = result ?? {};
    return transfer?.id === undefined ? undefined : { ...transfer, id: transfer.id };
  }

  createCompareAction(): NotificationAction {
    return { label: getCompareTitle(), run: () => runCommand('dataTransfer.compareRecipe', this.uri) };
  }

  private async open(service: string): ReturnType<typeof getOrOpenConnection> {
    const id = findConnectionId(this.services, service);
    if (id !== undefined) return await getOrOpenConnection(this.services, id);
    const text = l10n.t("The recipe's service ({0}) isn't among your connections.", toPlainLine(service));
    throw new CommandHint(text, createConnectStep());
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
