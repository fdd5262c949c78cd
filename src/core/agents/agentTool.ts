import type * as z from 'zod/mini';
import type { JsonObject } from '../util/json.ts';
import type { AgentContext } from './agentContext.ts';

/** Runs a tool with validated input. Resolves to the answer. Throws {@link AgentError} for an expected failure. */
type ToolFunction<Input> = (context: AgentContext, input: Input, signal: AbortSignal) => Promise<JsonObject>;

/** A tool for agents, with descriptions, the schema of its input, and the function that runs it. */
export interface AgentTool {
  readonly name: AgentToolName;
  /** A title for people. */
  readonly title: string;
  /** A description for the model. */
  readonly description: string;
  readonly input: z.ZodMiniType;
  /** True if the tool neither submits nor cancels transfers and therefore needs no confirmation. */
  readonly isReadOnly: boolean;
  readonly run: ToolFunction<unknown>;
}

type AgentToolName =
  | 'list_databases'
  | 'search_files'
  | 'describe_files'
  | 'plan_transfer'
  | 'submit_transfer'
  | 'transfer_status'
  | 'cancel_transfer';

/**
 * Creates a tool. Its function receives only input that matches the schema, because {@link callAgentTool} validates it.
 */
export function defineTool<Schema extends z.ZodMiniType>(
  tool: Omit<AgentTool, 'input' | 'run'> & {
    readonly input: Schema;
    readonly run: ToolFunction<z.output<Schema>>;
  },
): AgentTool {
  const { run } = tool;
  return { ...tool, run: (context, value, signal) => run(context, value as z.output<Schema>, signal) };
}
