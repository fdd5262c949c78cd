import assert from 'node:assert/strict';
import { parseBandwidth } from '../../../src/core/util/writtenValues.ts';

describe('The bandwidth limit of stores', () => {
  it('is read in the units of rclone', () => {
    assert.deepEqual(
      ['500B', '8K', '10M', '1.5M', ' 2G '].map(parseBandwidth),
      [500, 8_192, 10_485_760, 1_572_864, 2_147_483_648],
    );
  });

  it('is none if it is empty, has no unit, or is less than one byte', () => {
    for (const text of [
      '',
      ' ',
      '10',
      '10m',
      '10 M',
      '-1M',
      '0',
      '0M',
      '0.5B',
      '1e3M',
      '10M:20M',
      `${'9'.repeat(400)}G`,
    ])
      assert.equal(parseBandwidth(text), undefined, text);
  });
});
