import { isJsonObject, type JsonObject } from '../util/json.ts';
import type { AgentContext } from './agentContext.ts';
import { AgentError } from './agentError.ts';
import { checkInput, toDataLine, type AgentTool } from './agentTool.ts';
import { describeFilesTool, listDatabasesTool, searchFilesTool } from './fileTools.ts';
import { planTransferTool } from './planTransferTool.ts';
import {
  cancelTransferTool,
  pauseTransferTool,
  resumeTransferTool,
  submitTransferTool,
  transferStatusTool,
} from './transferTools.ts';

/** A tool's answer, as data for the agent. Text from servers appears only under `data`. */
export interface AgentAnswer {
  readonly isError: boolean;
  readonly content: JsonObject;
}

/** Runs a tool by name with unvalidated input, and logs the call. Never rejects: a failure is an answer. */
export async function callAgentTool(
  context: AgentContext,
  name: string,
  input: unknown,
  signal: AbortSignal,
): Promise<AgentAnswer> {
  const startedAt = context.clock.now();
  const answer = await runTool(context, name, input, signal);
  const { error, state } = answer.content;
  const outcome = answer.isError ? `failed: ${toWord(error)}` : toWord(state);
  const caller = toDataLine(context.requestedBy, 80);
  const call = `${toDataLine(name, 60)} ${formatArguments(input)}`;
  context.log.info(`Agent ${caller}: ${call}: ${context.clock.now() - startedAt} ms, ${outcome}`);
  return answer;
}

function toWord(value: unknown): string {
  return typeof value === 'string' ? value : 'done';
}

async function runTool(context: AgentContext, name: string, input: unknown, signal: AbortSignal): Promise<AgentAnswer> {
  try {
    const tool = agentTools.find((one) => one.name === name);
    if (!tool) throw new AgentError('unknownTool', `There is no tool "${toDataLine(name, 60)}".`);
    const checked = checkInput(tool, input);
    return { isError: false, content: await context.queue.run(signal, () => tool.run(context, checked, signal)) };
  } catch (error) {
    return { isError: true, content: toErrorContent(context, error, signal) };
  }
}

function toErrorContent({ describeReason, log }: AgentContext, error: unknown, signal: AbortSignal): JsonObject {
  if (error instanceof AgentError) {
    const { code, message, reason } = error;
    const cause = typeof reason === 'object' ? describeReason(reason) : reason;
    return { error: message, code, ...(cause !== undefined && { data: { reason: toDataLine(cause) } }) };
  }
  if (signal.aborted) return { error: 'The call was canceled.', code: 'cancelled' };
  log.error(`A tool failed: ${String(error)}`);
  return { error: 'The tool failed unexpectedly. See the log.', code: 'internal' };
}

const maxTextLength = 120;
const maxListLength = 5;

/** Formats arguments for the log. Replaces objects, long strings and long or nested lists with their sizes. */
function formatArguments(input: unknown): string {
  if (!isJsonObject(input)) return `(${typeof input})`;
  const entries = Object.entries(input).slice(0, 20);
  return JSON.stringify(Object.fromEntries(entries.map(([name, value]) => [toDataLine(name, 60), shorten(value)])));
}

function shorten(value: unknown): unknown {
  if (typeof value === 'string') {
    return value.length > maxTextLength || value.includes('\n') ? `(${value.length} characters)` : value;
  }
  if (Array.isArray(value)) return isShortList(value) ? value.map(shorten) : `(${value.length} values)`;
  return typeof value === 'object' && value !== null ? `(${Object.keys(value).length} fields)` : value;
}

/** Returns true for a short list without nested lists. Formatting deeply nested lists could overflow the stack. */
function isShortList(values: readonly unknown[]): boolean {
  return values.length <= maxListLength && !values.some(Array.isArray);
}

/** The tools for agents, in order of typical use. The editor and the MCP server offer the same tools. */
export const agentTools: readonly AgentTool[] = [
  ...[listDatabasesTool, searchFilesTool, describeFilesTool],
  ...[planTransferTool, submitTransferTool, transferStatusTool, cancelTransferTool],
  ...[pauseTransferTool, resumeTransferTool],
];
