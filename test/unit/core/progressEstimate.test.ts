import assert from 'node:assert/strict';
import fc from 'fast-check';
import type { Transfer } from '../../../src/core/model/transferModel.ts';
import { estimateRemaining, getPace } from '../../../src/core/transfers/estimates.ts';
import { property } from '../../support/property.ts';
import { createActive, createSucceeded } from './movingTransfers.ts';

const [second, minute] = [1000, 60_000];

describe('The estimate of a transfer', () => {
  it('uses the files that it has moved', () => {
    const steady = createActive([
      [1, 0],
      [2, 20],
      [3, 40],
    ]);
    assert.deepEqual(estimateRemaining(steady, [], 3 * minute), {
      kind: 'range',
      lowMs: 3 * minute,
      highMs: 3 * minute,
      basis: 'movement',
    });
  });

  it('ranges between the recent pace and the overall pace', () => {
    const slower = createActive([
      [1, 0],
      [2, 40],
      [6, 60],
    ]);
    const estimate = estimateRemaining(slower, [], 6 * minute);
    assert.ok(estimate?.kind === 'range');
    assert.equal(Math.round(estimate.lowMs / second), 200, 'as over the whole time');
    assert.equal(estimate.highMs, 8 * minute, 'as lately');
  });

  it("grows while nothing moves, and doesn't count staging as slow progress", () => {
    const transfer = createActive(
      [
        [0, 0],
        [31, 50],
      ],
      { changes: [{ state: 'active', at: 30 * minute }] },
    );
    assert.deepEqual(estimateRemaining(transfer, [], 33 * minute), {
      kind: 'range',
      lowMs: minute,
      highMs: 3 * minute,
      basis: 'movement',
    });
  });

  it('uses earlier transfers until files move, including staging', () => {
    const staging = createActive([[0, 0]], { state: 'staging' });
    const paces = [createSucceeded('one', 10), createSucceeded('two', 20)]
      .map(getPace)
      .filter((pace) => pace !== undefined);
    const estimate = estimateRemaining(staging, paces, 5 * minute);
    assert.ok(estimate?.kind === 'range');
    assert.deepEqual(
      [estimate.lowMs, estimate.highMs, estimate.basis, estimate.count],
      [5 * minute, 15 * minute, 'earlier', 2],
    );
  });

  it('ignores earlier transfers once it has taken longer than they would have', () => {
    assert.equal(estimateRemaining(createActive([[0, 0]]), [100 / (10 * minute)], 11 * minute), undefined);
  });

  it('reports how long nothing has moved, up to the last poll', () => {
    const stalled = createActive(
      [
        [1, 0],
        [2, 20],
      ],
      { askedAt: 42 * minute },
    );
    assert.deepEqual(estimateRemaining(stalled, [], 50 * minute), { kind: 'stalled', sinceMs: 40 * minute });
  });

  it("doesn't report a stall for a pause that isn't longer than earlier ones", () => {
    const slow = createActive(
      [
        [1, 0],
        [2, 20],
        [62, 40],
      ],
      { askedAt: 92 * minute },
    );
    assert.equal(estimateRemaining(slow, [], 92 * minute)?.kind, 'range');
  });

  it('reports a stall after ten minutes, or twice the longest earlier pause', () => {
    const moved = [
      [1, 0],
      [2, 20],
      [12, 40],
    ] as const;
    const getEstimateKind = (series: readonly (readonly [number, number])[], askedAt: number): string | undefined =>
      estimateRemaining(createActive(series, { askedAt: askedAt * minute }), [], askedAt * minute)?.kind;
    assert.deepEqual(
      [getEstimateKind(moved.slice(0, 2), 11.9), getEstimateKind(moved.slice(0, 2), 12)],
      ['range', 'stalled'],
    );
    assert.deepEqual([getEstimateKind(moved, 31.9), getEstimateKind(moved, 32)], ['range', 'stalled']);
  });

  it('uses earlier transfers instead of a stall if none has moved yet', () => {
    const waiting = createActive([[0, 0]], { state: 'staging', askedAt: 15 * minute });
    assert.equal(estimateRemaining(waiting, [], 15 * minute)?.kind, 'stalled');
    assert.equal(estimateRemaining(waiting, [100 / (20 * minute)], 15 * minute)?.kind, 'range');
  });

  it('uses the requested files, and the time since creation, if the server has reported nothing', () => {
    const unreported = createActive([], { createdAt: 5 * minute, changes: [] });
    Reflect.deleteProperty(unreported, 'status');
    assert.deepEqual(estimateRemaining(unreported, [100 / (20 * minute)], 10 * minute), {
      kind: 'range',
      lowMs: 15 * minute,
      highMs: 15 * minute,
      basis: 'earlier',
      count: 1,
    });
  });

  it("isn't made from less than five seconds of progress", () => {
    const movedFor = (seconds: number): Transfer =>
      createActive([
        [1, 0],
        [1 + seconds / 60, 10],
      ]);
    assert.equal(estimateRemaining(movedFor(4), [], minute + 4 * second), undefined);
    assert.equal(estimateRemaining(movedFor(6), [], minute + 6 * second)?.kind, 'range');
  });

  it('measures progress from the last time it became active before anything moved', () => {
    const changes = [
      { state: 'active', at: 10 * minute },
      { state: 'inactive', at: 20 * minute },
      { state: 'active', at: 30 * minute },
      { state: 'staging', at: 35 * minute },
      { state: 'active', at: 39 * minute + 1 },
    ] as const;
    const transfer = createActive(
      [
        [0, 0],
        [39, 50],
        [40, 50],
      ],
      { changes },
    );
    const estimate = estimateRemaining(transfer, [], 40 * minute);
    assert.ok(estimate?.kind === 'range');
    assert.equal(estimate.highMs, 10 * minute);
  });

  it("isn't made if its ends are more than a factor of twenty apart", () => {
    const paces = (minutes: number): readonly number[] => [100 / (10 * minute), 100 / (minutes * minute)];
    assert.equal(estimateRemaining(createActive([]), paces(200), 0)?.kind, 'range');
    assert.equal(estimateRemaining(createActive([]), paces(201), 0), undefined);
  });

  const silent: readonly (readonly [string, Partial<Transfer>])[] = [
    ['it has ended', { state: 'succeeded' }],
    ['the server does not respond', { problem: { kind: 'unreachable' } }],
    ['the status may belong to another transfer (D11)', { status: { doubtful: true } }],
    ['it is being cancelled', { cancelAcceptedAt: 1 }],
    ['it is suspended', { state: 'inactive' }],
    ['all files have moved', { status: { fileCount: 40, movedFileCount: 40 } }],
    ['no file was ever counted', { movement: [] }],
  ];
  for (const [what, more] of silent) {
    it(`isn't made if ${what}`, () => {
      const steady = createActive(
        [
          [1, 0],
          [2, 40],
        ],
        more,
      );
      assert.equal(estimateRemaining(steady, [], 2 * minute), undefined);
    });
  }

  const counts = fc.array(fc.tuple(fc.nat(200), fc.nat(120)), { maxLength: 130 });
  const paces = fc.array(fc.double({ min: 1e-9, max: 10, noNaN: true }), { maxLength: 10 });
  property(
    'is a valid range, a stall, or undefined, whatever the server counts',
    fc.tuple(counts, paces, fc.nat(100_000_000)),
    ([moved, earlier, now]) => {
      const sorted = moved.toSorted(([one], [other]) => one - other);
      const estimate = estimateRemaining(createActive(sorted), earlier, now);
      if (estimate?.kind === 'range')
        assert.ok(estimate.lowMs >= 0 && estimate.highMs >= estimate.lowMs && Number.isFinite(estimate.highMs));
      if (estimate?.kind === 'stalled') assert.ok(estimate.sinceMs >= 10 * minute);
    },
  );
});

describe('The pace of a successful transfer', () => {
  it('covers all its files from its submission to its end', () => {
    assert.equal(getPace(createSucceeded('k', 15, { createdAt: 5 * minute })), 100 / (10 * minute));
  });

  const withoutPace: readonly (readonly [string, Partial<Transfer>])[] = [
    ['did not succeed', { state: 'failed' }],
    ['moved only some of its files', { status: { fileCount: 100, movedFileCount: 99 } }],
    ['has no changes', { changes: [] }],
    ['ended when it was created', { createdAt: 10 * minute }],
    ['ended before its creation because the clock was set back', { createdAt: 20 * minute }],
    ['had no files', { status: { fileCount: 0 } }],
  ];
  for (const [what, more] of withoutPace)
    it(`is unknown for a transfer that ${what}`, () =>
      assert.equal(getPace(createSucceeded('k', 10, more)), undefined));
});
