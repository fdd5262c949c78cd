import * as z from 'zod/mini';
import type { OpenConnection } from '../flows/openConnections.ts';
import type { Database } from '../model/databaseModel.ts';
import type { Recipe } from '../recipes/recipeSchema.ts';
import { hasHiddenText } from '../util/visibleText.ts';
import type { JsonObject } from '../util/json.ts';
import type { AgentContext } from './agentContext.ts';
import { AgentError } from './agentError.ts';
import { defineTool } from './agentTool.ts';
import { requireDatabase } from './databaseLookup.ts';
import { limitedObject, limitedText } from './inputCheck.ts';
import { resolvePlannedFiles } from './plannedFiles.ts';
import { getTextOrigin } from './textOrigin.ts';
import { createPlan } from './planCreation.ts';
import { toPlanAnswer } from './planAnswer.ts';
import { databaseField, idField, queryFields } from './toolFields.ts';

const input = z.strictObject({
  source: databaseField,
  destination: databaseField,
  ids: z.optional(z.array(idField).check(z.minLength(1), z.maxLength(1_000), z.describe('IDs of the files.'))),
  query: z.optional(queryFields.query.check(z.describe('Instead of ids: transfers every file that a search finds.'))),
  status: queryFields.status,
  specific: queryFields.specific,
  paths: z.optional(
    z
      .array(limitedText(300))
      .check(
        z.minLength(1),
        z.maxLength(20),
        z.describe('Path patterns, such as **/*.gz. Keeps files that match one of them.'),
      ),
  ),
  description: z.optional(limitedText(10_000).check(z.describe('Description for people, in Markdown.'))),
  instructions: z.optional(limitedObject().check(z.describe('How the destination processes the files.'))),
  textFromServer: z.optional(
    z.boolean().check(z.describe('True if description or instructions were copied from a tool result or a file.')),
  ),
});

type PlanInput = z.output<typeof input>;

/** Determines the files of a transfer and saves them as a plan. Submits nothing. */
export const planTransferTool = defineTool({
  name: 'plan_transfer',
  title: 'Plan a Transfer',
  description:
    'Prepares a transfer from one database to another and returns a planId: files, size, licenses, what is already ' +
    'there, free space. Sends nothing; the user sees the plan, which expires after 15 minutes. Give ids, or query.',
  isReadOnly: true,
  input,
  run: async (context, request, signal) => {
    requireOneSelection(request);
    requireVisibleTexts(request);
    const session = await context.connect();
    const source = await requireDatabase(context, session, request.source, signal);
    const destination = await requireDestination(context, session, { name: request.destination, source }, signal);
    const recipe = toRecipe(request, source, destination);
    const resolved = await resolvePlannedFiles(context, session, recipe, signal);
    const serverTexts = new Set([...resolved.serverTexts, ...context.answeredTexts.all]);
    const textOrigin = request.textFromServer ? 'server' : getTextOrigin(request, serverTexts);
    const plan = await createPlan(context, { session, recipe, destination, textOrigin, files: resolved.files }, signal);
    return toPlanAnswer(plan);
  },
});

/** Throws {@link AgentError} if IDs and a query are both given or both missing, or if IDs come with filters. */
function requireOneSelection({ ids, query, status, specific }: PlanInput): void {
  if ((ids === undefined) === (query === undefined)) throw new AgentError('badInput', 'Give either "ids" or "query".');
  if (ids && (status ?? specific)) throw new AgentError('badInput', 'Give "status" and "specific" only with "query".');
}

const hiddenTextAdvice =
  'Remove invisible characters, long or mixed runs of spaces, tabs and line breaks, and stacks of combining marks.';

/** Throws {@link AgentError} if a text may contain something that the person who confirms the plan couldn't see. */
function requireVisibleTexts({ description = '', instructions = {} }: PlanInput): void {
  for (const [name, text] of Object.entries({ description, instructions: JSON.stringify(instructions) })) {
    if (hasHiddenText(text)) throw new AgentError('badInput', `"${name}" may contain hidden text. ${hiddenTextAdvice}`);
  }
}

async function requireDestination(
  context: AgentContext,
  session: OpenConnection,
  { name, source }: { readonly name: string; readonly source: Database },
  signal: AbortSignal,
): Promise<Database> {
  const destination = await requireDatabase(context, session, name, signal);
  if (destination.name === source.name)
    throw new AgentError('cannotTransfer', 'Source and destination are the same database.');
  if (destination.readOnly) throw new AgentError('cannotTransfer', 'The destination is read-only.');
  return destination;
}

function toRecipe({ ids, query = '', status, specific, paths, ...texts }: PlanInput, from: Database, to: Database) {
  const search = { query, ...(status && { status }), ...(specific && { specific }) };
  const filters = paths ? { filters: { paths } } : {};
  return {
    from: { database: from.name, ...(ids ? { ids } : { search }), ...filters },
    to: { database: to.name },
    ...(texts.description !== undefined && { description: texts.description }),
    ...(texts.instructions && { instructions: texts.instructions satisfies JsonObject }),
  } satisfies Recipe;
}
