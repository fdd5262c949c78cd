import { hasMoreValuesThan, isDeeperThan, isJsonObject, type JsonObject } from '../util/json.ts';
import { parsePackagePath } from '../util/packagePath.ts';
import { findSecrets } from '../util/secrets.ts';
import { validate } from '../util/validate.ts';
import { maxRecipeFiles } from './recipeFile.ts';
import type { RecipeProblem } from './recipeProblem.ts';
import { findSchemaProblems } from './schemaProblems.ts';
import { recipeSchema, recipeVersion, type Recipe, type RecipeRange } from './recipeSchema.ts';
import { maxLevels, maxProblems, RecipeText, type RecipePath } from './recipeText.ts';

/** A recipe, or the problems that prevent its use. */
export interface ParsedRecipe {
  /** Absent if there are problems. */
  readonly recipe?: Recipe;
  readonly problems: readonly RecipeProblem[];
  /** The text with the positions of its values. */
  readonly text: RecipeText;
}

/** Maximum length of a recipe in UTF-16 code units, which is enough for the IDs of 100,000 files. */
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
  const sources = (['search', 'ids', 'table'] as const).filter((name) => from[name] !== undefined);
  const isOutside = from.table !== undefined && parsePackagePath(from.table.file)?.kind !== 'file';
  return [
    ...(sources.length === 1 ? [] : [createProblem(text, 'sourceCount', ['from', ...sources.slice(1, 2)])]),
    ...(isOutside ? [createProblem(text, 'outsideFolder', ['from', 'table', 'file'])] : []),
    ...(to?.database === from.database ? [createProblem(text, 'sameDatabase', ['to', 'database'])] : []),
    ...findReversed(text, expect?.files, ['expect', 'files']),
    ...findReversed(text, expect?.bytes, ['expect', 'bytes']),
    ...findReversed(text, from.filters?.bytes, ['from', 'filters', 'bytes']),
  ];
}

function findReversed(text: RecipeText, range: RecipeRange | undefined, path: RecipePath): readonly RecipeProblem[] {
  const { least = 0, most = Infinity } = range ?? {};
  return least > most ? [createProblem(text, 'wrongRange', path)] : [];
}

function createProblem(text: RecipeText, kind: RecipeProblem['kind'], path: RecipePath = []): RecipeProblem {
  return { kind, path, range: path.length === 0 ? text.findValue(path) : text.findName(path) };
}
