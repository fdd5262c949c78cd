import * as z from 'zod/mini';
import type { OpenConnection } from '../connections/openConnections.ts';
import { findSubmissionFacts } from '../transfers/submissionFacts.ts';
import { planLifetimeMs } from '../transfers/planFiles.ts';
import type { Database } from '../model/databaseModel.ts';
import { findObstacle, type PlanObstacle, type RecipePlan } from '../recipes/planRecipe.ts';
import { sumUpFiles, type RecipeFile } from '../recipes/recipeFile.ts';
import type { Recipe } from '../recipes/recipeSchema.ts';
import { thenField } from '../util/followUp.ts';
import type { JsonObject } from '../util/json.ts';
import { findNestedFiles } from '../util/nestedFiles.ts';
import { describeNestedPaths, fieldTexts } from '../util/sharedTexts.ts';
import { hasHiddenText } from '../util/visibleText.ts';
import type { AgentContext } from './agentContext.ts';
import { AgentError } from './agentError.ts';
import {
  databaseField,
  defineTool,
  idField,
  limitedObject,
  limitedText,
  queryFields,
  toDataLine,
} from './agentTool.ts';
import { requireDatabase, toListingData } from './fileTools.ts';
import {
  toPlannedOrder,
  type PlannedCopies,
  type PlannedLicense,
  type PlanState,
  type TransferPlan,
} from './transferPlan.ts';

const input = z.strictObject({
  source: databaseField,
  destination: databaseField,
  ids: z.optional(z.array(idField).check(z.minLength(1), z.maxLength(1_000), z.describe(fieldTexts.fileIds))),
  query: z.optional(queryFields.query.check(z.describe('Instead of ids: transfers every file that a search finds.'))),
  folder: z.optional(limitedText(1_000).check(z.minLength(1), z.describe('Instead of ids: transfers a whole folder.'))),
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
    'there, free space. Sends nothing; the user sees the plan, which expires after 15 minutes. Give ids, folder, or query.',
  isReadOnly: true,
  input,
  run: async (context, request, signal) => {
    requireOneSelection(request);
    requireVisibleTexts(request);
    requireNoFollowUp(request);
    const session = await context.connect();
    const source = await requireDatabase(context, session, request.source, signal);
    const destination = await requireDestination(context, session, { name: request.destination, source }, signal);
    const recipe = toRecipe(request, source, destination);
    const resolved = await resolvePlannedFiles(context, session, recipe, signal);
    const textOrigin = request.textFromServer ? 'server' : 'agent';
    const plan = await createPlan(context, { session, recipe, destination, textOrigin, resolved }, signal);
    const answer = toPlanAnswer(plan);
    const data = { ...(answer['data'] as JsonObject), ...toListingData(context, plan.listing) };
    return { ...answer, data, ...(plan.leftOut && { leftOut: plan.leftOut }) };
  },
});

/** Throws {@link AgentError} unless exactly one of IDs, folder and query is given, or if others come with filters. */
function requireOneSelection({ ids, query, folder, status, specific }: PlanInput): void {
  if ([ids, query, folder].filter((one) => one !== undefined).length !== 1)
    throw new AgentError('badInput', 'Give either "ids", "folder" or "query".');
  if (query === undefined && (status ?? specific))
    throw new AgentError('badInput', 'Give "status" and "specific" only with "query".');
}

