import * as z from 'zod/mini';
import { isDeeperThan, omit, type JsonObject } from '../util/json.ts';
import { toShortLine } from '../util/visibleText.ts';
import type { AgentContext } from './agentContext.ts';
import { AgentError } from './agentError.ts';
import { fieldTexts, isNotValid, mustNotBeEmpty } from '../util/sharedTexts.ts';

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
  | 'cancel_transfer'
  | 'pause_transfer'
  | 'resume_transfer';

/** Creates a tool. Its function receives only input that {@link callAgentTool} has validated. */
export function defineTool<Schema extends z.ZodMiniType>(
  tool: Omit<AgentTool, 'input' | 'run'> & {
    readonly input: Schema;
    readonly run: ToolFunction<z.output<Schema>>;
  },
): AgentTool {
  const { run } = tool;
  return { ...tool, run: (context, value, signal) => run(context, value as z.output<Schema>, signal) };
}

type Issue = z.core.$ZodIssue;

const maxObjectLength = 20_000;
const maxLevels = 20;

/** Creates a schema for a string with at most `maxLength` characters. */
export function limitedText(maxLength: number): z.ZodMiniString {
  return z.string().check(z.maxLength(maxLength));
}

/** Creates a schema for an object of limited size and depth. */
export function limitedObject(): z.ZodMiniType<JsonObject> {
  const isSmall = (value: JsonObject): boolean =>
    !isDeeperThan(value, maxLevels) && JSON.stringify(value).length <= maxObjectLength;
  return z.record(z.string(), z.unknown()).check(z.refine(isSmall));
}

/** Validates and returns a tool's input. Throws {@link AgentError} with a message that describes the first error. */
export function checkInput({ input }: AgentTool, value: unknown): unknown {
  const parsed = input.safeParse(value ?? {});
  if (parsed.success) return parsed.data;
  const [issue] = parsed.error.issues;
  throw new AgentError('badInput', issue ? describeIssue(issue, value) : 'The input is invalid.');
}

function describeIssue(issue: Issue, value: unknown): string {
  const field = quote(issue.path.map(String).join('.'));
  if (issue.code === 'unrecognized_keys') return `Unknown field ${quote(issue.keys[0] ?? '')}.`;
  if (issue.path.length === 0) return 'The input must be an object.';
  if (readField(value, issue.path) === undefined) return `The field ${field} is missing.`;
  return `${field} ${describeViolation(issue)}.`;
}

function describeViolation(issue: Issue): string {
  if (issue.code === 'invalid_type') return `must be of type ${issue.expected}`;
  if (issue.code === 'invalid_value') return `must be one of: ${issue.values.join(', ')}`;
  if (issue.code === 'too_big') return `is too large: at most ${describeLimit(issue.maximum, issue.origin)}`;
  if (issue.code === 'too_small' && issue.origin in units) return mustNotBeEmpty;
  if (issue.code === 'too_small') return `must be at least ${String(issue.minimum)}`;
  if (issue.code === 'not_multiple_of') return `must be a multiple of ${issue.divisor}`;
  return issue.code === 'custom' ? 'is too large or too deeply nested' : isNotValid;
}

const units: Readonly<Record<string, string>> = { string: ' characters', array: ' values' };

function describeLimit(limit: number | bigint, origin: string): string {
  return `${String(limit)}${units[origin] ?? ''}`;
}

function readField(value: unknown, path: readonly PropertyKey[]): unknown {
  let current = value;
  for (const part of path) current = (current as Readonly<Record<PropertyKey, unknown>> | undefined)?.[part];
  return current;
}

function quote(name: string): string {
  return JSON.stringify(toDataLine(name, 60));
}

/** Maximum length of a file ID. */
export const maxIdLength = 1_000;

/** Schema for the name or ID of a database. */
export const databaseField = limitedText(200).check(z.minLength(1), z.describe('Name of a database.'));

/** Schema for the ID of a file. */
export const idField = limitedText(maxIdLength).check(z.minLength(1));

/** Schemas for the fields of a database search. */
export const queryFields = {
  query: limitedText(2_000).check(z.describe(fieldTexts.query)),
  status: z.optional(z.enum(['staged', 'unstaged']).check(z.describe('staged: ready to copy.'))),
  specific: z.optional(limitedObject().check(z.describe('Search parameters that only this database has.'))),
};

/** Returns the JSON schema of a tool's input, for `package.json` and for the MCP server. */
export function createInputSchema({ input }: AgentTool): JsonObject {
  const schema = z.toJSONSchema(input, {
    io: 'input',
    // Some models and clients refuse the keywords that only narrow what is checked anyway.
    override: ({ jsonSchema }) => {
      delete jsonSchema.propertyNames;
      delete jsonSchema.multipleOf;
      if (typeof jsonSchema.additionalProperties === 'object') delete jsonSchema.additionalProperties;
    },
  });
  return omit(schema, '$schema');
}

/** Maximum number of rows in an answer. Limited because every row takes up space in the agent's context. */
export const maxRows = 20;

/** Returns the first rows as `name` under `data`; if some are left out, also their number and the hint. */
export function createRows(name: string, rows: readonly JsonObject[], hint: string): JsonObject {
  const more = rows.length - maxRows;
  return { data: { [name]: rows.slice(0, maxRows) }, ...(more > 0 && { more, hint }) };
}

/** Default maximum length of a line of server text in an answer. */
const maxLineLength = 200;

/**
 * Returns text from a server, a file or an agent as one short line without control or format characters. Answers
 * contain text from servers only under `data`, because agents must not treat such text as instructions (D64: a person
 * decides).
 */
export function toDataLine(text: string, maxLength = maxLineLength): string {
  return toShortLine(text, maxLength);
}
