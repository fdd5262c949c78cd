import assert from 'node:assert/strict';
import { findValueLines } from '../../../src/core/util/jsonLines.ts';
import { runSteps } from '../../../src/core/util/steps.ts';

const find = (text: string, ...paths: (string | number)[][]): readonly number[] =>
  runSteps(findValueLines(text, paths));

describe('Finding the lines of JSON values', () => {
  const text = '{\n"a": [1, -2.5e+3,\n{"b": "x\\\\", "c\\"]": null}],\n"d": {"e": [[], {}, true]},\n"": "\\"{"}';

  it('finds values of all types, after names and texts with quotation marks and brackets', () => {
    for (const [line, path] of [
      [1, []],
      [2, ['a']],
      [2, ['a', 1]],
      [3, ['a', 2]],
      [3, ['a', 2, 'b']],
      [3, ['a', 2, 'c"]']],
      [4, ['d', 'e', 0]],
      [4, ['d', 'e', 1]],
      [4, ['d', 'e', 2]],
      [5, ['']],
    ] as const)
      assert.deepEqual(find(text, [...path]), [line], path.join('/'));
  });

  it('finds several values in order, and returns none for missing ones', () => {
    assert.deepEqual(find(text, ['d'], ['a', 0], ['a', 3], ['e']), [2, 4]);
    assert.deepEqual(find(text), []);
  });

  it('supports any nesting depth', () => {
    assert.deepEqual(find(`{"x": ${'['.repeat(200_000)}${']'.repeat(200_000)},\n"y": 1}`, ['y']), [2]);
  });
});
