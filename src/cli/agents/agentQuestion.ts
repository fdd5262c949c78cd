import { randomUUID } from 'node:crypto';
import type { AgentDecision, AgentQuestion } from '../../core/agents/agentContext.ts';
import { toDataLine } from '../../core/agents/agentTool.ts';
import { toPlainCell } from '../text/plainCell.ts';
import { getTransferId } from '../text/transferDocument.ts';
import type { Elicitation, McpCall } from './mcpServer.ts';
import { formatPlanSummary } from './planSummary.ts';

/** The decision on a tool's question, and the elicitation that asks the user for it. */
interface QuestionResult {
  readonly decision: AgentDecision;
  /** Absent if the user has answered, or if the client can't show elicitations or isn't trusted to show them. */
  readonly elicitation?: Elicitation;
}

/**
 * Obtains the user's decisions on the questions that tools ask. Asks only through a client that the user trusts,
 * because a client could answer in the user's place (D64: a person decides). For other clients, returns a hint about
 * where the user can decide.
 */
export class AgentQuestions {
  private readonly isTrusted: boolean;
  /** The keys of the unanswered questions, by plan or transfer. A question can be answered only once. */
  private readonly asked = new Map<string, string>();

  constructor(isTrusted: boolean) {
    this.isTrusted = isTrusted;
  }

  /**
   * Returns the user's decision; `waiting` if the user hasn't decided yet. If a trusted client can show elicitations
   * but hasn't returned an answer yet, also returns the elicitation to show. Ignores answers to questions that were not
   * asked.
   */
  answer(question: AgentQuestion, call: McpCall): QuestionResult {
    const waiting = { kind: 'waiting', hint: createHint(question) } as const;
    if (!this.isTrusted || !call.canElicit) return { decision: waiting };
    const subject = question.kind === 'submit' ? `plan-${question.plan.id}` : `cancel-${question.transfer.key}`;
    const key = this.asked.get(subject);
    const answer = key === undefined ? undefined : call.getAnswer(key);
    if (answer === undefined) return { decision: waiting, elicitation: this.ask(subject, createMessage(question)) };
    this.asked.delete(subject);
    if (answer === 'undecided') return { decision: waiting };
    return {
      decision: { kind: answer === 'confirmed' ? 'yes' : 'no', by: `elicitation of ${toDataLine(call.client, 80)}` },
    };
  }

  private ask(subject: string, message: string): Elicitation {
    const key = this.asked.get(subject) ?? `${subject}-${randomUUID()}`;
    this.asked.set(subject, key);
    return { key, message };
  }
}

function createMessage(question: AgentQuestion): string {
  if (question.kind === 'submit') return `${formatPlanSummary(question.plan)}Start this transfer?`;
  const { transfer } = question;
  return `Cancel the transfer ${getTransferId(transfer)} to ${toPlainCell(transfer.order.destination)}?`;
}

function createHint(question: AgentQuestion): string {
  const [place, command] =
    question.kind === 'submit'
      ? ['confirm it', `plans confirm ${question.plan.id}`]
      : ['cancel it', `cancel ${getTransferId(question.transfer)}`];
  const terminal = `in a terminal, with the same connection options as this server: data-transfer ${command}`;
  return `Ask the user to ${place} in the Transfers view of the editor, or ${terminal}`;
}
