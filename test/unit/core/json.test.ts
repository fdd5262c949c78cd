import assert from 'node:assert/strict';
import { hasInfinity, isDeeperThan, parseExactJson } from '../../../src/core/util/json.ts';

describe('The depth of JSON', () => {
  const depths: [json: string, depth: number][] = [
    ['5', 0],
    ['null', 0],
    ['"[[]]"', 0],
    ['[]', 1],
    ['{"a":1,"b":null}', 1],
    ['[1,{"a":[]},2]', 3],
    ['{"__proto__":{"a":{"b":1}}}', 3],
    [`{"a":1,"b":${'['.repeat(99)}${']'.repeat(99)}}`, 100],
  ];
  for (const [json, depth] of depths) {
    it(`is ${depth} for ${json.slice(0, 40)}`, () => {
      const value: unknown = JSON.parse(json);
      assert.equal(isDeeperThan(value, depth), false);
      if (depth > 0) assert.equal(isDeeperThan(value, depth - 1), true);
    });
  }

  it('is determined for a value that is nested too deep to walk', () => {
    let value: unknown = 5;
    for (let depth = 0; depth < 1_000_000; depth += 1) value = depth % 2 === 0 ? [value] : { a: value };
    assert.equal(isDeeperThan(value, 200), true);
  });
});

describe('A number out of range in JSON', () => {
  it('is found at any depth, and no other value is mistaken for one', () => {
    for (const json of ['1e999', '-1e999', '[1,{"a":[1e400]}]', `${'['.repeat(100_000)}1e999${']'.repeat(100_000)}`])
      assert.equal(hasInfinity(JSON.parse(json)), true, json.slice(0, 40));
    for (const json of ['1e308', '"1e999"', 'null', '[{"a":[0,-1.5,"x",true]}]'])
      assert.equal(hasInfinity(JSON.parse(json)), false, json);
  });
});

describe('An integer in JSON', () => {
  it('is text with its digits if a number would be rounded', () => {
    const exact = [9007199254740992, -9007199254740991, 0.12345678901234568, 1e16, '12345678901234567890'];
    assert.deepEqual(parseExactJson(JSON.stringify(exact)), exact);
    for (const digits of ['9007199254740993', '-12345678901234567890', `1${'0'.repeat(400)}`])
      assert.deepEqual(parseExactJson(`{"a": [${digits}, 1], "b":${digits}}`), { a: [digits, 1], b: digits });
  });
});
