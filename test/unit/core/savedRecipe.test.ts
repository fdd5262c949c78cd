import assert from 'node:assert/strict';
import { checkRecipe, parseRecipe, withDatabaseNames } from '../../../src/core/recipes/parseRecipe.ts';
import { isRecipePath } from '../../../src/core/recipes/recipeNames.ts';
import { formatRecipe, toRecipeSource } from '../../../src/core/recipes/recipeSchema.ts';

const databases = [
  { id: 'a', name: 'Alpha', organization: '', url: '' },
  { id: 'b', name: 'Beta', organization: '', url: '', readOnly: true },
];

describe('A saved recipe (D61)', () => {
  it('has the filters of its search, and is valid', () => {
    const query = { database: 'Alpha', query: 'x', pageSize: 10, status: 'staged', specific: { f: ['a'] } } as const;
    const text = formatRecipe({ service: 'local', from: toRecipeSource({ ...query, specific: { f: ['a'] } }) });
    assert.deepEqual(parseRecipe(text).recipe, {
      version: 1,
      service: 'local',
      from: { database: 'Alpha', search: { query: 'x', status: 'staged', specific: { f: ['a'] } } },
    });
  });

  it('has the ids of a search by ids', () => {
    const from = toRecipeSource({ database: 'Alpha', query: '', pageSize: 10, ids: ['1'] });
    assert.deepEqual(from, { database: 'Alpha', ids: ['1'] });
  });
});

describe('The name of a recipe (D61)', () => {
  it('ends in .transfer.json, unlike that of a lock', () => {
    const names = ['reads.transfer.json', 'a/reads.transfer.json', 'reads.transfer.lock.json', 'transfer.json'];
    assert.deepEqual(names.filter(isRecipePath), names.slice(0, 2));
  });
});

describe('A recipe beside its service (D61)', () => {
  const check = (text: string, parameters?: readonly string[]): readonly string[] => {
    const { recipe, text: places } = parseRecipe(text);
    assert.ok(recipe);
    return checkRecipe(places, recipe, { databases, parameters }).map(({ kind, range, nearest }) =>
      [kind, range.offset, nearest ?? ''].join(' ').trim(),
    );
  };

  it('reports unknown databases with the closest known name, and read-only ones', () => {
    const text = JSON.stringify({ from: { database: 'Alpa', ids: ['1'] }, to: { database: 'Beta' } });
    assert.deepEqual(check(text), ['unknownDatabase 20 Alpha', 'readOnlyDatabase 57']);
  });

  it('accepts the ids of databases, and replaces them by names', () => {
    const recipe = { from: { database: 'a', ids: ['1'] }, to: { database: 'other', folder: 'run-42' } };
    assert.deepEqual(withDatabaseNames(recipe, databases), { ...recipe, from: { ...recipe.from, database: 'Alpha' } });
    const same = JSON.stringify({ from: { database: 'a', ids: ['1'] }, to: { database: 'Alpha' } });
    assert.deepEqual(check(same), ['sameDatabase 54']);
  });

  it('marks the ids that are known to have no file', () => {
    const source = JSON.stringify({ from: { database: 'Alpha', ids: ['1', '9', '10'] } });
    const { recipe, text } = parseRecipe(source);
    assert.ok(recipe);
    const problems = checkRecipe(text, recipe, { databases, missingIds: new Set(['9']) });
    assert.deepEqual(
      problems.map(({ kind, range }) => [kind, source.slice(range.offset, range.offset + range.length)]),
      [['unknownId', '"9"']],
    );
  });

  it('marks many ids quickly enough to run after each keystroke', () => {
    const ids = Array.from({ length: 60_000 }, (_, index) => `id ${index}`);
    const { recipe, text } = parseRecipe(JSON.stringify({ from: { database: 'Alpha', ids } }, undefined, 1));
    assert.ok(recipe);
    const lines = checkRecipe(text, recipe, { databases, missingIds: new Set(ids) }).map(({ range }) => range.line);
    assert.deepEqual(
      lines,
      ids.map((_, index) => index + 5),
    );
  });

  it('suggests no name if none is similar', () => {
    const search = { query: '', specific: { format: 1, zzzzzzzz: 1 } };
    const text = JSON.stringify({ from: { database: 'Nothing like it', search } });
    const { recipe, text: places } = parseRecipe(text);
    assert.ok(recipe);
    const problems = checkRecipe(places, recipe, { databases, parameters: ['format'] });
    assert.deepEqual(
      problems.map(({ range, ...problem }) => ({ ...problem, line: range.line })),
      [
        { kind: 'unknownDatabase', path: ['from', 'database'], expected: 'Alpha, Beta', line: 1 },
        { kind: 'unknownParameter', path: ['from', 'search', 'specific', 'zzzzzzzz'], line: 1 },
      ],
    );
  });

  it('reports unknown search parameters if the service lists its parameters', () => {
    const search = { query: '', specific: { formt: 1 } };
    const text = JSON.stringify({ from: { database: 'Alpha', search } });
    assert.deepEqual(check(text, ['format']), ['unknownParameter 61 format']);
    assert.deepEqual(check(text, []), []);
    assert.deepEqual(check(text), []);
  });
});
