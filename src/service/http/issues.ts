import type * as z from 'zod/mini';
import type { JsonObject } from '../../core/util/json.ts';
import { inWords, schemaAt } from './expectation.ts';
import { quotable } from './quotable.ts';

/** What is wrong with one field: for the `errors` of a problem document. */
export interface FieldProblem {
  readonly message: string;
  /** `body.offset`, `query.ids`. */
  readonly location: string;
}

/** How many wrong fields a problem document names at most. */
export const mostNamed = 100;

/**
 * Says all that a schema, here as JSON Schema, finds wrong with a value: where, and what is wanted there, without
 * repeating what was sent. `root` begins the locations.
 */
export function problemsOf(
  schema: JsonObject,
  value: unknown,
  issues: readonly z.core.$ZodIssue[],
  root: string,
): FieldProblem[] {
  return issues.slice(0, mostNamed).flatMap((issue) => {
    if (issue.code === 'unrecognized_keys') return unknownFields(schema, issue, root);
    const wanted = schemaAt(schema, issue.path);
    const message = wanted === undefined ? messageOf(issue) : `must be ${inWords(wanted)}`;
    const isMissing = issue.path.length > 0 && valueAt(value, issue.path) === undefined;
    return [fieldProblemAt(root, issue.path, isMissing ? `is missing: it ${message}` : message)];
  });
}

/** Says what a schema found wrong, for one who has no schema at hand. `root` begins the location. */
export function describeIssue(issue: z.core.$ZodIssue, root: string): FieldProblem {
  return { message: messageOf(issue), location: locationOf(root, issue.path) };
}

function unknownFields(schema: JsonObject, issue: z.core.$ZodIssueUnrecognizedKeys, root: string): FieldProblem[] {
  const known = Object.keys(schemaAt(schema, issue.path)?.['properties'] ?? {});
  const message = known.length === 0 ? 'is unknown' : `is unknown: known are ${known.join(', ')}`;
  return issue.keys.slice(0, mostNamed).map((key) => fieldProblemAt(root, [...issue.path, key], message));
}

/** A problem whose message begins with the name of the field, since a person reads it without the location (D14). */
export function fieldProblemAt(root: string, path: readonly PropertyKey[], message: string): FieldProblem {
  const location = locationOf(root, path);
  return { message: `${path.length === 0 ? `the ${root}` : location.slice(root.length + 1)} ${message}`, location };
}

function locationOf(root: string, path: readonly PropertyKey[]): string {
  return [root, ...path.map((part) => quotable(String(part)))].join('.');
}

function valueAt(value: unknown, path: readonly PropertyKey[]): unknown {
  let place = value;
  for (const part of path) {
    if (typeof place !== 'object' || place === null || !Object.hasOwn(place, part)) return undefined;
    place = (place as Readonly<Record<PropertyKey, unknown>>)[part];
  }
  return place;
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

function messageOf(issue: z.core.$ZodIssue): string {
  switch (issue.code) {
    case 'invalid_type':
      return `must be ${kinds[issue.expected] ?? issue.expected}`;
    case 'too_small':
      return tooSmall(issue.origin, Number(issue.minimum), issue.inclusive ?? true);
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

function tooSmall(origin: string, minimum: number, inclusive: boolean): string {
  if (origin === 'string' || origin === 'array') return 'must not be empty';
  return inclusive ? `must be at least ${minimum}` : `must be more than ${minimum}`;
}
