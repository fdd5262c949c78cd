import assert from 'node:assert/strict';
import fc from 'fast-check';
import { getLastProgressAt, addSample, type ProgressSample } from '../../../src/core/model/transferModel.ts';
import { property } from '../../support/property.ts';
import { submittingTransfer } from './specimens.ts';

const point = fc.tuple(fc.nat(1_000_000), fc.nat(50)).map(([at, moved]) => ({ at, moved }));
const samples = fc.array(point, { maxLength: 400 });

function addSamples(points: readonly ProgressSample[]): readonly ProgressSample[] {
  return points.reduce<readonly ProgressSample[]>(addSample, []);
}

describe('Progress samples', () => {
  property('are at most 120', samples, (points) => {
    assert.ok(addSamples(points).length <= 120);
  });

  property('start with the first reported count, and end with the last', samples, (points) => {
    const series = addSamples(points);
    assert.deepEqual(series[0], points[0]);
    assert.equal(series.at(-1)?.moved, points.at(-1)?.moved);
  });

  property('never decrease in time', samples, (points) => {
    const times = addSamples(points).map(({ at }) => at);
    assert.deepEqual(
      times,
      times.toSorted((one, other) => one - other),
    );
  });

  property('include only reported counts', samples, (points) => {
    const counts = new Set(points.map(({ moved }) => moved));
    assert.ok(addSamples(points).every(({ moved }) => counts.has(moved)));
  });

  property("don't change while the count doesn't", samples, (points) => {
    const series = addSamples(points);
    const last = series.at(-1);
    if (last) assert.equal(addSample(series, { at: last.at + 1, moved: last.moved }), series);
  });

  it('are thinned evenly over a long time', () => {
    const steady = [...Array(5_000).keys()].map((index) => ({ at: index * 1000, moved: index }));
    const times = addSamples(steady).map(({ at }) => at);
    const gaps = times.slice(1).map((at, index) => at - (times[index] ?? 0));
    assert.ok(Math.max(...gaps) <= 4 * (5_000_000 / 120), `the widest gap is ${Math.max(...gaps)} ms`);
  });

  it('provide the last time when files moved or the state changed', () => {
    const transfer = { ...submittingTransfer, createdAt: 1, changes: [] };
    assert.equal(getLastProgressAt(transfer), 1);
    assert.equal(getLastProgressAt({ ...transfer, movement: [{ at: 5, moved: 0 }] }), 5);
    assert.equal(
      getLastProgressAt({ ...transfer, movement: [{ at: 5, moved: 0 }], changes: [{ state: 'active', at: 9 }] }),
      9,
    );
  });
});
