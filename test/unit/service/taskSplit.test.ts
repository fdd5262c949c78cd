import assert from 'node:assert/strict';
import type { TaskJob } from '../../../src/service/cluster/taskFiles.ts';
import { splitTask } from '../../../src/service/cluster/taskSplit.ts';

const gigabyte = 1024 ** 3;

function describeJob(sizes: readonly number[]): TaskJob {
  const files = sizes.map((bytes, position) => ({ position, path: `${position}`, bytes }));
  return { kind: 'stage', job: { folder: '/data', files } };
}

function split(sizes: readonly number[], limits = { parallel: 4, max: 1_001 }): readonly (readonly number[])[] {
  return splitTask(describeJob(sizes), limits).map(({ job }) => job.files.map(({ position }) => position));
}

describe('A job that is divided among the tasks of a cluster', () => {
  it('has a task for each that can run, and at least one file in each', () => {
    assert.deepEqual(split([1, 1, 1, 1, 1, 1, 1, 1]), [
      [0, 1],
      [2, 3],
      [4, 5],
      [6, 7],
    ]);
    assert.deepEqual(split([1, 1]), [[0], [1]]);
    assert.deepEqual(split([]), []);
  });

  it('has tasks with about the same number of bytes', () => {
    assert.deepEqual(split([gigabyte, gigabyte, gigabyte / 2, gigabyte / 2, gigabyte]), [[0], [1], [2, 3], [4]]);
  });

  it('keeps every file once, in order, also beside a very large one', () => {
    const sizes = [5, 900 * gigabyte, 0, 7, 40 * gigabyte, ...Array.from({ length: 500 }, () => 3 * gigabyte)];
    const parts = split(sizes);
    assert.deepEqual(parts.flat(), [...sizes.keys()]);
    assert.ok(parts.every((part) => part.length > 0));
    assert.ok(parts.length > 50);
  });

  it('has larger tasks rather than more than an array may have', () => {
    const parts = split(
      Array.from({ length: 2_000 }, () => 64 * gigabyte),
      { parallel: 4, max: 100 },
    );
    assert.deepEqual([parts.length, parts[0]?.length, parts.flat().length], [100, 20, 2_000]);
  });
});
