import type { OpenConnection } from '../flows/openConnections.ts';
import type { FileEntry, FoundFile } from '../model/fileEntry.ts';
import { findObstacle, type PlanObstacle, type RecipePlan } from '../recipes/planRecipe.ts';
import type { RecipeFile } from '../recipes/recipeFile.ts';
import type { Recipe } from '../recipes/recipeSchema.ts';
import type { AgentContext } from './agentContext.ts';
import { AgentError } from './agentError.ts';
import { toDataLine } from './serverText.ts';

/** Maximum number of files in a plan. A recipe can transfer more. */
const maxPlannedFiles = 50_000;

/** Maximum number of missing IDs that an error lists. */
const maxListedIds = 10;

/** The files in a plan, and text from their metadata. */
interface ResolvedPlan {
  readonly files: readonly RecipeFile[];
  /** Titles and descriptions that the service sent. */
  readonly serverTexts: ReadonlySet<string>;
}

/**
 * Determines the files of a plan with read-only requests. Throws {@link AgentError} if a request fails, if IDs are
 * missing, if no files or too many files match, or if there may be more files than the search found.
 */
export async function resolvePlannedFiles(
  { services }: AgentContext,
  session: OpenConnection,
  recipe: Recipe,
  signal: AbortSignal,
): Promise<ResolvedPlan> {
  const serverTexts = new Set<string>();
  const onFiles = (files: readonly FoundFile[]): void => {
    for (const file of files.filter((one) => one.kind === 'file')) {
      for (const text of listTexts(file)) serverTexts.add(text);
    }
  };
  const limited = { ...recipe, expect: { files: { most: maxPlannedFiles } } };
  const options = { signal, onFiles, onProgress: () => undefined };
  const plan = await services.recipeFlow.plan(session, { recipe: limited, folder: '' }, options);
  requireNoObstacle(plan);
  return { files: plan.files, serverTexts };
}

function listTexts({ title, description }: FileEntry): readonly string[] {
  return [title, description].filter((text) => text !== undefined);
}

function requireNoObstacle(plan: RecipePlan): void {
  const obstacle = findObstacle(plan);
  if (!obstacle) return;
  const { failure } = plan;
  if (failure?.kind === 'service')
    throw new AgentError('requestFailed', "The files couldn't be determined.", failure.reason);
  throw new AgentError(obstacle === 'missing' ? 'notFound' : 'cannotTransfer', describeObstacle(plan, obstacle));
}

function describeObstacle({ missing }: RecipePlan, obstacle: PlanObstacle): string {
  if (obstacle === 'missing') return `The source doesn't have ${missing.length} of these IDs: ${listIds(missing)}.`;
  if (obstacle === 'noFiles') return 'No file matches. Nothing was planned.';
  if (obstacle === 'stalled')
    return 'The search stopped because three pages in a row had no new files; more may exist. Narrow the query.';
  return `Too many files: a plan can have ${maxPlannedFiles}. Narrow the query.`;
}

function listIds(ids: readonly string[]): string {
  const more = ids.length - maxListedIds;
  const listed = ids.slice(0, maxListedIds).map((id) => JSON.stringify(toDataLine(id, 80)));
  return `${listed.join(', ')}${more > 0 ? ` and ${more} more` : ''}`;
}
