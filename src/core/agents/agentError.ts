import type { Reason } from '../model/reason.ts';

/** The kind of an expected failure. Callers can choose their own wording for each kind. */
export type AgentErrorCode =
  | 'badInput'
  | 'unknownTool'
  | 'notConnected'
  | 'requestFailed'
  | 'notFound'
  | 'cannotTransfer'
  | 'tooManyCalls'
  | 'tooManyPlans'
  | 'submissionOff'
  | 'planExpired'
  | 'planDecided'
  | 'planElsewhere'
  | 'declined'
  | 'notRead'
  | 'notSaved';

/** An expected failure of a tool or a plan. Its message is in plain English, for the agent. */
export class AgentError extends Error {
  override readonly name = 'AgentError';
  readonly code: AgentErrorCode;
  /** The cause of the failure, as data or as text. May contain text from a server. */
  readonly reason: Reason | string | undefined;

  constructor(code: AgentErrorCode, message: string, reason?: Reason | string) {
    super(message);
    this.code = code;
    this.reason = reason;
  }
}
