import assert from 'node:assert/strict';
import fc from 'fast-check';
import { readJsonObject } from '../../../src/core/util/jsonObject.ts';
import { property } from '../../support/property.ts';

describe('Parsing a JSON object', () => {
  it('accepts an object, also with a byte order mark', () => {
    for (const text of ['{"a": [1, {}]}', '\uFEFF{"a": [1, {}]}'])
      assert.deepEqual(readJsonObject(text), { kind: 'object', value: { a: [1, {}] } });
  });

  it('distinguishes other JSON', () => {
    for (const text of ['[1]', 'null', '"text"', '7']) assert.deepEqual(readJsonObject(text), { kind: 'other' }, text);
  });

  const broken = [
    ['', 1, 1],
    ['{"a": 1,}', 1, 9],
    ['{a: 1}', 1, 2],
    ['{"a" 1}', 1, 6],
    ['{"a": [1, 2}', 1, 12],
    ['{"a": [,]}', 1, 8],
    ['{"a": 1} x', 1, 10],
    ['{"a": 01}', 1, 7],
    ['{"a": "unended', 1, 7],
    ['{\n  "a": tru\n}', 2, 8],
    ['{\r\n  "a": 1\r\n  "b": 2\r\n}', 3, 3],
    ['{"a": 1', 1, 8],
    ['[1, 2]]', 1, 7],
  ] as const;
  for (const [text, line, column] of broken)
    it(`finds the error in line ${line}, column ${column}: ${JSON.stringify(text)}`, () => {
      assert.deepEqual(readJsonObject(text), { kind: 'broken', line, column });
    });

  it('finds an error after a string or whitespace of many megabytes', () => {
    const [text, gap] = ['a\\n'.repeat(5_000_000), '\n'.repeat(20_000_000)];
    assert.deepEqual(readJsonObject(`{"a":"${text}",}`), { kind: 'broken', line: 1, column: 15_000_009 });
    assert.deepEqual(readJsonObject(`{"a":${gap}x}`), { kind: 'broken', line: 20_000_001, column: 1 });
  });

  const damaged = fc.tuple(fc.json(), fc.nat(), fc.constantFrom('', '@', ',', ']', '"'));
  property(
    'finds no error before the position at which text is truncated or inserted',
    damaged,
    ([json, at, character]) => {
      const text = json.slice(0, at % json.length) + character;
      const read = readJsonObject(text);
      if (read.kind !== 'broken') return;
      const before = text.slice(0, read.column - 1);
      const again = readJsonObject(before);
      if (again.kind === 'broken') assert.equal(again.column, before.length + 1);
    },
  );
});
