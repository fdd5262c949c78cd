import assert from 'node:assert/strict';
import fc from 'fast-check';
import { movedAt, withPoint, type MovementPoint } from '../../../src/core/model/movement.ts';
import { property } from '../../support/property.ts';
import { begun } from './specimens.ts';

const point = fc.tuple(fc.nat(1_000_000), fc.nat(50)).map(([at, moved]) => ({ at, moved }));
const told = fc.array(point, { maxLength: 400 });

function seriesOf(points: readonly MovementPoint[]): readonly MovementPoint[] {
  return points.reduce<readonly MovementPoint[]>(withPoint, []);
}

describe('The movement of a transfer', () => {
  property('never holds more than 120 points', told, (points) => {
    assert.ok(seriesOf(points).length <= 120);
  });

  property('begins with the first count that was told, and ends with the last', told, (points) => {
    const series = seriesOf(points);
    assert.deepEqual(series[0], points[0]);
    assert.equal(series.at(-1)?.moved, points.at(-1)?.moved);
  });

  property('never runs backwards in time', told, (points) => {
    const times = seriesOf(points).map(({ at }) => at);
    assert.deepEqual(
      times,
      times.toSorted((one, other) => one - other),
    );
  });

  property('holds nothing that was not told', told, (points) => {
    const counts = new Set(points.map(({ moved }) => moved));
    assert.ok(seriesOf(points).every(({ moved }) => counts.has(moved)));
  });

  property('stays as it is when the count does', told, (points) => {
    const series = seriesOf(points);
    const last = series.at(-1);
    if (last) assert.equal(withPoint(series, { at: last.at + 1, moved: last.moved }), series);
  });

  it('is thinned evenly over a long time', () => {
    const steady = [...Array(5_000).keys()].map((index) => ({ at: index * 1000, moved: index }));
    const times = seriesOf(steady).map(({ at }) => at);
    const gaps = times.slice(1).map((at, index) => at - (times[index] ?? 0));
    assert.ok(Math.max(...gaps) <= 4 * (5_000_000 / 120), `the widest gap is ${Math.max(...gaps)} ms`);
  });

  it('tells when something happened last: files moved, or the state changed', () => {
    const transfer = { ...begun, createdAt: 1, changes: [] };
    assert.equal(movedAt(transfer), 1);
    assert.equal(movedAt({ ...transfer, movement: [{ at: 5, moved: 0 }] }), 5);
    assert.equal(movedAt({ ...transfer, movement: [{ at: 5, moved: 0 }], changes: [{ state: 'active', at: 9 }] }), 9);
  });
});
