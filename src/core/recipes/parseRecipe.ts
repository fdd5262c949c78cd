import {
  $ZodObject,
  $ZodOptional,
  type $ZodIssue,
  type $ZodIssueInvalidUnion,
  type $ZodIssueTooBig,
  type $ZodIssueTooSmall,
  type $ZodType,
} from 'zod/v4/core';
import type { Connection } from '../model/connection.ts';
import type { Database } from '../model/databaseModel.ts';
import { toLinkService } from '../model/link.ts';
import { parsePackagePath } from '../util/fileId.ts';
import { folderField, isFolderName } from '../util/folderName.ts';
import { readFollowUp, thenField } from '../util/followUp.ts';
import { hasMoreValuesThan, isDeeperThan, isJsonObject, type JsonObject } from '../util/json.ts';
import { findSecrets } from '../util/secrets.ts';
import { validate } from '../util/jsonObject.ts';
import { findNearestName } from './nearestName.ts';
import { maxRecipeFiles } from './recipeFile.ts';
import { maxLevels, maxProblems, RecipeText, type RecipePath, type RecipeProblem } from './recipeText.ts';
import { recipeSchema, recipeVersion, type Recipe, type RecipeRange } from './recipeSchema.ts';

/** A recipe, or the problems that prevent its use. */
export interface ParsedRecipe {
  /** Absent if there are problems. */
  readonly recipe?: Recipe;
  readonly problems: readonly RecipeProblem[];
  /** The text with the positions of its values. */
  readonly text: RecipeText;
}

/** Maximum length of a recipe in UTF-16 code units, enough for the IDs of 100,000 files. */
const maxLength = 16 * 1024 * 1024;

/** Maximum number of values in a recipe: the IDs of its files, as many expected IDs, and instructions. */
const maxValues = 3 * maxRecipeFiles;

/** Maximum size of a recipe's file in bytes. UTF-8 needs at most three bytes per UTF-16 code unit. */
export const maxRecipeBytes = 3 * maxLength;

/** Parses a recipe: JSON with comments. Never throws. */
export function parseRecipe(content: string): ParsedRecipe {
  const isTooLarge = content.length > maxLength;
  const text = new RecipeText(isTooLarge ? '' : content);
  if (isTooLarge) return { text, problems: [{ kind: 'tooLarge', path: [], range: text.findValue([]) }] };
  const { error, value } = text;
  if (error) return { text, problems: [{ kind: 'syntax', path: [], range: error }] };
  if (!isJsonObject(value) || isDeeperThan(value, maxLevels))
    return { text, problems: [createProblem(text, 'notObject')] };
  if (hasMoreValuesThan(value, maxValues)) return { text, problems: [createProblem(text, 'tooLarge')] };
  return parseObject(text, value);
}

function parseObject(text: RecipeText, value: JsonObject): ParsedRecipe {
  const secrets = findSecrets(value)
    .slice(0, maxProblems)
    .map((path) => createProblem(text, 'secret', path));
  const { version } = value;
  const isNewer = typeof version === 'number' && version > recipeVersion;
  if (isNewer) return { text, problems: [...secrets, createProblem(text, 'newerVersion', ['version'])] };
  const repeated = text.findRepeatedNames().map((one): RecipeProblem => ({ kind: 'repeatedField', ...one }));
  const parsed = validate(recipeSchema, value);
  if (!parsed) return { text, problems: [...secrets, ...repeated, createProblem(text, 'tooLarge')] };
  const found = parsed.success ? findContradictions(text, parsed.data) : findSchemaProblems(text, parsed.error.issues);
  // Reports a secret in an unknown field only as a secret, and not also as an unknown field.
  const secretPlaces = new Set(secrets.map(({ path }) => path.join('/')));
  const problems = [...secrets, ...repeated, ...found.filter(({ path }) => !secretPlaces.has(path.join('/')))];
  return { text, problems, ...(parsed.success && problems.length === 0 && { recipe: parsed.data }) };
}

