import assert from 'node:assert/strict';
import { findQueryMistakes } from '../../../src/core/util/searchSyntax.ts';

describe('Mistakes in a query of the local service (D21)', () => {
  const mistakes: [query: string, kind: string, position: number, condition: string][] = [
    ['bytes:>', 'badSize', 1, 'bytes:'],
    ['soil bytes:many', 'badSize', 6, 'bytes:'],
    ['-bytes:1XB', 'badSize', 2, 'bytes:'],
    ['"never closed', 'openQuote', 1, ''],
    ['soil path:"data/*.json', 'openQuote', 11, ''],
    ['a "b" "c', 'openQuote', 7, ''],
    ['format:', 'noValue', 1, 'format:'],
    ['a | path:""', 'noValue', 5, 'path:'],
    ['bytes:', 'noValue', 1, 'bytes:'],
    ['minBytes:1000', 'unknownCondition', 1, 'minBytes:'],
    ['soil min_bytes:1000', 'unknownCondition', 6, 'min_bytes:'],
    ['-sort:name', 'unknownCondition', 2, 'sort:'],
    ['fromat:csv', 'unknownCondition', 1, 'fromat:'],
    ['byte:>1', 'unknownCondition', 1, 'byte:'],
    ['😀 bytes:>', 'badSize', 3, 'bytes:'],
  ];
  for (const [query, kind, position, condition] of mistakes) {
    it(`finds ${kind} at ${position} in ${JSON.stringify(query)}`, () => {
      assert.deepEqual(findQueryMistakes(query), [{ kind, position, condition }]);
    });
  }

  const correct = [
    '',
    '*',
    '-',
    '|',
    'soil "a phrase" -word | format:csv path:data/*.json bytes:>=1.5MiB',
    'JDP:6101cc0f2b1f2eeea564c978',
    'nmdc:sty-11-aygzgv51',
    'https://example.org/data.csv',
    'colour:red',
    'border:collie',
    'math:algebra',
    ':',
    '12:30',
    '"minBytes:1000"',
    '"bytes:>"',
    'minBytes',
    'data/bytes:1',
  ];
  for (const query of correct) {
    it(`finds none in ${JSON.stringify(query)}`, () => assert.deepEqual(findQueryMistakes(query), []));
  }

  it('finds each of several', () => {
    const kinds = findQueryMistakes('maxBytes:5 bytes:> format: "x').map(({ kind }) => kind);
    assert.deepEqual(kinds, ['unknownCondition', 'badSize', 'noValue', 'openQuote']);
  });
});