/** Throws {@link AgentError} if a plan would start something after its transfer (D64: a person decides). */
export function requireNoFollowUp({ instructions }: { readonly instructions?: JsonObject | undefined }): void {
  if (instructions?.[thenField] !== undefined)
    throw new AgentError('badInput', 'Agents can\'t have anything started after a transfer: remove "then".');
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

function toRecipe({ ids, folder, query = '', ...input }: PlanInput, from: Database, to: Database) {
  const { status, specific, paths, ...texts } = input;
  const search = { query, ...(status && { status }), ...(specific && { specific }) };
  const filters = paths ? { filters: { paths } } : {};
  const files = folder === undefined ? { search } : { folder };
  const selection = ids ? { ids } : files;
  return {
    from: { database: from.name, ...selection, ...filters },
    to: { database: to.name },
    ...(texts.description !== undefined && { description: texts.description }),
    ...(texts.instructions && { instructions: texts.instructions satisfies JsonObject }),
  } satisfies Recipe;
}

/** Maximum number of files in a plan. A recipe can transfer more. */
const maxPlannedFiles = 50_000;

/** Maximum number of missing IDs that an error lists. */
const maxListedIds = 10;

/**
 * Determines the files of a plan with read-only requests. Throws {@link AgentError} if a request fails, if IDs are
 * missing, if no files or too many files match, or if there may be more files than the search found.
 */
async function resolvePlannedFiles(
  context: AgentContext,
  session: OpenConnection,
  recipe: Recipe,
  signal: AbortSignal,
): Promise<RecipePlan> {
  const limited = { ...recipe, expect: { files: { most: maxPlannedFiles } } };
  const options = { signal, onProgress: () => undefined };
  const plan = await context.services.recipeFlow.plan(session, { recipe: limited, folder: '' }, options);
  requireNoObstacle(context, plan);
  return plan;
}

function requireNoObstacle({ describeListing }: AgentContext, plan: RecipePlan): void {
  const obstacle = findObstacle(plan);
  if (!obstacle) return;
  const { failure, listing } = plan;
  if (failure?.kind === 'service')
    throw new AgentError('requestFailed', "The files couldn't be determined.", failure.reason);
  const code = obstacle === 'missing' ? 'notFound' : 'cannotTransfer';
  throw new AgentError(code, describeObstacle(plan, obstacle), listing && describeListing(listing));
}

function describeObstacle({ missing, files }: RecipePlan, obstacle: PlanObstacle): string {
  if (obstacle === 'missing') return `The source doesn't have ${missing.length} of these IDs: ${listIds(missing)}.`;
  if (obstacle === 'noFiles') return 'No file matches. Nothing was planned.';
  if (obstacle === 'stalled')
    return 'The search stopped because three pages in a row had no new files; more may exist. Narrow the query.';
  const nested = findNestedFiles(files);
  if (nested) return describeNestedPaths(quotePath(nested.outer), quotePath(nested.inner));
  return `Too many files: a plan can have ${maxPlannedFiles}. Narrow the query.`;
}

function quotePath({ path }: RecipeFile): string {
  return JSON.stringify(toDataLine(path));
}

function listIds(ids: readonly string[]): string {
  const more = ids.length - maxListedIds;
  const listed = ids.slice(0, maxListedIds).map((id) => JSON.stringify(toDataLine(id, 80)));
  return `${listed.join(', ')}${more > 0 ? ` and ${more} more` : ''}`;
}

/** The input for a new plan. */
interface PlanDraft {
  readonly session: OpenConnection;
  readonly recipe: Recipe;
  readonly destination: Database;
  readonly textOrigin: TransferPlan['textOrigin'];
  readonly resolved: RecipePlan;
}

type PlanBasis = Omit<TransferPlan, 'id' | 'licenses' | 'copies' | 'freeBytes'>;

/**
 * Saves a plan with the facts on which a person bases the decision: licenses, existing copies and free space. Throws
 * {@link AgentError} if the plan can't be saved, and the signal's reason if the call is canceled.
 */
async function createPlan(context: AgentContext, draft: PlanDraft, signal: AbortSignal): Promise<TransferPlan> {
  const basis = createBasis(context, draft);
  const order = toPlannedOrder({ ...basis, ...unknownFacts }, basis.service.connectionId);
  const { destination } = draft;
  const folder = await context.findFolder(order.connectionId, destination.name);
  const facts = await findSubmissionFacts(context.services, [order], { destination, folder, signal });
  signal.throwIfAborted();
  const { atDestination, freeBytes, isComplete, received, underWay } = facts;
  return await context.plans.create({
    ...basis,
    licenses: facts.licenses.map(({ license, fileCount, forbidsSharing }) => ({
      ...(license && { name: license.name }),
      fileCount,
      forbidsSharing,
    })),
    copies: { atDestination: atDestination.size, isComplete, received: received.size, underWay: underWay.count },
    ...(freeBytes !== undefined && { freeBytes }),
  });
}

const unknownFacts = {
  id: '',
  licenses: [],
  copies: { atDestination: 0, isComplete: false, received: 0, underWay: 0 },
};

function createBasis(context: AgentContext, draft: PlanDraft): PlanBasis {
  const { session, recipe, destination, resolved, textOrigin } = draft;
  const { files, leftOut, listing } = resolved;
  const { id: connectionId } = session.connection;
  const { name, address } = session.service;
  const createdAt = context.clock.now();
  const { from, description, instructions } = recipe;
  return {
    createdAt,
    expiresAt: createdAt + planLifetimeMs,
    requestedBy: toDataLine(context.requestedBy, 80),
    service: { connectionId, name: toDataLine(name), address, orcid: context.getOrcid(connectionId) },
    source: from.database,
    destination: destination.name,
    files,
    textOrigin,
    ...(from.folder !== undefined && { folder: from.folder }),
    ...(leftOut && { leftOut }),
    ...(listing && { listing }),
    ...(description !== undefined && { description }),
    ...(instructions && { instructions }),
  };
}

/** Maximum number of files that an answer lists as examples. */
const exampleCount = 5;

const maxLicenses = 10;

/** Returns a plan as the agent sees it, with totals and the paths of only a few files. */
export function toPlanAnswer(plan: TransferPlan, { kind }: Pick<PlanState, 'kind'> = { kind: 'proposed' }): JsonObject {
  const { id, files, source, destination, expiresAt, copies, freeBytes, licenses, textOrigin, service } = plan;
  const { bytes, unknownCount } = sumUpFiles(files);
  return {
    planId: id,
    state: kind,
    service: service.address,
    files: files.length,
    bytes,
    ...(unknownCount > 0 && { filesOfUnknownSize: unknownCount }),
    alreadyAtDestination: describeCopies(copies),
    transferredEarlier: copies.received,
    inTransfer: copies.underWay,
    freeBytes: freeBytes ?? 'unknown',
    ...(licenses.length > maxLicenses && { moreLicenses: licenses.length - maxLicenses }),
    ...(textOrigin === 'server' && { textOrigin: 'copied from a server or a file; the summary for the user says so' }),
    expiresAt: new Date(expiresAt).toISOString(),
    data: {
      source: toDataLine(source),
      destination: toDataLine(destination),
      licenses: licenses.slice(0, maxLicenses).map(toLicenseRow),
      examples: files.slice(0, exampleCount).map(({ path }) => toDataLine(path)),
    },
    ...(kind === 'proposed' && { next: 'Tell the user the totals, then call submit_transfer with the planId.' }),
  };
}

function describeCopies({ isComplete, atDestination }: PlannedCopies): number | string {
  if (isComplete) return atDestination;
  return atDestination === 0 ? 'unknown' : `at least ${atDestination}`;
}

function toLicenseRow({ name, fileCount, forbidsSharing }: PlannedLicense): JsonObject {
  const license = name === undefined ? 'not stated' : toDataLine(name, 80);
  return { license, files: fileCount, ...(forbidsSharing && { forbidsSharing }) };
}
