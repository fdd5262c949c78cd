import type { Explorer } from '../explorer.ts';
import type { OpenConnection } from '../flows/openConnections.ts';
import type { Database } from '../model/databaseModel.ts';
import type { Reason } from '../model/reason.ts';
import type { Transfer } from '../model/transferModel.ts';
import type { Clock } from '../util/clock.ts';
import type { Logger } from '../util/logger.ts';
import type { AgentPolicy } from './agentPolicy.ts';
import type { CallQueue } from './callQueue.ts';
import type { PlanStore } from './planStore.ts';
import type { TransferPlan } from './transferPlan.ts';

/** The stores and flows that the tools use. */
type AgentServices = Pick<
  Explorer,
  'sessions' | 'connectionStore' | 'transferStore' | 'metadataFlow' | 'recipeFlow' | 'duplicateFlow'
> &
  Pick<Explorer, 'transferFlow' | 'trackFlow' | 'monitor'>;

/** An action that needs a person's confirmation (D64: a person decides). */
export type AgentQuestion =
  { readonly kind: 'submit'; readonly plan: TransferPlan } | { readonly kind: 'cancel'; readonly transfer: Transfer };

/** The answer of a person. `by` names the place of the decision, for the record. `waiting`: nobody could be asked. */
export type AgentDecision =
  { readonly kind: 'yes' | 'no'; readonly by: string } | { readonly kind: 'waiting'; readonly hint: string };

/** Options of {@link AgentContext.confirm}. */
interface ConfirmOptions {
  readonly signal: AbortSignal;
}

/** Provides what the tools need from the window or the program that runs them. */
export interface AgentContext {
  readonly services: AgentServices;
  readonly plans: PlanStore;
  readonly policy: AgentPolicy;
  /** The queue of all agents that call this window or program. */
  readonly queue: CallQueue;
  readonly clock: Clock;
  readonly log: Logger;
  /** The name that the agent's program reports: untrusted text of any length. */
  readonly requestedBy: string;
  /** Returns the connection to use, and connects if necessary. Throws {@link AgentError}. */
  connect(): Promise<OpenConnection>;
  /** Returns the connection with this ID, or with this address. Throws {@link AgentError} if it can't be opened. */
  open(connectionId: string, address?: string): Promise<OpenConnection>;
  getOrcid(connectionId: string): string;
  /** Returns the free bytes at a destination; undefined if unknown. Never rejects. */
  getFreeBytes(session: OpenConnection, destination: Database): Promise<number | undefined>;
  /** Asks a person. Never answers by itself (D64: a person decides). */
  confirm(question: AgentQuestion, options: ConfirmOptions): Promise<AgentDecision>;
  /** Describes a failure as the second half of a sentence, without a period. */
  describeReason(reason: Reason): string;
}
