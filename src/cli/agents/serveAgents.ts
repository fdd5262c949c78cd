import { agentTools, callAgentTool, type AgentAnswer } from '../../core/agents/callAgentTool.ts';
import { createInputSchema } from '../../core/agents/agentTool.ts';
import { settlesWithin } from '../../core/util/clock.ts';
import { createRedactingLog, type Logger } from '../../core/util/logger.ts';
import { AgentQuestions } from './agentQuestion.ts';
import { createAgentContext, type SharedAgentContext } from './cliAgentContext.ts';
import { serveMcp, type Elicitation, type McpCall, type McpTool } from './mcpServer.ts';
import type { CommandContext } from '../commandContext.ts';
import { CliSession } from '../connections/cliSession.ts';
import { exitCode, type ExitCode } from '../exitCode.ts';
import type { Output } from '../output.ts';
import { toPlainCell } from '../text/plainCell.ts';
import { cliVersion } from '../version.ts';

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
