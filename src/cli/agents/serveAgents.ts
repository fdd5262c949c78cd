import { randomUUID } from 'node:crypto';
import type { AgentDecision, AgentQuestion } from '../../core/agents/agentContext.ts';
import { createInputSchema, toDataLine } from '../../core/agents/agentTool.ts';
import { agentTools, callAgentTool, type AgentAnswer } from '../../core/agents/callAgentTool.ts';
import { settlesWithin } from '../../core/util/clock.ts';
import { createRedactingLog, type Logger } from '../../core/util/logger.ts';
import { capitalize } from '../../core/util/sharedTexts.ts';
import { exitCode, type ExitCode } from '../cliError.ts';
import type { CommandContext } from '../commandContext.ts';
import { CliSession } from '../connections/cliSession.ts';
import { toPlainCell, type Output } from '../output.ts';
import { getTransferId } from '../text/transferText.ts';
import { cliVersion } from '../version.ts';
import { createAgentContext, type SharedAgentContext } from './cliAgentContext.ts';
import { serveMcp, type Elicitation, type McpCall, type McpTool } from './mcpServer.ts';
import { formatPlanSummary } from './planActions.ts';

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
    const subject =
      question.kind === 'submit' ? `plan-${question.plan.id}` : `${question.kind}-${question.transfer.key}`;
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
  const { transfer, kind } = question;
  return `${capitalize(kind)} the transfer ${getTransferId(transfer)} to ${toPlainCell(transfer.order.destination)}?`;
}

function createHint(question: AgentQuestion): string {
  const [place, command] =
    question.kind === 'submit'
      ? ['confirm it', `plans confirm ${question.plan.id}`]
      : [`${question.kind} it`, `${question.kind} ${getTransferId(question.transfer)}`];
  const terminal = `in a terminal, with the same connection options as this server: data-transfer ${command}`;
  return `Ask the user to ${place} in the Transfers view of the editor, or ${terminal}`;
}

/** The options of `mcp`. */
export interface McpFlags {
  readonly trustElicitation?: boolean;
}

/**
 * Maximum time for which calls may continue after the client disconnects, in milliseconds. Long enough for the response
 * to a submission to be recorded.
 */
const maxGraceMs = 10_000;

/** Serves agents until the client disconnects or the command is interrupted, and then exits the process. */
export async function serveAgents(context: CommandContext, { trustElicitation = false }: McpFlags): Promise<ExitCode> {
  const run = async (session: CliSession): Promise<void> => {
    const shared = createAgentContext(session, createCallLog(context.output));
    const calls = new PendingCalls(session, shared, trustElicitation);
    const gone = new Promise<void>((resolve) => {
      context.signal.addEventListener('abort', () => resolve());
      const close = serveMcp({
        version: cliVersion,
        tools: listTools(),
        onClose: resolve,
        call: async (call) => await calls.run(call),
      });
      context.signal.addEventListener('abort', () => void close());
    });
    await gone;
    await settlesWithin(context.clock, maxGraceMs, calls.settle());
  };
  await CliSession.run(context, run, { isForeground: false });
  // Timers and sockets must not keep the process alive after its client has disconnected.
  setTimeout(() => process.exit(), 1_000).unref();
  return exitCode.done;
}

function listTools(): readonly McpTool[] {
  return agentTools.map((tool) => {
    const { name, title, description, isReadOnly } = tool;
    return { name, title, description, isReadOnly, inputSchema: createInputSchema(tool) };
  });
}

function createCallLog(output: Output): Logger {
  const write = (message: string): void => output.note(`${new Date().toISOString()} ${toPlainCell(message)}`);
  const drop = (): void => undefined;
  return createRedactingLog({ trace: drop, debug: drop, info: write, warn: write, error: write });
}

/** Runs a client's calls, and tracks those that haven't finished. */
class PendingCalls {
  private readonly session: CliSession;
  private readonly shared: SharedAgentContext;
  private readonly questions: AgentQuestions;
  private readonly pending = new Set<Promise<unknown>>();
  private loading: Promise<void> | undefined;

  constructor(session: CliSession, shared: SharedAgentContext, isTrusted: boolean) {
    this.session = session;
    this.shared = shared;
    this.questions = new AgentQuestions(isTrusted);
  }

  async run(call: McpCall): Promise<AgentAnswer | Elicitation> {
    const work = this.answer(call);
    this.pending.add(work);
    return await work.finally(() => this.pending.delete(work));
  }

  async settle(): Promise<void> {
    await Promise.allSettled(this.pending);
  }

  private async answer(call: McpCall): Promise<AgentAnswer | Elicitation> {
    // Loads the running transfers, and starts to follow the records that other programs write.
    await (this.loading ??= this.session.explorer.transferFlow.resume());
    let elicitation: Elicitation | undefined;
    const confirm: Parameters<typeof callAgentTool>[0]['confirm'] = (question) => {
      const result = this.questions.answer(question, call);
      elicitation = result.elicitation;
      return Promise.resolve(result.decision);
    };
    const context = { ...this.shared, requestedBy: call.client, confirm };
    const answer = await callAgentTool(context, call.name, call.input, call.signal);
    return elicitation ?? answer;
  }
}
