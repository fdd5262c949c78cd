import {
  $ZodObject,
  $ZodOptional,
  type $ZodIssue,
  type $ZodIssueTooBig,
  type $ZodIssueTooSmall,
  type $ZodType,
} from 'zod/v4/core';
import { findNearestName } from './nearestName.ts';
import type { RecipeProblem } from './recipeProblem.ts';
import { recipeSchema } from './recipeSchema.ts';
import { maxProblems, type RecipePath, type RecipeText } from './recipeText.ts';

/** Converts validation issues to at most {@link maxProblems} problems with positions in the text. */
export function findSchemaProblems(text: RecipeText, issues: readonly $ZodIssue[]): readonly RecipeProblem[] {
  return issues
    .slice(0, maxProblems)
    .flatMap((issue) => toProblems(text, issue))
    .slice(0, maxProblems);
}

function toProblems(text: RecipeText, issue: $ZodIssue): readonly RecipeProblem[] {
  const path = issue.path.map((part) => (typeof part === 'symbol' ? String(part) : part));
  if (issue.code === 'unrecognized_keys')
    return issue.keys.slice(0, maxProblems).map((name) => createUnknownField(text, path, name));
  if (isMissing(text, path)) return [{ kind: 'missingField', path, range: text.findName(path.slice(0, -1)) }];
  const range = text.findValue(path);
  if (issue.code === 'invalid_value') return [{ kind: 'wrongValue', path, range, expected: issue.values.join(', ') }];
  if (issue.code === 'too_small' || issue.code === 'too_big') return [{ ...describeSize(issue), path, range }];
  // JSON has objects, but no records.
  const expected = issue.code === 'invalid_type' ? issue.expected.replace('record', 'object') : '';
  return [{ kind: expected === 'int' ? 'wrongNumber' : 'wrongType', path, range, expected }];
}

function describeSize(issue: $ZodIssueTooSmall | $ZodIssueTooBig): Pick<RecipeProblem, 'kind' | 'expected'> {
  if (issue.origin === 'number' || issue.origin === 'int') return { kind: 'wrongNumber' };
  return issue.code === 'too_big' ? { kind: 'tooLong', expected: String(issue.maximum) } : { kind: 'empty' };
}

function createUnknownField(text: RecipeText, path: RecipePath, name: string): RecipeProblem {
  const nearest = findNearestName(name, listFields(path));
  const own = [...path, name];
  return { kind: 'unknownField', path: own, range: text.findName(own), ...(nearest !== undefined && { nearest }) };
}

function isMissing(text: RecipeText, path: RecipePath): boolean {
  let value: unknown = text.value;
  for (const part of path) value = (value as Readonly<Record<string | number, unknown>> | undefined)?.[part];
  return value === undefined;
}

/** Returns the names of the fields that the schema defines for the object at a path. */
function listFields(path: RecipePath): readonly string[] {
  let schema: $ZodType | undefined = recipeSchema;
  for (const part of path) schema = isObjectSchema(schema) ? unwrap(schema._zod.def.shape[part]) : undefined;
  return isObjectSchema(schema) ? Object.keys(schema._zod.def.shape) : [];
}

function isObjectSchema(schema: $ZodType | undefined): schema is $ZodObject {
  return schema instanceof $ZodObject;
}

function unwrap(schema: $ZodType | undefined): $ZodType | undefined {
  return schema instanceof $ZodOptional ? schema._zod.def.innerType : schema;
}
