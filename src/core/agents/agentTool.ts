import type * as z from 'zod/mini';
import type { JsonObject } from '../util/json.ts';
import type { AgentContext } from './agentContext.ts';

/** Runs a tool with checked input. Resolves to the answer; throws {@link AgentError} for an expected failure. */
type ToolFunction<Input> = (context: AgentContext, input: Input, signal: AbortSignal) => Promise<JsonObject>;

/** A tool for agents: a name, a description for the model, a schema of its input, and the work. */
export interface AgentTool {
  readonly name: AgentToolName;
  /** A title for people. */
  readonly title: string;
  /** A description for the model. */
  readonly description: string;
  readonly input: z.ZodMiniType;
  /** True if the tool is read-only, so that no confirmation is needed. */
  readonly isReadOnly: boolean;
  readonly run: ToolFunction<unknown>;
}

/** The names of the tools. */
type AgentToolName =
  | 'list_databases'
  | 'search_files'
  | 'describe_files'
  | 'plan_transfer'
  | 'submit_transfer'
  | 'transfer_status'
  | 'cancel_transfer';

/** Creates a tool. Its function receives input that its schema accepted ({@link callAgentTool}). */
export function defineTool<Schema extends z.ZodMiniType>(
  tool: Omit<AgentTool, 'input' | 'run'> & {
    readonly input: Schema;
    readonly run: ToolFunction<z.output<Schema>>;
  },
): AgentTool {
  const { run } = tool;
  return { ...tool, run: (context, value, signal) => run(context, value as z.output<Schema>, signal) };
}
