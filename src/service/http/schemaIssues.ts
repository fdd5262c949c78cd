import type * as z from 'zod/mini';
import type { JsonObject } from '../../core/util/json.ts';
import { describeSchema, findSchema } from './schemaDescription.ts';
import { toQuotable } from './quotable.ts';

/** An invalid field, for the `errors` of a problem document. */
export interface FieldProblem {
  readonly message: string;
  /** Path of the field, for example `body.offset` or `query.ids`. */
  readonly location: string;
}

/** Maximum number of fields that an error response names. */
export const maxNamedFields = 100;

/**
 * Converts a value's validation issues to field problems, up to a limit. The messages do not contain the value. `root`
 * is the prefix of the locations.
 */
export function toFieldProblems(
  schema: JsonObject,
  value: unknown,
  issues: readonly z.core.$ZodIssue[],
  root: string,
): FieldProblem[] {
  return issues.slice(0, maxNamedFields).flatMap((issue) => {
    if (issue.code === 'unrecognized_keys') return describeUnknownFields(schema, issue, root);
    const fieldSchema = findSchema(schema, issue.path);
    const message = fieldSchema === undefined ? describeMessage(issue) : `must be ${describeSchema(fieldSchema)}`;
    const isMissing = issue.path.length > 0 && findValue(value, issue.path) === undefined;
    return [createFieldProblem(root, issue.path, isMissing ? `is missing: it ${message}` : message)];
  });
}

/** Converts a validation issue to a field problem without using a schema. `root` is the prefix of the location. */
export function describeIssue(issue: z.core.$ZodIssue, root: string): FieldProblem {
  return { message: describeMessage(issue), location: formatLocation(root, issue.path) };
}

function describeUnknownFields(
  schema: JsonObject,
  issue: z.core.$ZodIssueUnrecognizedKeys,
  root: string,
): FieldProblem[] {
  const known = Object.keys(findSchema(schema, issue.path)?.['properties'] ?? {});
  const message = known.length === 0 ? 'is unknown' : `is unknown; the known fields are ${known.join(', ')}`;
  return issue.keys.slice(0, maxNamedFields).map((key) => createFieldProblem(root, [...issue.path, key], message));
}

/** Creates a problem whose message begins with the field's name, because clients may show it without the location. */
export function createFieldProblem(root: string, path: readonly PropertyKey[], message: string): FieldProblem {
  const location = formatLocation(root, path);
  return { message: `${path.length === 0 ? `the ${root}` : location.slice(root.length + 1)} ${message}`, location };
}

function formatLocation(root: string, path: readonly PropertyKey[]): string {
  return [root, ...path.map((part) => toQuotable(String(part)))].join('.');
}

function findValue(value: unknown, path: readonly PropertyKey[]): unknown {
  let current = value;
  for (const part of path) {
    if (typeof current !== 'object' || current === null || !Object.hasOwn(current, part)) return undefined;
    current = (current as Readonly<Record<PropertyKey, unknown>>)[part];
  }
  return current;
}

const kinds: Readonly<Record<string, string>> = {
  int: 'a whole number',
  number: 'a number',
  string: 'text',
  boolean: 'true or false',
  array: 'a list',
  object: 'an object',
  record: 'an object',
};

function describeMessage(issue: z.core.$ZodIssue): string {
  switch (issue.code) {
    case 'invalid_type':
      return `must be ${kinds[issue.expected] ?? issue.expected}`;
    case 'too_small':
      return describeTooSmall(issue.origin, Number(issue.minimum), issue.inclusive ?? true);
    case 'too_big':
      return `must not be more than ${String(issue.maximum)}`;
    case 'invalid_value':
      return `must be one of ${issue.values.map(String).join(', ')}`;
    case 'unrecognized_keys':
      return `has unknown fields: ${issue.keys.join(', ')}`;
    default:
      return 'is not valid';
  }
}

function describeTooSmall(origin: string, minimum: number, inclusive: boolean): string {
  if (origin === 'string' || origin === 'array') return 'must not be empty';
  return inclusive ? `must be at least ${minimum}` : `must be more than ${minimum}`;
}
