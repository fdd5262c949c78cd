import * as z from 'zod/mini';
import { recipeSchema } from '../../src/core/recipes/recipeSchema.ts';

/**
 * Returns the JSON schema of recipes, with which the editor provides completion and hovers. The schema accepts unknown
 * fields, because the extension's own diagnostics report them and suggest the nearest known field.
 */
export function createRecipeSchema(): object {
  const schema = z.toJSONSchema(recipeSchema, { io: 'input', override: ({ jsonSchema }) => allowUnknown(jsonSchema) });
  return { title: 'Data transfer recipe', allowComments: true, allowTrailingCommas: true, ...schema };
}

/** Allows unknown fields in an object schema. Otherwise, both the editor and the extension would report them. */
function allowUnknown(schema: { additionalProperties?: unknown }): void {
  if (schema.additionalProperties === false) delete schema.additionalProperties;
}
