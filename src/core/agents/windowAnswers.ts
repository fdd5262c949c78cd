import type { AgentDecision } from './agentContext.ts';
import { AgentError } from './agentError.ts';

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

/**
 * Creates the answer for a request that arrives while the user is deciding on another one. Only one dialog is shown at
 * a time.
 */
export function createBusyDecision(): AgentDecision {
  return { kind: 'waiting', hint: 'The user is deciding on another request. Ask again later.' };
}

/** Creates the answer for a plan that the user has neither confirmed nor declined. */
export function createUndecidedDecision(): AgentDecision {
  return { kind: 'waiting', hint: 'The user closed the dialog. The plan is waiting in the Transfers view.' };
}