/** Finds problems that the schema can't detect. */
function findContradictions(text: RecipeText, recipe: Recipe): readonly RecipeProblem[] {
  const { from, to, expect } = recipe;
  const sources = (['search', 'ids', 'folder', 'table'] as const).filter((name) => from[name] !== undefined);
  const isOutside = from.table !== undefined && parsePackagePath(from.table.file)?.kind !== 'file';
  return [
    ...(sources.length === 1 ? [] : [createProblem(text, 'sourceCount', ['from', ...sources.slice(1, 2)])]),
    ...(isOutside ? [createProblem(text, 'outsideFolder', ['from', 'table', 'file'])] : []),
    ...findFollowUpProblems(text, recipe),
    ...(to?.database === from.database ? [createProblem(text, 'sameDatabase', ['to', 'database'])] : []),
    ...findFolderProblems(text, recipe),
    ...findReversed(text, expect?.files, ['expect', 'files']),
    ...findReversed(text, expect?.bytes, ['expect', 'bytes']),
    ...findReversed(text, from.filters?.bytes, ['from', 'filters', 'bytes']),
  ];
}

function findFolderProblems(text: RecipeText, { to, instructions }: Recipe): readonly RecipeProblem[] {
  if (to?.folder === undefined) return [];
  return [
    ...(isFolderName(to.folder) ? [] : [createProblem(text, 'wrongFolderName', ['to', 'folder'])]),
    ...(instructions?.[folderField] === undefined ? [] : [createProblem(text, 'repeatedField', ['to', 'folder'])]),
  ];
}

function findFollowUpProblems(text: RecipeText, { then, instructions }: Recipe): readonly RecipeProblem[] {
  // Instructions could name a file outside of the recipe's folder.
  if (readFollowUp(instructions?.[thenField]))
    return [createProblem(text, 'followUpPlace', ['instructions', thenField])];
  if (then === undefined) return [];
  const followUp = readFollowUp(then);
  if (followUp === undefined) return [createProblem(text, 'followUpCount', [thenField])];
  const isOutside = parsePackagePath(followUp.path)?.kind !== 'file';
  return isOutside ? [createProblem(text, 'outsideFolder', [thenField, followUp.kind])] : [];
}

function findReversed(text: RecipeText, range: RecipeRange | undefined, path: RecipePath): readonly RecipeProblem[] {
  const { least = 0, most = Infinity } = range ?? {};
  return least > most ? [createProblem(text, 'wrongRange', path)] : [];
}

function createProblem(text: RecipeText, kind: RecipeProblem['kind'], path: RecipePath = []): RecipeProblem {
  return { kind, path, range: path.length === 0 ? text.findValue(path) : text.findName(path) };
}

/** The facts about a service that a recipe is checked against. */
export interface ServiceFacts {
  readonly databases: readonly Database[];
  /** The search parameters of the source; absent if unknown. */
  readonly parameters?: readonly string[] | undefined;
  /** IDs for which the source has no file; absent if unknown. */
  readonly missingIds?: ReadonlySet<string>;
}

/** Returns the database that a recipe refers to by name or ID; undefined if there is none. */
export function findDatabase(databases: readonly Database[], named: string): Database | undefined {
  return databases.find(({ name }) => name === named) ?? databases.find(({ id }) => id === named);
}

/** Returns a recipe with database names, which transfers use, in place of IDs. Leaves unknown ones unchanged. */
export function withDatabaseNames(recipe: Recipe, databases: readonly Database[]): Recipe {
  const toName = (named: string): string => findDatabase(databases, named)?.name ?? named;
  const { from, to } = recipe;
  return {
    ...recipe,
    from: { ...from, database: toName(from.database) },
    ...(to && { to: { ...to, database: toName(to.database) } }),
  };
}

