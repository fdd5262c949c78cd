import type { OpenConnection } from '../connections/openConnections.ts';
import type { Explorer } from '../explorer.ts';
import type { StoreListing } from '../model/databaseModel.ts';
import type { Reason } from '../model/reason.ts';
import type { Transfer, TransferOrder, TransferRequester } from '../model/transferModel.ts';
import type { Clock } from '../util/clock.ts';
import type { Logger } from '../util/logger.ts';
import { AgentError } from './agentError.ts';
import type { AgentPolicy } from './agentPolicy.ts';
import type { PlanStore } from './planStore.ts';
import type { TransferPlan } from './transferPlan.ts';

/** The parts of {@link Explorer} that the tools use. */
type AgentServices = Pick<
  Explorer,
  'sessions' | 'connectionStore' | 'transferStore' | 'metadataFlow' | 'recipeFlow' | 'duplicateFlow'
> &
  Pick<Explorer, 'transferFlow' | 'trackFlow' | 'monitor'>;

/** An action that needs a person's confirmation (D64: a person decides). */
export type AgentQuestion = { readonly kind: 'submit'; readonly plan: TransferPlan } | ChangeQuestion;

/** A change to a transfer that needs a person's confirmation. */
export interface ChangeQuestion {
  readonly kind: 'cancel' | 'pause' | 'resume';
  readonly transfer: Transfer;
}

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
  /** Returns the folder that the user has named for a destination; undefined if there is none. */
  findFolder(connectionId: string, destination: string): Promise<string | undefined>;
  /** Submits an order once (D12: never resubmit), and shows that it waits. Rejects if it can't be recorded. */
  submit(order: TransferOrder, requestedBy: TransferRequester): Promise<Transfer>;
  /** Asks a person to decide. Never decides automatically (D64: a person decides). */
  confirm(question: AgentQuestion, options: ConfirmOptions): Promise<AgentDecision>;
  /** Returns a clause that describes a failure, without a period. */
  describeReason(reason: Reason): string;
  /** Returns a sentence about a store's listing that is old or incomplete; undefined if that isn't known of it. */
  describeListing(listing: StoreListing): string | undefined;
}

const maxRunning = 8;
const maxWaiting = 200;

/** Runs agents' calls in order of arrival, a few at a time, so that no agent can overload the service. */
export class CallQueue {
  private readonly waiting = new Set<() => void>();
  private running = 0;

  /**
   * Runs `work` when it is the call's turn. Throws {@link AgentError} if too many calls are waiting, and the signal's
   * reason if the call is canceled before its turn.
   */
  async run<T>(signal: AbortSignal, work: () => Promise<T>): Promise<T> {
    signal.throwIfAborted();
    await this.enter(signal);
    try {
      return await work();
    } finally {
      this.leave();
    }
  }

  private async enter(signal: AbortSignal): Promise<void> {
    if (this.running < maxRunning) this.running += 1;
    else if (this.waiting.size < maxWaiting) await this.wait(signal);
    else
      throw new AgentError(
        'tooManyCalls',
        'Too many calls are waiting. Wait until they have finished, then call again.',
      );
  }

  /** Resolves when a finished call hands over its slot. Rejects with the signal's reason. */
  private async wait(signal: AbortSignal): Promise<void> {
    await new Promise<void>((resolve, reject) => {
      this.waiting.add(resolve);
      signal.addEventListener('abort', () => {
        this.waiting.delete(resolve);
        reject(signal.reason as Error);
      });
    });
  }

  private leave(): void {
    const [next] = this.waiting;
    if (!next) this.running -= 1;
    else if (this.waiting.delete(next)) next();
  }
}

/**
 * Creates the error for a window that lacks a connection. The message names the commands that open a connection. Passes
 * the service's name, address or connection ID as the reason, so that agents receive it as data: a service may choose
 * its own name.
 */
export function createNotConnectedError(serviceName?: string): AgentError {
  const fact = serviceName === undefined ? 'No service is connected.' : 'The required service is not connected.';
  const commands = '"Data Transfer: Connect to a Service…" or "Data Transfer: Start Local Service"';
  const message = `${fact} Ask the user to run the command ${commands}.`;
  return new AgentError(
    'notConnected',
    message,
    serviceName === undefined ? undefined : `Required service: ${serviceName}`,
  );
}

/** Creates the answer for a request while the user is deciding on another one: one dialog at a time. */
export function createBusyDecision(): AgentDecision {
  return { kind: 'waiting', hint: 'The user is deciding on another request. Ask again later.' };
}

/** Creates the answer for a plan that the user has neither confirmed nor declined. */
export function createUndecidedDecision(): AgentDecision {
  return { kind: 'waiting', hint: 'The user closed the dialog. The plan is waiting in the Transfers view.' };
}
