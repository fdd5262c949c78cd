import type { SearchQuery } from '../model/searchModel.ts';
import { recipeVersion, type Recipe } from './recipeSchema.ts';

/** The content of a recipe to save. */
export type RecipeDraft = Omit<Recipe, '$schema' | 'version'>;

/** Converts a search to a recipe's source. A search by IDs becomes a list of IDs. */
export function toRecipeSource({ database, ids, query, status, specific }: SearchQuery): Recipe['from'] {
  if (ids) return { database, ids: [...ids] };
  const filters = { ...(status && { status }), ...(specific && { specific }) };
  return { database, search: { query, ...filters } };
}

/** Formats a recipe as JSON. The fields are in the same order as in the documentation. */
export function formatRecipe(draft: RecipeDraft): string {
  const { service, description, from, to, instructions, expect } = draft;
  const content = { version: recipeVersion, service, description, from, to, instructions, expect };
  return `${JSON.stringify(content, undefined, 2)}\n`;
}
