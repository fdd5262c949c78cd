import assert from 'node:assert/strict';
import { parseSearch, countTerms, type SearchTerm } from '../../../src/service/catalog/searchLanguage.ts';

const text = (words: string, more: Partial<SearchTerm> = {}): object => ({
  kind: 'text',
  words,
  isPrefix: true,
  isNot: false,
  ...more,
});

describe('The search language (D21)', () => {
  const table: [query: string, alternatives: unknown][] = [
    ['', [[]]],
    ['   ', [[]]],
    ['*', [[{ kind: 'everything', isNot: false }]]],
    ['soil Sample', [[text('soil'), text('sample')]]],
    ['soil_sample-01', [[text('soil sample 01')]]],
    ['"soil sample"', [[{ ...text('soil sample'), isPrefix: false }]]],
    ['"never closed', [[{ ...text('never closed'), isPrefix: false }]]],
    ['-soil', [[{ ...text('soil'), isNot: true }]]],
    ['-"soil sample"', [[{ ...text('soil sample'), isPrefix: false, isNot: true }]]],
    ['format:.CSV', [[{ kind: 'format', format: 'csv', isNot: false }]]],
    ['-format:csv', [[{ kind: 'format', format: 'csv', isNot: true }]]],
    ['path:data/*.json', [[{ kind: 'path', pattern: 'data/*.json', isNot: false }]]],
    ['path:"my data/*.json"', [[{ kind: 'path', pattern: 'my data/*.json', isNot: false }]]],
    ['bytes:>1000000', [[{ kind: 'bytes', operator: '>', sizeBytes: 1_000_000, isNot: false }]]],
    ['bytes:<=1.5MB', [[{ kind: 'bytes', operator: '<=', sizeBytes: 1_500_000, isNot: false }]]],
    ['bytes:2kiB', [[{ kind: 'bytes', operator: '=', sizeBytes: 2_048, isNot: false }]]],
    ['a | b', [[text('a')], [text('b')]]],
    ['a|b', [[text('a')], [text('b')]]],
    ['a | | b |', [[text('a')], [text('b')]]],
    ['"a|b"', [[{ ...text('a b'), isPrefix: false }]]],
    ['Ünïcode', [[text('unicode')]]],
    ['bytes:many', [[text('bytes many')]]],
    ['colour:red', [[text('colour red')]]],
    ['soil/sample', [[text('soil sample', { splitAtSlash: { folder: 'soil', name: 'sample' } })]]],
    ['bytes:many/x', [[text('bytes many x', { splitAtSlash: { folder: 'bytes many', name: 'x' } })]]],
    ['format:', [[text('format')]]],
    ['soil - ### sand', [[text('soil'), text('sand')]]],
    ['###', []],
    ['数据', [[text('数 据')]]],
  ];
  for (const [query, alternatives] of table) {
    it(`parses ${JSON.stringify(query)}`, () => {
      assert.deepEqual(parseSearch(query).alternatives, alternatives);
    });
  }

  it('never throws for any input', () => {
    const hostile = [
      '"',
      '""',
      '-',
      '--',
      '|',
      '(((',
      'NEAR(a b)',
      'a AND OR NOT',
      "'; DROP TABLE files; --",
      '\0',
      '\ud800',
    ];
    for (const query of [...hostile, hostile.join(' '), 'path:', 'bytes:>', '-format:', '*'.repeat(5_000)]) {
      assert.doesNotThrow(() => parseSearch(query), query);
    }
  });

  it('counts the conditions of all alternatives', () => {
    assert.equal(countTerms(parseSearch('a b | c -d')), 4);
  });
});
