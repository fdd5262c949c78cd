import assert from 'node:assert/strict';
import { limitAmount, limitMarks, shortenPath, shortenText } from '../../../src/core/util/displayLimits.ts';
import { shortenMiddle, toShortLine } from '../../../src/core/util/visibleText.ts';

describe('Display limits', () => {
  it('keep at most six combining marks on a character', () => {
    assert.equal(limitMarks(`Z${'\u0301'.repeat(80)}algo`), `Z${'\u0301'.repeat(6)}algo`);
    assert.equal(limitMarks('e\u0323\u0302 ก็ शक्ति လျှော့'), 'e\u0323\u0302 ก็ शक्ति လျှော့', 'languages keep theirs');
  });

  it('cut a long text without splitting a character', () => {
    assert.equal(shortenText('abcdef', 4), 'abc…');
    assert.equal(shortenText(`ab🧬cd`, 4), 'ab…');
    assert.equal(shortenText('abcd', 4), 'abcd');
  });

  it('cut a long text in its middle without splitting a character', () => {
    assert.equal(shortenMiddle('abcdefgh', 8), 'abcdefgh');
    assert.equal(shortenMiddle('abcdefghi', 8), 'abc…fghi');
    assert.equal(shortenMiddle('ab🧬cd🧬efgh', 8), 'ab…efgh');
    assert.equal(shortenMiddle('abcdef🧬gh', 6), 'ab…gh');
  });

  it('turn text from elsewhere into one short line', () => {
    assert.equal(toShortLine(' a\u0000b\r\nc\u202ed\u200b ', 8), 'a b cd');
    assert.equal(toShortLine(`Z${'\u0301'.repeat(9)}`, 8), `Z${'\u0301'.repeat(6)}`);
    assert.equal(toShortLine('abcdefghi', 8), 'abcdefg…');
    assert.equal(toShortLine('\u200b'.repeat(1e6), 8), '');
  });

  it('cut a long path at its start, between two names', () => {
    assert.equal(shortenPath('/home/ann/data', 14), '/home/ann/data');
    assert.equal(shortenPath('/home/ann/data', 13), '…/ann/data');
    assert.equal(shortenPath('/home/ann/data', 9), '…/data');
    assert.equal(shortenPath('C:\\Users\\Ann\\data', 12), '…\\Ann\\data');
    assert.equal(shortenPath('/home/a-very-long-name', 5), '…/a-very-long-name');
  });

  it('clamp numbers to 22 digits and to zero', () => {
    const drawn = [-5, 7, 1e300, Infinity, Number.NaN].map(limitAmount);
    assert.deepEqual(drawn, [0, 7, 1e21, 1e21, 0]);
  });
});
