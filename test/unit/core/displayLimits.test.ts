import assert from 'node:assert/strict';
import {
  formatByteSize,
  limitAmount,
  limitMarks,
  shortenPath,
  shortenText,
} from '../../../src/core/util/displayLimits.ts';
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

  it('format sizes with one formatter for each unit, because creating one takes longer than a row', () => {
    const { NumberFormat } = Intl;
    let created = 0;
    class Counted extends NumberFormat {
      constructor(...given: ConstructorParameters<typeof NumberFormat>) {
        super(...given);
        created += 1;
      }
    }
    try {
      Object.assign(Intl, { NumberFormat: Counted });
      const sizes = [0, 1, 999, 1_500, 15_000, 999_000, 1_500_000].map((size) => formatByteSize(size, 'en-GB'));
      assert.deepEqual(sizes, ['0 bytes', '1 byte', '999 bytes', '1.5 kB', '15 kB', '999 kB', '1.5 MB']);
      assert.equal(formatByteSize(1_500, 'de'), '1,5 kB');
      const before = created;
      for (let size = 0; size < 1_000_000; size += 1_000) formatByteSize(size, 'en-GB');
      assert.equal(created, before);
    } finally {
      Object.assign(Intl, { NumberFormat });
    }
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
