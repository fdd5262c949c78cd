import type * as z from 'zod/mini';

/** What is wrong with one field: for the `errors` of a problem document. */
export interface FieldProblem {
  readonly message: string;
  /** `body.offset`, `query.ids`. */
  readonly location: string;
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

/** Says what a schema found wrong, without repeating the value that was sent. `root` begins the location. */
export function describeIssue(issue: z.core.$ZodIssue, root: string): FieldProblem {
  return { message: messageOf(issue), location: [root, ...issue.path.map(String)].join('.') };
}

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
