import { readStatedLicenses } from '../citations/creditText.ts';
import { Emitter } from '../util/lifetime.ts';
import { planRecipe, type PlanRequest, type RecipePlan } from '../recipes/planRecipe.ts';
import type { RecipeSource } from '../recipes/recipeFile.ts';
import { lookUpIds, type UnsafeIds } from './metadataFlow.ts';
import { catchRefusal, type OpenConnection } from '../connections/openConnections.ts';
import type { TableMatchFlow } from './tableMatchFlow.ts';

interface RecipeFlowDependencies {
  readonly unsafeIds: UnsafeIds;
  readonly tableMatchFlow: TableMatchFlow;
  getOrcid(connectionId: string): string;
}

/** Options for {@link RecipeFlow.plan}. */
export interface PlanOptions {
  readonly signal: AbortSignal;
  /** Called with the number of files, IDs or values processed so far. */
  onProgress(count: number): void;
}

/** Determines the files that recipes select (D61: recipe and lock). Doesn't submit transfers. */
export class RecipeFlow {
  private readonly dependencies: RecipeFlowDependencies;
  readonly missingIds = new MissingIds();

  constructor(dependencies: RecipeFlowDependencies) {
    this.dependencies = dependencies;
  }

  /** Finds the files that a recipe currently selects. Rejects only with the signal's reason. */
  async plan(session: OpenConnection, request: PlanRequest, options: PlanOptions): Promise<RecipePlan> {
    const plan = await planRecipe(this.createSource(session, options), request);
    this.recordMissing(session.connection.id, plan);
    return plan;
  }

  private recordMissing(connectionId: string, { recipe: { from }, isLocked, failure, missing }: RecipePlan): void {
    const { database, ids } = from;
    if (ids && !isLocked && !failure) this.missingIds.record({ connectionId, database, ids, missing });
  }

  private createSource(session: OpenConnection, { signal, onProgress }: PlanOptions): RecipeSource {
    const { unsafeIds, tableMatchFlow } = this.dependencies;
    const orcid = this.dependencies.getOrcid(session.connection.id);
    const whileRunning = async <T>(reply: Promise<T>): Promise<T> => {
      const result = await reply;
      signal.throwIfAborted();
      return result;
    };
    return {
      hasFullPages: session.service.hasFullPages === true,
      readLicenses: readStatedLicenses,
      search: async ({ pageSize: limit, ...page }) =>
        await whileRunning(catchRefusal(session.client.search({ ...page, orcid, limit }, signal))),
      lookUpIds: async (database, ids) =>
        await whileRunning(lookUpIds(session, unsafeIds, { database, orcid, ids }, signal)),
      matchTable: (database, key, values) =>
        tableMatchFlow.match(
          session,
          { database, key, values },
          { signal, onProgress: ({ done }) => onProgress(done) },
        ),
      onProgress,
    };
  }
}

/** The result of looking up a recipe's IDs. */
interface IdLookup {
  readonly connectionId: string;
  /** The name of the database. */
  readonly database: string;
  readonly ids: readonly string[];
  /** The IDs for which the database had no file. */
  readonly missing: readonly string[];
}

const none: ReadonlySet<string> = new Set();

/** Stores the IDs that were missing from a database when a recipe's IDs were last looked up. */
class MissingIds {
  private readonly found = new Map<string, Set<string>>();
  private readonly changed = new Emitter<void>();

  readonly onDidChange = this.changed.event;

  /** Returns the IDs for which a database had no file. */
  get(connectionId: string, database: string): ReadonlySet<string> {
    return this.found.get(toKey(connectionId, database)) ?? none;
  }

  /** Records the result of a lookup. Replaces earlier results for the same IDs. */
  record({ connectionId, database, ids, missing }: IdLookup): void {
    const key = toKey(connectionId, database);
    const known = new Set(this.found.get(key));
    for (const id of ids) known.delete(id);
    for (const id of missing) known.add(id);
    this.found.set(key, known);
    this.changed.fire();
  }
}

function toKey(connectionId: string, database: string): string {
  return JSON.stringify([connectionId, database]);
}
