import assert from 'node:assert/strict';
import fc from 'fast-check';
import { PathPattern } from '../../../src/core/recipes/resolveFiles.ts';
import { property } from '../../support/property.ts';

describe('A path pattern of a recipe (D61)', () => {
  for (const [pattern, matching, others] of [
    ['*.gz', ['a.gz', '.gz'], ['a/b.gz', 'a.gzip']],
    ['a/?.csv', ['a/b.csv'], ['a//.csv', 'a/.csv']],
    ['**/*.csv', ['a.csv', 'a/b.csv', 'a/b/c.csv'], ['a.csv/b']],
    ['reads/**', ['reads/a', 'reads/a/b'], ['reads']],
    ['a/**/b', ['a/b', 'a/x/b', 'a/x/y/b'], ['a/xb', 'ab']],
    ['*a**/b', ['aab', 'xa/y/b'], ['x/ab']],
    ['a+(b).[c]$', ['a+(b).[c]$'], ['aab.c']],
    ['??/*', ['ab/c', 'ab/'], ['a/bc', 'abc/d', 'ab', '']],
    ['*a*b*', ['ab', 'xaybz'], ['ba', 'a/b', '']],
    ['**', ['', 'a', 'a/b/c'], []],
    ['', [''], ['a']],
    ['*constructor', ['constructor', 'the.constructor'], ['a.gz']],
    ['__proto__', ['__proto__'], ['a', '']],
    ['a/?/hasOwnProperty', ['a/b/hasOwnProperty'], ['a/b/c']],
  ] as const) {
    it(`matches the expected paths: ${JSON.stringify(pattern)}`, () => {
      const found = [...matching, ...others].filter((path) => new PathPattern(pattern).matches(path));
      assert.deepEqual(found, matching);
    });
  }

  it('matches without exponential time for many wildcards', () => {
    assert.equal(new PathPattern(`${'*a'.repeat(60)}b`).matches('a'.repeat(5_000)), false);
    assert.equal(new PathPattern(`${'**/'.repeat(60)}b`).matches(`${'a/'.repeat(2_000)}c`), false);
  });

  const parts = fc.constantFrom('*', '?', '**', '**/', '/', 'a', 'b', 'ab', '.');
  const letters = fc.constantFrom('/', 'a', 'b', '.');
  property(
    'matches like the equivalent regular expression',
    fc.tuple(fc.array(parts, { maxLength: 12 }), fc.array(letters, { maxLength: 20 })),
    ([pattern, path]) => {
      const [text, name] = [pattern.join(''), path.join('')];
      assert.equal(new PathPattern(text).matches(name), toExpression(text).test(name), `${text} ${name}`);
    },
  );
});

const wildcards: Readonly<Record<string, string>> = { '*': '[^/]*', '?': '[^/]', '**': '.*', '**/': '(?:.*/)?' };

function toExpression(pattern: string): RegExp {
  const source = pattern.replace(/\*{2,}\/?|[*?.]/g, (part) => wildcards[part.replace(/\*{2,}/, '**')] ?? `\\${part}`);
  return new RegExp(`^${source}$`, 's');
}
