import * as z from 'zod/mini';
import type { SearchQuery } from '../model/searchModel.ts';
import { thenField } from '../util/followUp.ts';
import { fieldTexts } from '../util/sharedTexts.ts';

/** The version of the recipe format that this program reads and writes. A recipe without `version` has this version. */
export const recipeVersion = 1;

const countSchema = z.int().check(z.gte(0));

const rangeSchema = z.strictObject({
  least: z.optional(countSchema.check(z.describe('The smallest accepted number.'))),
  most: z.optional(countSchema.check(z.describe('The largest accepted number.'))),
});

const nameSchema = z.string().check(z.minLength(1));

/** A list of filters. Each file is compared with all of them, so their number and lengths are limited. */
const filterListSchema = z.array(nameSchema.check(z.maxLength(300))).check(z.minLength(1), z.maxLength(100));

const searchSchema = z.strictObject({
  query: z.string().check(z.describe(fieldTexts.query)),
  status: z.optional(
    z
      .enum(['staged', 'unstaged'])
      .check(z.describe('Finds only staged files, which are ready, or only unstaged ones.')),
  ),
  specific: z.optional(
    z.record(z.string(), z.unknown()).check(z.describe('Search parameters that only this database supports.')),
  ),
});

const tableSchema = z.strictObject({
  file: nameSchema.check(z.describe("Path of a CSV, TSV, XLSX, XLSM or ODS file, relative to the recipe's folder.")),
  column: z
    .union([nameSchema, z.array(nameSchema).check(z.minLength(1), z.maxLength(100))])
    .check(z.describe('Name of the column that identifies the files, or a list of such columns.')),
  key: z.optional(
    z
      .enum(['id', 'name', 'hash'])
      .check(
        z.describe(
          'The property of a file that the column contains. Default: recognized from the column, otherwise the ID.',
        ),
      ),
  ),
  sheet: z.optional(nameSchema.check(z.describe('Name of the sheet of a workbook. Default: the first one.'))),
  doubts: z.optional(
    z
      .literal('leaveOut')
      .check(
        z.describe(
          'Leaves out rows in doubt: rounded numbers, numbers shown with other text, formulas without values, missing ' +
            'values, several matches, cells beyond the header, quotes around other rows, hashes that were not ' +
            'compared. Default: nothing is sent.',
        ),
      ),
  ),
});

const filtersSchema = z.strictObject({
  formats: z.optional(filterListSchema.check(z.describe('Formats or file extensions: "fasta".'))),
  paths: z.optional(filterListSchema.check(z.describe('Path patterns: "reads/**/*.gz". At least one must match.'))),
  bytes: z.optional(rangeSchema.check(z.describe('Size of a single file in bytes. Leaves out files of unknown size.'))),
});

const fromSchema = z.strictObject({
  database: nameSchema.check(z.describe(fieldTexts.source)),
  search: z.optional(searchSchema.check(z.describe('Finds the files each time the recipe is run.'))),
  ids: z.optional(z.array(nameSchema).check(z.minLength(1), z.describe(fieldTexts.fileIds))),
  folder: z.optional(nameSchema.check(z.describe('Path of a folder, all of whose files are meant: "exp.zarr".'))),
  table: z.optional(tableSchema.check(z.describe('Finds the files for the rows of a table.'))),
  filters: z.optional(filtersSchema.check(z.describe('Leaves out files that do not match.'))),
});

const expectSchema = z.strictObject({
  files: z.optional(rangeSchema.check(z.describe('Number of files.'))),
  bytes: z.optional(rangeSchema.check(z.describe('Size of all files in bytes.'))),
  ids: z.optional(z.array(nameSchema).check(z.describe('IDs that must be among the files.'))),
});

const thenSchema = z.strictObject({
  sbatch: z.optional(nameSchema.check(z.describe("Path of a job script for Slurm, relative to the recipe's folder."))),
  program: z.optional(
    nameSchema.check(z.describe("Path of a program, started without arguments, relative to the recipe's folder.")),
  ),
});

/** The schema of a recipe: a transfer's files, destination and instructions, and the expectations for the files. */
export const recipeSchema = z.strictObject({
  $schema: z.optional(z.string()),
  version: z.optional(
    z.literal(recipeVersion).check(z.describe('Version of the format. Recipes of later versions are refused.')),
  ),
  service: z.optional(
    nameSchema.check(z.describe('Name or address of the connection, or "local" for the local service. Never a key.')),
  ),
  description: z.optional(z.string().check(z.describe('Description of the transfer, in Markdown.'))),
  from: fromSchema.check(z.describe('The files: a search, IDs, a folder or a table.')),
  to: z.optional(
    z
      .strictObject({
        database: nameSchema.check(z.describe('Name or ID of the database that receives the files.')),
        folder: z.optional(nameSchema.check(z.describe('Name of a new folder there, if the service can choose one.'))),
      })
      .check(z.describe('The destination. A recipe without it is a saved search.')),
  ),
  instructions: z.optional(
    z.record(z.string(), z.unknown()).check(z.describe('Tells the destination how to process the files.')),
  ),
  [thenField]: z.optional(
    thenSchema.check(z.describe('What the local service starts once after the transfer: a job or a program.')),
  ),
  expect: z.optional(expectSchema.check(z.describe('Nothing is sent unless the files meet these expectations.'))),
});

/** The content of a `*.transfer.json` file. */
export type Recipe = z.infer<typeof recipeSchema>;

/** An inclusive range of numbers. An absent bound means no limit. */
export type RecipeRange = z.infer<typeof rangeSchema>;

/** A recipe's filters, which exclude files that do not match. */
export type RecipeFilters = z.infer<typeof filtersSchema>;

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
  const { service, description, from, to, instructions, then, expect } = draft;
  const content = { version: recipeVersion, service, description, from, to, instructions, then, expect };
  return `${JSON.stringify(content, undefined, 2)}\n`;
}
