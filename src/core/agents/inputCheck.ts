import * as z from 'zod/mini';
import { isDeeperThan, type JsonObject } from '../util/json.ts';
import { AgentError } from './agentError.ts';
import type { AgentTool } from './agentTool.ts';
import { toDataLine } from './serverText.ts';

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
  if (issue.code === 'too_small' && issue.origin in units) return 'must not be empty';
  if (issue.code === 'too_small') return `must be at least ${String(issue.minimum)}`;
  if (issue.code === 'not_multiple_of') return `must be a multiple of ${issue.divisor}`;
  return issue.code === 'custom' ? 'is too large or too deeply nested' : 'is not valid';
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
