import assert from 'node:assert/strict';
import { compilePattern } from '../../../src/service/catalog/textMatching.ts';

describe('A path pattern (D21)', () => {
  const table: [pattern: string, path: string, expected: boolean][] = [
    ['data/*.json', 'data/a.json', true],
    ['data/*.json', 'data/deep/a.json', false],
    ['data/**.json', 'data/deep/a.json', true],
    ['data/**/a.json', 'data/a.json', true],
    ['data/**/a.json', 'data/x/y/a.json', true],
    ['data/**/a.json', 'data/ba.json', false],
    ['**/a.json', 'a.json', true],
    ['**/a.json', 'ba.json', false],
    ['data/**', 'data/x/y', true],
    ['*.json', 'data/deep/a.json', true],
    ['*.json', 'data/a.csv', false],
    ['a?c.txt', 'abc.txt', true],
    ['a?c.txt', 'a/c.txt', false],
    ['data', 'data/deep/a.json', true],
    ['data/', 'data/a.json', true],
    ['data', 'database/a.json', false],
    ['a.json', 'data/a.json', true],
    ['/data/a.json', 'data/a.json', true],
    ['./data/a.json', 'data/a.json', true],
    ['DATA/*.JSON', 'data/a.json', true],
    ['[ab].txt', '[ab].txt', true],
    ['[ab].txt', 'a.txt', false],
    ['data/*/', 'data/x/y.txt', true],
    ['ΟΔΟΣ*', 'ΟΔΟΣΗΜΑ.txt', true],
    ['οδος*', 'ΟΔΟΣΗΜΑ.txt', true],
    ['300\u212A.txt', '300\u212A.txt', true],
    ['😀?.txt', '😀😀.txt', true],
    ['r\u00E9sum\u00E9*', 're\u0301sume\u0301.txt', true],
    ['re\u0301sume\u0301*', 'r\u00E9sum\u00E9.txt', true],
    ['R\u00C9SUM\u00C9.txt', 'notes/re\u0301sume\u0301.txt', true],
    ['?cole.md', 'e\u0301cole.md', true],
    ['ecole.md', 'e\u0301cole.md', false],
  ];
  for (const [pattern, path, expected] of table) {
    it(`${pattern} ${expected ? 'matches' : 'does not match'} ${path}`, () => {
      assert.equal(compilePattern(pattern)(path), expected);
    });
  }

  it('matches a hostile pattern without exponential time', () => {
    const test = compilePattern(`${'*a'.repeat(200)}b/x`);
    assert.equal(test('a'.repeat(400)), false);
  });
});
