import { countFileLicenses } from '../citations/licenses.ts';
import type { OpenConnection } from '../flows/openConnections.ts';
import type { Database } from '../model/databaseModel.ts';
import { findFilesUnderWay } from '../model/filesUnderWay.ts';
import type { TransferOrder } from '../model/transferModel.ts';
import type { RecipeFile } from '../recipes/recipeFile.ts';
import type { Recipe } from '../recipes/recipeSchema.ts';
import type { AgentContext } from './agentContext.ts';
import { planLifetimeMs } from '../ledger/planNames.ts';
import { toDataLine } from './serverText.ts';
import {
  toPlannedOrder,
  type PlannedCopies,
  type PlannedLicense,
  type TextOrigin,
  type TransferPlan,
} from './transferPlan.ts';

/** The input for a new plan. */
interface PlanDraft {
  readonly session: OpenConnection;
  readonly recipe: Recipe;
  readonly destination: Database;
  readonly textOrigin: TextOrigin;
  readonly files: readonly RecipeFile[];
}

type PlanBasis = Omit<TransferPlan, 'id' | 'licenses' | 'copies' | 'freeBytes'>;

/**
 * Saves a plan with the facts on which a person bases the decision: licenses, existing copies and free space. Throws
 * {@link AgentError} if the plan can't be saved, and the signal's reason if the call is canceled.
 */
export async function createPlan(context: AgentContext, draft: PlanDraft, signal: AbortSignal): Promise<TransferPlan> {
  const basis = createBasis(context, draft);
  const order = toPlannedOrder({ ...basis, ...unknownFacts }, basis.service.connectionId);
  const [copies, freeBytes] = await Promise.all([
    findCopies(context, order, signal),
    context.getFreeBytes(draft.session, draft.destination),
  ]);
  signal.throwIfAborted();
  const licenses = countLicenses(order);
  return await context.plans.create({ ...basis, licenses, copies, ...(freeBytes !== undefined && { freeBytes }) });
}

const unknownFacts = {
  id: '',
  licenses: [],
  copies: { atDestination: 0, isComplete: false, received: 0, underWay: 0 },
};

function createBasis(context: AgentContext, draft: PlanDraft): PlanBasis {
  const { session, recipe, destination, files, textOrigin } = draft;
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
    ...(description !== undefined && { description }),
    ...(instructions && { instructions }),
  };
}

async function findCopies(
  { services }: AgentContext,
  order: TransferOrder,
  signal: AbortSignal,
): Promise<PlannedCopies> {
  const readVerified = (): Promise<[]> => Promise.resolve([]);
  const known = await services.duplicateFlow.findKnownCopies([order], { signal, readVerified });
  const { count: underWay } = findFilesUnderWay(services.transferStore.getAll(), [order]);
  const { atDestination, isComplete, received } = known;
  return { atDestination: atDestination.size, isComplete, received: received.size, underWay };
}

function countLicenses({ files }: TransferOrder): readonly PlannedLicense[] {
  return countFileLicenses(files).map(({ license, fileCount, forbidsSharing }) => ({
    ...(license && { name: license.name }),
    fileCount,
    forbidsSharing,
  }));
}
