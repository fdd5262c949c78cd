import type { AgentDecision } from './agentContext.ts';
import { AgentError } from './agentError.ts';
import { toDataLine } from './serverText.ts';

/** Creates the failure of a tool whose service isn't connected in the window. Names the commands that help. */
export function createNotConnectedError(serviceName?: string): AgentError {
  const service =
    serviceName === undefined ? 'No service' : `The service ${JSON.stringify(toDataLine(serviceName, 80))}`;
  const fact = serviceName === undefined ? `${service} is connected.` : `${service} is not connected.`;
  const commands = '"Data Transfer: Connect to a Service…" or "Data Transfer: Start Local Service"';
  return new AgentError('notConnected', `${fact} Ask the user to run the command ${commands}.`);
}

/** Creates the answer while the user is deciding about another request, because one dialog is shown at a time. */
export function createBusyDecision(): AgentDecision {
  return { kind: 'waiting', hint: 'The user is deciding about another request. Ask again later.' };
}

/** Creates the answer for a plan that the user has neither confirmed nor declined. */
export function createUndecidedDecision(): AgentDecision {
  return { kind: 'waiting', hint: 'The user closed the dialog. The plan waits in the Transfers view of the window.' };
}
