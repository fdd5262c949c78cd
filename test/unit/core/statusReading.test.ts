import assert from 'node:assert/strict';
import type { Reason } from '../../../src/core/model/reason.ts';
import type { Transfer, TransferStatus } from '../../../src/core/model/transfer.ts';
import {
  noAnswers,
  troubleOf,
  withoutTrouble,
  withReply,
  withTrouble,
  type Answers,
  type StatusReply,
} from '../../../src/core/monitor/statusReading.ts';
import { running } from './specimens.ts';

const notFound: StatusReply = { reason: { kind: 'notFound', status: 404 } };

/** What replies make of a transfer, one after the other, at 1, 2, 3…; after each of them. */
function readings(start: Transfer, replies: readonly StatusReply[]): readonly Transfer[] {
  let [transfer, answers]: [Transfer, Answers] = [start, noAnswers];
  return replies.map((reply, index) => {
    [transfer, answers] = withReply(transfer, answers, reply, index + 1);
    return transfer;
  });
}

function reading(start: Transfer, value: TransferStatus): Transfer {
  return withReply(start, noAnswers, { value }, 1)[0];
}

describe('Reading an answer', () => {
  it('believes the third "not found" in a row, not the first, and keeps what was known last (D11)', () => {
    const status = { status: 'active', movedFileCount: 2 };
    const read = readings({ ...running, status, askedAt: 0 }, [notFound, notFound, notFound]);
    assert.deepEqual(
      read.map(({ state }) => state),
      ['active', 'active', 'expired'],
    );
    assert.deepEqual([read[2]?.status, read[2]?.askedAt], [status, 0]);
  });

  it('forgets a "not found" when the transfer is there again (D11)', () => {
    const read = readings(running, [notFound, notFound, { value: { status: 'active' } }, notFound, notFound]);
    assert.equal(read.at(-1)?.state, 'active');
  });

  it('says after five unchanged answers that a cancel is not heeded (D13)', () => {
    const start: Transfer = { ...running, state: 'staging', cancelAcceptedAt: 1 };
    const told = ['staging', 'staging', 'staging', 'staging', 'staging', 'staging'];
    const canceled = { value: { status: 'failed', message: 'canceled' } };
    const read = readings(start, [...told.map((status) => ({ value: { status } })), canceled]);
    assert.deepEqual(
      read.map(({ state, cancelUnheeded }) => [state, cancelUnheeded ?? false]),
      [
        ['staging', false],
        ['staging', false],
        ['staging', false],
        ['staging', false],
        ['staging', true],
        ['staging', true],
        ['cancelled', false],
      ],
    );
  });

  it('says so still after a restart, and no longer when something moves (D13)', () => {
    const start: Transfer = { ...running, cancelAcceptedAt: 1, cancelUnheeded: true };
    const still = reading(start, { status: 'active' });
    assert.equal(still.cancelUnheeded, true);
    assert.equal(reading(still, { status: 'active', movedFileCount: 1 }).cancelUnheeded, undefined);
  });

  it('says nothing of a cancel that nobody asked for (D13)', () => {
    const read = readings(running, Array<StatusReply>(9).fill({ value: { status: 'active' } }));
    assert.equal(read.at(-1)?.cancelUnheeded, undefined);
  });

  it('is unreadable where there is neither a status nor a reason', () => {
    assert.equal(readings(running, [{}])[0]?.problem?.kind, 'unreadable');
    assert.equal(troubleOf({})?.kind, 'unreadable');
  });

  it('allows everything to be absent (D10)', () => {
    assert.equal(reading(running, {}).state, 'unknown');
  });

  it('shows a doubtful answer, but neither believes an end nor stores the counts in it (D11, D35)', () => {
    const trusted = { status: 'active', fileCount: 9, movedFileCount: 2 };
    const status = { status: 'succeeded', fileCount: 8, movedFileCount: 7, doubtful: true };
    const first = reading(running, status);
    assert.deepEqual([first.state, first.movement], ['active', undefined]);
    assert.deepEqual(first.status, { status: 'succeeded', doubtful: true });
    const later = reading({ ...running, status: trusted }, status);
    assert.deepEqual(later.status, { ...trusted, status: 'succeeded', doubtful: true });
    assert.equal(reading(running, { status: 'finalizing', doubtful: true }).state, 'finalizing');
  });

  it('believes a larger count that stays the same, so that a transfer that grew can end (D35)', () => {
    const order = { ...running.order, files: [{ id: 'f', name: 'f' }] };
    const own: Transfer = { ...running, order, status: { status: 'active', fileCount: 1, movedFileCount: 0 } };
    const grown = { status: 'succeeded', fileCount: 9, movedFileCount: 9, doubtful: true };
    const read = readings(
      own,
      [grown, grown, { ...grown, fileCount: 8 }, grown, grown, grown].map((value) => ({ value })),
    );
    assert.deepEqual(
      read.map(({ state }) => state),
      ['active', 'active', 'active', 'active', 'active', 'succeeded'],
    );
    assert.deepEqual(read.at(-1)?.status, { status: 'succeeded', fileCount: 9, movedFileCount: 9 });
    const another = { value: { ...grown, id: '00000000-0000-4000-8000-000000000001' } };
    assert.equal(readings(own, [another, another, another, another]).at(-1)?.state, 'active');
  });

  it('keeps how the count of files went, and only where it changed', () => {
    const read = readings(
      running,
      [0, 0, 2, 2, 1].map((movedFileCount) => ({ value: { status: 'active', movedFileCount } })),
    );
    assert.deepEqual(read.at(-1)?.movement, [
      { at: 1, moved: 0 },
      { at: 3, moved: 2 },
      { at: 5, moved: 1 },
    ]);
  });
});

describe('A failure instead of an answer (D33)', () => {
  const all: readonly Reason[] = [
    { kind: 'unreachable' },
    { kind: 'timeout' },
    { kind: 'dropped' },
    { kind: 'unauthorized', status: 401 },
    { kind: 'unauthorized', status: 401, signIn: 'outage' },
    { kind: 'forbidden', status: 403, signIn: 'account' },
    { kind: 'unreadable' },
    { kind: 'serverError', status: 503 },
    { kind: 'refused', status: 429 },
  ];
  const one: readonly Reason[] = [
    { kind: 'notFound', status: 404 },
    { kind: 'forbidden', status: 403 },
    { kind: 'unauthorized', status: 401, signIn: 'orcid' },
    { kind: 'refused', status: 422 },
    { kind: 'serverError', status: 500 },
    { kind: 'tooLarge' },
    { kind: 'badArgument' },
  ];
  for (const reason of all)
    it(`holds up everything: ${reason.kind} ${reason.status ?? ''} ${reason.signIn ?? ''}`, () => {
      assert.equal(troubleOf({ reason }), reason);
      const troubled = withTrouble(running, reason);
      assert.equal(troubled.problem, reason);
      assert.equal(withTrouble(troubled, { ...reason }), troubled, 'said once');
      assert.equal(withoutTrouble(troubled).problem, undefined);
    });
  for (const reason of one)
    it(`concerns the one transfer: ${reason.kind} ${reason.status ?? ''} ${reason.signIn ?? ''}`, () => {
      assert.equal(troubleOf({ reason }), undefined);
      assert.equal(withoutTrouble({ ...running, problem: reason }).problem, reason);
    });

  it('is said of the transfer until the next answer', () => {
    const reason: Reason = { kind: 'refused', status: 422 };
    const [failed, answered] = readings(running, [{ reason }, { value: { status: 'active' } }]);
    assert.deepEqual([failed?.problem, answered?.problem], [reason, undefined]);
  });
});
