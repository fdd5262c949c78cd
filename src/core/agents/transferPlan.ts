import type { OpenConnection, OpenConnections } from '../connections/openConnections.ts';
import type { Explorer } from '../explorer.ts';
import type { StoreListing } from '../model/databaseModel.ts';
import type { Transfer, TransferOrder } from '../model/transferModel.ts';
import { toTransferFile, type RecipeFile } from '../recipes/recipeFile.ts';
import type { JsonObject } from '../util/json.ts';
import type { LeftOutCounts } from '../util/leftOut.ts';

/** The number of a plan's files under a license. Without `name`, the number of files that state no license. */
export interface PlannedLicense {
  readonly name?: string;
  readonly fileCount: number;
  readonly forbidsSharing: boolean;
}

/** Counts of planned files that are already at the destination, or on their way there (D60: same content). */
export interface PlannedCopies {
  readonly atDestination: number;
  /** False if the destination may already have more of the planned files than these counts show. */
  readonly isComplete: boolean;
  /** Number of files that earlier transfers copied to the destination. */
  readonly received: number;
  /** Number of files that unfinished transfers are copying to the destination. */
  readonly underWay: number;
}

/** A transfer that an agent proposes. Never changes; the decision is stored separately. Contains no API key. */
export interface TransferPlan {
  readonly id: string;
  /** In milliseconds since 1970, like `expiresAt`. */
  readonly createdAt: number;
  readonly expiresAt: number;
  /** The agent's name, as one line. */
  readonly requestedBy: string;
  readonly service: {
    readonly connectionId: string;
    readonly name: string;
    readonly address: string;
    /** The ORCID iD, or the login name, with which the transfer is submitted. */
    readonly orcid: string;
  };
  /** The name of the source database. */
  readonly source: string;
  /** The name of the destination database. */
  readonly destination: string;
  readonly files: readonly RecipeFile[];
  /** The path of the folder whose files are planned; absent if they were selected in another way. */
  readonly folder?: string;
  /** Counts of the names that the listing of the folder, or of all files, leaves out; absent if unknown. */
  readonly leftOut?: LeftOutCounts;
  /** The state of the listing of a store in which the files were found. */
  readonly listing?: StoreListing;
  /** Markdown. */
  readonly description?: string;
  readonly instructions?: JsonObject;
  /** The origin of `description` and `instructions`, says the agent. `server`: a server, an answer or a file. */
  readonly textOrigin: 'agent' | 'server';
  readonly licenses: readonly PlannedLicense[];
  readonly copies: PlannedCopies;
  /** Free bytes at the destination; absent if unknown. */
  readonly freeBytes?: number;
}

/** Returns what a plan's listing leaves out, and of which folder or database; undefined if that needs no mention. */
export function findPlannedOmission({ folder, leftOut, source }: TransferPlan): PlannedOmission | undefined {
  const isMentioned = leftOut && (folder !== undefined || Object.keys(leftOut).length > 0);
  return isMentioned ? { place: folder ?? source, leftOut } : undefined;
}

interface PlannedOmission {
  readonly place: string;
  readonly leftOut: LeftOutCounts;
}

/** A person's decision about a plan. `at` is in milliseconds since 1970. */
export interface PlanDecision {
  readonly kind: 'confirmed' | 'declined';
  /** Name of the place where the decision was made, such as the editor's name; empty if unknown. */
  readonly by: string;
  readonly at: number;
}

/**
 * The state of a plan. `confirmed`: the submission is in progress, was interrupted, or could not be recorded.
 * `submitted`: the plan's transfer has a record, which shows whether the service accepted the transfer.
 */
export type PlanState =
  | { readonly kind: 'proposed' | 'expired' }
  | PlanDecision
  | { readonly kind: 'submitted'; readonly by: string; readonly at: number; readonly transferKey: string };

/** A plan with its state. */
export interface SavedPlan {
  readonly plan: TransferPlan;
  readonly state: PlanState;
}

/** Returns the order for a plan's transfer, to be submitted over the given connection. */
export function toPlannedOrder(plan: TransferPlan, connectionId: string): TransferOrder {
  const { service, source, destination, files, description, instructions } = plan;
  return {
    connectionId,
    orcid: service.orcid,
    source,
    destination,
    files: files.map(toTransferFile),
    ...(description !== undefined && { description }),
    ...(instructions && { instructions }),
  };
}

/**
 * Returns the open connection to a plan's service; undefined if there is none. The connection's ID can differ from the
 * one in the plan, because another program may have created the plan.
 */
export function findPlanConnection(sessions: OpenConnections, { service }: TransferPlan): OpenConnection | undefined {
  const isSame = (one: OpenConnection | undefined): boolean => one?.service.address === service.address;
  const sameId = sessions.get(service.connectionId);
  return isSame(sameId) ? sameId : sessions.getAll().find(isSame);
}

/**
 * Returns the transfer that was submitted for a plan; undefined if there is none. Finds the transfer even if the
 * program was interrupted before it recorded the submission in the plan's files.
 */
export function findPlanTransfer(
  { transferStore }: Pick<Explorer, 'transferStore'>,
  planId: string,
): Transfer | undefined {
  return transferStore.getAll().find(({ requestedBy }) => requestedBy?.plan === planId);
}
