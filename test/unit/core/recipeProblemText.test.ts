import assert from 'node:assert/strict';
import { describeRecipeProblem } from '../../../src/cli/recipes/recipeHost.ts';
import type { RecipeProblem } from '../../../src/core/recipes/recipeText.ts';

type Problem = Omit<RecipeProblem, 'path' | 'range'> & { readonly field?: string };

/** Problems with a recipe, and the editor's sentences about them in the form for a terminal. */
const rows: readonly (readonly [problem: Problem, text: string])[] = [
  [{ kind: 'syntax' }, 'invalid JSON'],
  [{ kind: 'tooLarge' }, 'this recipe is too large'],
  [{ kind: 'notObject' }, "a recipe must be a JSON object that isn't nested too deeply"],
  [{ kind: 'newerVersion' }, 'the recipe requires a later version of data-transfer'],
  [
    { kind: 'secret' },
    "a recipe can't contain a key, token, or password; remove it, and get a new one if the recipe was shared",
  ],
  [{ kind: 'unknownField', field: 'form', nearest: 'from' }, 'unknown field "form"; did you mean "from"?'],
  [{ kind: 'repeatedField', field: 'to' }, 'the "to" field is repeated'],
  [{ kind: 'missingField', field: 'from' }, 'the "from" field is missing'],
  [{ kind: 'wrongType', field: 'ids', expected: 'array' }, '"ids" must be of type array'],
  [{ kind: 'wrongValue', field: 'status', expected: 'staged, unstaged' }, '"status" must be one of: staged, unstaged'],
  [{ kind: 'empty', field: 'ids' }, '"ids" must not be empty'],
  [{ kind: 'tooLong', field: 'query', expected: '5' }, '"query" is too long; the maximum length is 5'],
  [{ kind: 'wrongNumber', field: 'least' }, '"least" must be an integer from 0 to 9007199254740991'],
  [{ kind: 'wrongRange' }, '"least" must not exceed "most"'],
  [{ kind: 'sourceCount' }, '"from" must contain exactly one of "search", "ids", "folder", or "table"'],
  [
    { kind: 'wrongFolderName', field: 'folder' },
    '"folder" must be a plain name of at most 80 letters, digits, spaces and . _ - + = @, not a reserved one',
  ],
  [{ kind: 'followUpCount' }, 'give either "sbatch" or "program"'],
  [{ kind: 'followUpPlace' }, 'name it in "then" of the recipe, not in its instructions'],
  [{ kind: 'outsideFolder' }, "the file must be in the recipe's folder or a subfolder"],
  [{ kind: 'sameDatabase' }, 'source and destination must be different databases'],
  [{ kind: 'unknownDatabase', expected: 'A. One, B' }, 'the service has no such database; it has: A. One, B'],
  [{ kind: 'unknownDatabase', nearest: 'A. One' }, 'the service has no such database; did you mean "A. One"?'],
  [{ kind: 'unknownDatabase' }, 'the service has no such database'],
  [{ kind: 'unknownId' }, 'no file with this ID was found in the database'],
  [{ kind: 'readOnlyDatabase' }, 'this database is read-only'],
  [{ kind: 'unknownParameter' }, 'the database has no such search parameter'],
];

describe('The problems with a recipe in a terminal', () => {
  for (const [{ field = 'any', ...problem }, text] of rows) {
    it(`are described as ${text}`, () => {
      const range = { start: 0, end: 1, line: 3 } as unknown as RecipeProblem['range'];
      const line = describeRecipeProblem('reads.transfer.json', { ...problem, path: [field], range });
      assert.equal(line, `reads.transfer.json:3: ${text}`);
    });
  }

  it('keep control characters and sentences of a name as they are', () => {
    const range = { line: 1 } as unknown as RecipeProblem['range'];
    const problem = { kind: 'unknownField', path: ['Ab. Cd\u001B“x”.'], range } as const;
    assert.equal(describeRecipeProblem('a', problem), 'a:1: unknown field "Ab. Cd “x”."');
  });
});
