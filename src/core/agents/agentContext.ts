import type { Explorer } from '../explorer.ts';
import type { OpenConnection } from '../flows/openConnections.ts';
import type { Database } from '../model/databaseModel.ts';
import type { Reason } from '../model/reason.ts';
import type { Transfer } from '../model/transferModel.ts';
import type { Clock } from '../util/clock.ts';
import type { Logger } from '../util/logger.ts';
import type { AgentPolicy } from './agentPolicy.ts';
import type { AnsweredTexts } from './answeredTexts.ts';
import type { CallQueue } from './callQueue.ts';
import type { PlanStore } from './planStore.ts';
import type { TransferPlan } from './transferPlan.ts';

/** The parts of {@link Explorer} that the tools use. */
type AgentServices = Pick<
  Explorer,
  'sessions' | 'connectionStore' | 'transferStore' | 'metadataFlow' | 'recipeFlow' | 'duplicateFlow'
> &
  Pick<Explorer, 'transferFlow' | 'trackFlow' | 'monitor'>;

/** An action that needs a person's confirmation (D64: a person decides). */
export type AgentQuestion =
  { readonly kind: 'submit'; readonly plan: TransferPlan } | { readonly kind: 'cancel'; readonly transfer: Transfer };

/**
 * The result of asking a person. `by` names the place where the person decided, such as the editor, and is recorded
 * with the decision. If the kind is `waiting`, there is no decision yet, and `hint` tells the agent what to do.
 */
export type AgentDecision =
  { readonly kind: 'yes' | 'no'; readonly by: string } | { readonly kind: 'waiting'; readonly hint: string };

/** Options for {@link AgentContext.confirm}. */
interface ConfirmOptions {
  readonly signal: AbortSignal;
}

/** Gives the tools access to the window or program that runs them. */
export interface AgentContext {
  readonly services: AgentServices;
  readonly plans: PlanStore;
  readonly policy: AgentPolicy;
  /** The queue shared by all agents that use this window or program. */
  readonly queue: CallQueue;
  /** The server-supplied text in earlier answers to any agent that uses this window or program. */
  readonly answeredTexts: AnsweredTexts;
  readonly clock: Clock;
  readonly log: Logger;
  /** The agent's name, which the agent itself may have chosen: untrusted text of any length. */
  readonly requestedBy: string;
  /**
   * Returns the connection to use by default. Connects if necessary, except in a window. Throws {@link AgentError} if
   * there is no connection or it can't be opened.
   */
  connect(): Promise<OpenConnection>;
  /**
   * Returns the connection with this ID. If `address` is given, may return another connection to the same address
   * instead. Opens the connection if necessary, except in a window. Throws {@link AgentError} if there is no such
   * connection or it can't be opened.
   */
  open(connectionId: string, address?: string): Promise<OpenConnection>;
  getOrcid(connectionId: string): string;
  /** Returns the free space at a destination, in bytes; undefined if unknown. Never rejects. */
  getFreeBytes(session: OpenConnection, destination: Database): Promise<number | undefined>;
  /** Asks a person to decide. Never decides automatically (D64: a person decides). */
  confirm(question: AgentQuestion, options: ConfirmOptions): Promise<AgentDecision>;
  /** Returns a clause that describes a failure, without a period. */
  describeReason(reason: Reason): string;
}
