import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { Ajv2020 } from 'ajv/dist/2020.js';
import { createRecipeSchema } from '../../../scripts/manifest/recipeSchema.ts';
import type { RowDoubt } from '../../../src/core/tables/rowMatch.ts';
import { parseRecipe } from '../../../src/core/recipes/parseRecipe.ts';

const root = join(import.meta.dirname, '..', '..', '..');

describe('The JSON schema of recipes', () => {
  let schema: object;
  before(async () => {
    schema = JSON.parse(await readFile(join(root, 'schemas', 'recipe.schema.json'), 'utf8')) as object;
  });

  it('agrees with the schema that recipes are parsed with (otherwise run "npm run manifest")', () => {
    assert.deepEqual(schema, JSON.parse(JSON.stringify(createRecipeSchema())));
  });

  it('accepts the example of the documentation, and refuses a recipe without a source', async () => {
    const validate = new Ajv2020({ strict: false }).compile(schema);
    const [, example = ''] =
      /```jsonc\n([^]*?)```/.exec(await readFile(join(root, 'docs', 'recipes.md'), 'utf8')) ?? [];
    const { recipe, problems } = parseRecipe(example);
    assert.deepEqual(problems, []);
    assert.ok(validate(recipe), JSON.stringify(validate.errors));
    assert.ok(!validate({ to: { database: 'Archive' } }));
  });

  it('names each doubt about a row that can be left out, as the documentation does', async () => {
    const words: Readonly<Record<Exclude<RowDoubt['kind'], 'partial'>, RegExp>> = {
      rounded: /rounded/,
      formatted: /shown with other text/,
      noValue: /formulas? without/,
      empty: /missing values|no value/,
      several: /several matches/,
      longRow: /cells (?:beyond|than) the header/,
      joinedRow: /quotes around other rows/,
      noHash: /hash(?:es)? that (?:were not compared|files don't declare)/,
    };
    const [, described = ''] = /"description": ?"(Leaves out rows[^"]*)"/.exec(JSON.stringify(schema)) ?? [];
    const documented = await readFile(join(root, 'docs', 'recipes.md'), 'utf8');
    const [listed = ''] = /^.*rows in doubt, which a dry run lists.*$/m.exec(documented) ?? [];
    for (const [kind, word] of Object.entries(words))
      for (const text of [described, listed]) assert.match(text, word, kind);
  });

  it('is contributed for the file names of recipes', async () => {
    const manifest = JSON.parse(await readFile(join(root, 'package.json'), 'utf8')) as {
      readonly contributes: { readonly jsonValidation: readonly unknown[]; readonly languages: readonly unknown[] };
    };
    const { jsonValidation, languages } = manifest.contributes;
    assert.deepEqual(jsonValidation, [{ fileMatch: '*.transfer.json', url: './schemas/recipe.schema.json' }]);
    assert.deepEqual(languages, [{ id: 'jsonc', filenamePatterns: ['*.transfer.json'] }]);
  });
});
