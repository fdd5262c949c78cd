import assert from 'node:assert/strict';
import { basisText, estimateText, timeLeftText } from '../../src/host/words.ts';

const [second, minute, hour, day] = [1000, 60_000, 3_600_000, 86_400_000];

describe('The words for an estimate', () => {
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
    it(`say ${words}`, () => {
      assert.equal(timeLeftText({ kind: 'range', lowMs, highMs, basis: 'movement' }), words);
    });
  }

  it('say what it is drawn from where those are other transfers', () => {
    const range = { kind: 'range', lowMs: 4 * minute, highMs: 7 * minute } as const;
    assert.equal(estimateText({ ...range, basis: 'earlier', count: 3 }), '4–7 min, from 3 earlier transfers');
    assert.equal(estimateText({ ...range, basis: 'earlier', count: 1 }), '4–7 min, from 1 earlier transfer');
    assert.equal(estimateText({ ...range, basis: 'movement' }), '4–7 min');
    assert.equal(basisText({ ...range, basis: 'movement' }), 'from the files moved so far');
  });

  it('say for how long nothing has moved', () => {
    const stalled = { kind: 'stalled', sinceMs: 40 * minute } as const;
    assert.equal(estimateText(stalled), 'no movement for 40 min');
    assert.equal(basisText(stalled), undefined);
  });
});
