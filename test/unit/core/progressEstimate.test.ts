import assert from 'node:assert/strict';
import fc from 'fast-check';
import type { Transfer } from '../../../src/core/model/transfer.ts';
import { estimateOf, paceOf } from '../../../src/core/monitor/progressEstimate.ts';
import { property } from '../../support/property.ts';
import { moving, succeeded } from './movingTransfers.ts';

const [second, minute] = [1000, 60_000];

describe('The estimate of a transfer', () => {
  it('is drawn from the files that it moved', () => {
    const steady = moving([
      [1, 0],
      [2, 20],
      [3, 40],
    ]);
    assert.deepEqual(estimateOf(steady, [], 3 * minute), {
      kind: 'range',
      lowMs: 3 * minute,
      highMs: 3 * minute,
      basis: 'movement',
    });
  });

  it('is a range between the pace of late and the pace of all', () => {
    const slower = moving([
      [1, 0],
      [2, 40],
      [6, 60],
    ]);
    const estimate = estimateOf(slower, [], 6 * minute);
    assert.ok(estimate?.kind === 'range');
    assert.equal(Math.round(estimate.lowMs / second), 200, 'as over the whole time');
    assert.equal(estimate.highMs, 8 * minute, 'as lately');
  });

  it('grows while nothing comes, and does not count staging as slow moving', () => {
    const transfer = moving(
      [
        [0, 0],
        [31, 50],
      ],
      { changes: [{ state: 'active', at: 30 * minute }] },
    );
    assert.deepEqual(estimateOf(transfer, [], 33 * minute), {
      kind: 'range',
      lowMs: minute,
      highMs: 3 * minute,
      basis: 'movement',
    });
  });

  it('is drawn from earlier transfers until files move, staging and all', () => {
    const staging = moving([[0, 0]], { state: 'staging' });
    const paces = [succeeded('one', 10), succeeded('two', 20)].map(paceOf).filter((pace) => pace !== undefined);
    const estimate = estimateOf(staging, paces, 5 * minute);
    assert.ok(estimate?.kind === 'range');
    assert.deepEqual(
      [estimate.lowMs, estimate.highMs, estimate.basis, estimate.count],
      [5 * minute, 15 * minute, 'earlier', 2],
    );
  });

  it('says no more of earlier transfers once it has taken longer than they would have', () => {
    assert.equal(estimateOf(moving([[0, 0]]), [100 / (10 * minute)], 11 * minute), undefined);
  });

  it('says for how long nothing has moved, as far as the server was asked', () => {
    const stalled = moving(
      [
        [1, 0],
        [2, 20],
      ],
      { askedAt: 42 * minute },
    );
    assert.deepEqual(estimateOf(stalled, [], 50 * minute), { kind: 'stalled', sinceMs: 40 * minute });
  });

  it('does not call a pause a standstill that is no longer than those before', () => {
    const slow = moving(
      [
        [1, 0],
        [2, 20],
        [62, 40],
      ],
      { askedAt: 92 * minute },
    );
    assert.equal(estimateOf(slow, [], 92 * minute)?.kind, 'range');
  });

  it('calls it a standstill from ten minutes on, or twice the longest pause before', () => {
    const moved = [
      [1, 0],
      [2, 20],
      [12, 40],
    ] as const;
    const kindAt = (series: readonly (readonly [number, number])[], askedAt: number): string | undefined =>
      estimateOf(moving(series, { askedAt: askedAt * minute }), [], askedAt * minute)?.kind;
    assert.deepEqual([kindAt(moved.slice(0, 2), 11.9), kindAt(moved.slice(0, 2), 12)], ['range', 'stalled']);
    assert.deepEqual([kindAt(moved, 31.9), kindAt(moved, 32)], ['range', 'stalled']);
  });

  it('goes by earlier transfers, and not by the standstill, where none has moved yet', () => {
    const waiting = moving([[0, 0]], { state: 'staging', askedAt: 15 * minute });
    assert.equal(estimateOf(waiting, [], 15 * minute)?.kind, 'stalled');
    assert.equal(estimateOf(waiting, [100 / (20 * minute)], 15 * minute)?.kind, 'range');
  });

  it('goes by what was asked for, since it was created, where the server has told nothing', () => {
    const untold = moving([], { createdAt: 5 * minute, changes: [] });
    Reflect.deleteProperty(untold, 'status');
    assert.deepEqual(estimateOf(untold, [100 / (20 * minute)], 10 * minute), {
      kind: 'range',
      lowMs: 15 * minute,
      highMs: 15 * minute,
      basis: 'earlier',
      count: 1,
    });
  });

  it('is not made of less than five seconds of moving', () => {
    const movedFor = (seconds: number): Transfer =>
      moving([
        [1, 0],
        [1 + seconds / 60, 10],
      ]);
    assert.equal(estimateOf(movedFor(4), [], minute + 4 * second), undefined);
    assert.equal(estimateOf(movedFor(6), [], minute + 6 * second)?.kind, 'range');
  });

  it('counts the moving from the last time that it became active before anything moved', () => {
    const changes = [
      { state: 'active', at: 10 * minute },
      { state: 'inactive', at: 20 * minute },
      { state: 'active', at: 30 * minute },
      { state: 'staging', at: 35 * minute },
      { state: 'active', at: 39 * minute + 1 },
    ] as const;
    const transfer = moving(
      [
        [0, 0],
        [39, 50],
        [40, 50],
      ],
      { changes },
    );
    const estimate = estimateOf(transfer, [], 40 * minute);
    assert.ok(estimate?.kind === 'range');
    assert.equal(estimate.highMs, 10 * minute);
  });

  it('is not made where its ends lie more than twenty times apart', () => {
    const paces = (minutes: number): readonly number[] => [100 / (10 * minute), 100 / (minutes * minute)];
    assert.equal(estimateOf(moving([]), paces(200), 0)?.kind, 'range');
    assert.equal(estimateOf(moving([]), paces(201), 0), undefined);
  });

  const silent: readonly (readonly [string, Partial<Transfer>])[] = [
    ['it has ended', { state: 'succeeded' }],
    ['the server cannot be asked', { problem: { kind: 'unreachable' } }],
    ['the answer may be another transfer’s (D11)', { status: { doubtful: true } }],
    ['it is being cancelled', { cancelAcceptedAt: 1 }],
    ['it is suspended', { state: 'inactive' }],
    ['all files have moved', { status: { fileCount: 40, movedFileCount: 40 } }],
    ['no file was ever counted', { movement: [] }],
  ];
  for (const [what, more] of silent) {
    it(`is not made when ${what}`, () => {
      const steady = moving(
        [
          [1, 0],
          [2, 40],
        ],
        more,
      );
      assert.equal(estimateOf(steady, [], 2 * minute), undefined);
    });
  }

  const counts = fc.array(fc.tuple(fc.nat(200), fc.nat(120)), { maxLength: 130 });
  const paces = fc.array(fc.double({ min: 1e-9, max: 10, noNaN: true }), { maxLength: 10 });
  property(
    'is a range that makes sense, a standstill, or nothing, whatever the server counts',
    fc.tuple(counts, paces, fc.nat(100_000_000)),
    ([moved, earlier, now]) => {
      const sorted = moved.toSorted(([one], [other]) => one - other);
      const estimate = estimateOf(moving(sorted), earlier, now);
      if (estimate?.kind === 'range')
        assert.ok(estimate.lowMs >= 0 && estimate.highMs >= estimate.lowMs && Number.isFinite(estimate.highMs));
      if (estimate?.kind === 'stalled') assert.ok(estimate.sinceMs >= 10 * minute);
    },
  );
});

describe('The pace of a transfer that succeeded', () => {
  it('is that of all its files from its submission to its end', () => {
    assert.equal(paceOf(succeeded('k', 15, { createdAt: 5 * minute })), 100 / (10 * minute));
  });

  const untold: readonly (readonly [string, Partial<Transfer>])[] = [
    ['did not succeed', { state: 'failed' }],
    ['moved only some of its files', { status: { fileCount: 100, movedFileCount: 99 } }],
    ['tells of no change', { changes: [] }],
    ['ended as it was created', { createdAt: 10 * minute }],
    ['ended before, by a clock that was set back', { createdAt: 20 * minute }],
    ['had no files', { status: { fileCount: 0 } }],
  ];
  for (const [what, more] of untold)
    it(`is not known of one that ${what}`, () => assert.equal(paceOf(succeeded('k', 10, more)), undefined));
});
