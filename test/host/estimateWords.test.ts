import assert from 'node:assert/strict';
import {
  describeEstimateBasis,
  describeEstimate,
  formatLastProgress,
  formatTimeLeft,
} from '../../src/extension/words/transferWords.ts';

const [second, minute, hour, day] = [1000, 60_000, 3_600_000, 86_400_000];

describe('The text of an estimate', () => {
  const ranges: readonly (readonly [lowMs: number, highMs: number, words: string])[] = [
    [0, 20 * second, 'less than a minute'],
    [4 * minute, 4 * minute + 10 * second, 'about 4 min'],
    [4 * minute, 7 * minute, '4–7 min'],
    [0, 7 * minute, 'up to 7 min'],
    [70 * minute, 89 * minute, '70–89 min'],
    [1.6 * hour, 3 * hour, '1.5–3 hr'],
    [11.4 * hour, 12.6 * hour, '11–13 hr'],
    [2 * day, 2 * day, 'about 2 days'],
  ];
  for (const [lowMs, highMs, words] of ranges) {
    it(`is "${words}"`, () => {
      assert.equal(formatTimeLeft({ kind: 'range', lowMs, highMs, basis: 'movement' }), words);
    });
  }

  it('states its basis if it is based on other transfers', () => {
    const range = { kind: 'range', lowMs: 4 * minute, highMs: 7 * minute } as const;
    assert.equal(describeEstimate({ ...range, basis: 'earlier', count: 3 }), '4–7 min, based on 3 earlier transfers');
    assert.equal(describeEstimate({ ...range, basis: 'earlier', count: 1 }), '4–7 min, based on 1 earlier transfer');
    assert.equal(describeEstimate({ ...range, basis: 'movement' }), '4–7 min');
    assert.equal(describeEstimateBasis({ ...range, basis: 'movement' }), 'based on files transferred so far');
    assert.equal(describeEstimateBasis({ ...range, basis: 'bytes' }), 'based on data transferred so far');
  });

  it('shows how long there has been no progress', () => {
    const stalled = { kind: 'stalled', sinceMs: 40 * minute } as const;
    assert.equal(describeEstimate(stalled), 'no progress for 40 min');
    assert.equal(describeEstimateBasis(stalled), undefined);
    assert.equal(formatLastProgress(stalled), '40 min ago');
  });
});
