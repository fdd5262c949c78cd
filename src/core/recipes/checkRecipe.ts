import type { Connection } from '../model/connection.ts';
import type { Database } from '../model/databaseModel.ts';
import { toLinkService } from '../model/link.ts';
import { findNearestName } from './nearestName.ts';
import type { RecipeProblem } from './recipeProblem.ts';
import type { Recipe } from './recipeSchema.ts';
import type { RecipePath, RecipeText } from './recipeText.ts';

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

/**
 * Returns a recipe with the names of its databases in place of IDs, because transfers use names. Leaves unknown
 * databases unchanged.
 */
export function withDatabaseNames(recipe: Recipe, databases: readonly Database[]): Recipe {
  const toName = (named: string): string => findDatabase(databases, named)?.name ?? named;
  const { from, to } = recipe;
  return {
    ...recipe,
    from: { ...from, database: toName(from.database) },
    ...(to && { to: { database: toName(to.database) } }),
  };
}

/**
 * Returns the conflicts between a recipe and its service: unknown or unsuitable databases, unknown IDs, and unknown
 * search parameters.
 */
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