/** Returns the conflicts between a recipe and its service: databases, IDs and search parameters. */
export function checkRecipe(text: RecipeText, recipe: Recipe, facts: ServiceFacts): readonly RecipeProblem[] {
  const { from, to } = recipe;
  const place: RecipePath = ['to', 'database'];
  const range = text.findValue(place);
  const destination = to && findDatabase(facts.databases, to.database);
  const isSame = destination !== undefined && destination === findDatabase(facts.databases, from.database);
  return [
    ...checkDatabase(text, facts, from.database, ['from', 'database']),
    ...(to ? checkDatabase(text, facts, to.database, place) : []),
    ...(destination?.readOnly ? [{ kind: 'readOnlyDatabase', path: place, range } as const] : []),
    ...(isSame ? [{ kind: 'sameDatabase', path: place, range } as const] : []),
    ...checkIds(text, facts, from.ids ?? []),
    ...checkParameters(text, facts.parameters, Object.keys(from.search?.specific ?? {})),
  ];
}

function checkDatabase(
  text: RecipeText,
  { databases }: ServiceFacts,
  named: string,
  path: RecipePath,
): readonly RecipeProblem[] {
  if (findDatabase(databases, named)) return [];
  const names = databases.map(({ name }) => name);
  const nearest = findNearestName(named, names);
  const hint = nearest === undefined ? { expected: names.join(', ') } : { nearest };
  return [{ kind: 'unknownDatabase', path, range: text.findValue(path), ...hint }];
}

function checkIds(text: RecipeText, { missingIds }: ServiceFacts, ids: readonly string[]): readonly RecipeProblem[] {
  return ids.flatMap((id, index): readonly RecipeProblem[] => {
    const path = ['from', 'ids', index];
    return missingIds?.has(id) ? [{ kind: 'unknownId', path, range: text.findValue(path) }] : [];
  });
}

function checkParameters(
  text: RecipeText,
  known: readonly string[] | undefined,
  names: readonly string[],
): readonly RecipeProblem[] {
  // A service that doesn't list its parameters is assumed to accept any.
  if (!known || known.length === 0) return [];
  return names
    .filter((name) => !known.includes(name))
    .map((name) => {
      const path = ['from', 'search', 'specific', name];
      const nearest = findNearestName(name, known);
      return { kind: 'unknownParameter', path, range: text.findName(path), ...(nearest !== undefined && { nearest }) };
    });
}

/**
 * Returns the connection that a recipe refers to by name or address; undefined if there is none. An address is never
 * compared with names, because a service can choose the name of its connection.
 */
export function findRecipeConnection(connections: readonly Connection[], service: string): Connection | undefined {
  if (!/^https?:\/\//i.test(service)) return connections.find(({ name }) => name === service);
  const address = toLinkService({ server: service });
  if (address === undefined) return undefined;
  return connections.find((connection) => toLinkService(connection) === address);
}

/** Turns validation issues into at most {@link maxProblems} problems with positions in the text. */
function findSchemaProblems(text: RecipeText, issues: readonly $ZodIssue[]): readonly RecipeProblem[] {
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
  if (issue.code === 'invalid_union') return toUnionProblems(text, issue);
  const range = text.findValue(path);
  if (issue.code === 'invalid_value') return [{ kind: 'wrongValue', path, range, expected: issue.values.join(', ') }];
  if (issue.code === 'too_small' || issue.code === 'too_big') return [{ ...describeSize(issue), path, range }];
  // JSON has objects, but no records.
  const expected = issue.code === 'invalid_type' ? issue.expected.replace('record', 'object') : '';
  return [{ kind: expected === 'int' ? 'wrongNumber' : 'wrongType', path, range, expected }];
}

/** Returns the problems of the first alternative that accepts values of this type. */
function toUnionProblems(text: RecipeText, { errors, path }: $ZodIssueInvalidUnion): readonly RecipeProblem[] {
  const issues = errors.find(([first]) => first?.code !== 'invalid_type') ?? errors[0] ?? [];
  return issues.flatMap((issue) => toProblems(text, { ...issue, path: [...path, ...issue.path] }));
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
