import assert from 'node:assert/strict';
import { findNearestName } from '../../../src/core/recipes/nearestName.ts';

describe('The nearest name', () => {
  it('is the known name that is most similar to a misspelled one', () => {
    const known = ['ProGenomes', 'Protein Data Bank', 'GenBank'];
    assert.equal(findNearestName('genbnak', known), 'GenBank');
    assert.equal(findNearestName('ProGenoms', known), 'ProGenomes');
    assert.equal(findNearestName('abcd', ['abxy', 'abcx']), 'abcx');
  });

  it('is a similar one, even if a shorter one that is not similar has the same distance', () => {
    assert.equal(findNearestName('abcd', ['xy', 'abcdefgh']), 'abcdefgh');
  });

  it('is undefined if no known name is similar', () => {
    assert.equal(findNearestName('unrelated', ['GenBank']), undefined);
    assert.equal(findNearestName('unrelated', []), undefined);
    assert.equal(findNearestName('xxxabcd', ['abcd']), undefined);
  });

  it('is never one that is too long to compare', () => {
    const long = 'a'.repeat(200);
    assert.equal(findNearestName('x', [long]), undefined);
    assert.equal(findNearestName('x'.repeat(101), [long, 'a'.repeat(100)]), undefined);
    assert.equal(findNearestName('a'.repeat(101), ['a'.repeat(100)]), undefined);
    assert.equal(findNearestName('GenBnak', [long, 'GenBank']), 'GenBank');
  });

  it('is found for names of up to 100 characters', () => {
    const known = 'a'.repeat(100);
    assert.equal(findNearestName(`${'a'.repeat(98)}bb`, [known]), known);
  });
});
