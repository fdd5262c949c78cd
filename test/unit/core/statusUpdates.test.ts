import assert from 'node:assert/strict';
import type { Reason } from '../../../src/core/model/reason.ts';
import type { Transfer, TransferStatus } from '../../../src/core/model/transferModel.ts';
import {
  emptyHistory,
  getServerFailure,
  clearServerFailure,
  applyReply,
  setServerFailure,
  type ReplyHistory,
  type StatusReply,
} from '../../../src/core/transfers/statusUpdates.ts';
import { running } from './specimens.ts';

const notFound: StatusReply = { reason: { kind: 'notFound', status: 404 } };

/** Applies replies one by one at the times 1, 2, 3…, and returns the transfer after each one. */
function applyAll(start: Transfer, replies: readonly StatusReply[]): readonly Transfer[] {
  let [transfer, history]: [Transfer, ReplyHistory] = [start, emptyHistory];
  return replies.map((reply, index) => {
    [transfer, history] = applyReply(transfer, history, reply, index + 1);
    return transfer;
  });
}

function reading(start: Transfer, value: TransferStatus): Transfer {
  return applyReply(start, emptyHistory, { value }, 1)[0];
}

describe('Applying a status reply', () => {
  it('accepts the third "not found" in a row, not the first, and keeps the last known status (D11)', () => {
    const status = { status: 'active', movedFileCount: 2 };
    const read = applyAll({ ...running, status, askedAt: 0 }, [notFound, notFound, notFound]);
    assert.deepEqual(
      read.map(({ state }) => state),
      ['active', 'active', 'expired'],
    );
    assert.deepEqual([read[2]?.status, read[2]?.askedAt], [status, 0]);
  });

  it("keeps the server's words for states that it does not know, also after the end (D10)", () => {
    const words = ['queued', 'verifying', 'verifying', 'packing', 'succeeded'];
    const read = applyAll(
      running,
      words.map((status) => ({ value: { status } })),
    );
    assert.deepEqual(read.at(-1)?.changes.slice(running.changes.length), [
      { state: 'running', at: 1, word: 'queued' },
      { state: 'running', at: 2, word: 'verifying' },
      { state: 'running', at: 4, word: 'packing' },
      { state: 'succeeded', at: 5 },
    ]);
  });

  it('keeps a limited number of words, of limited length, as a server may count in them', () => {
    const replies = Array.from({ length: 100 }, (_, index) => ({ value: { status: `${index} ${'x'.repeat(500)}` } }));
    const changes = applyAll(running, replies).at(-1)?.changes ?? [];
    assert.ok(changes.length <= 20, String(changes.length));
    assert.equal(changes.at(-1)?.word?.length, 40);
  });

  it('forgets a "not found" when the transfer is found again (D11)', () => {
    const read = applyAll(running, [notFound, notFound, { value: { status: 'active' } }, notFound, notFound]);
    assert.equal(read.at(-1)?.state, 'active');
  });

  it('reports after five unchanged replies that a cancel is ignored (D13)', () => {
    const start: Transfer = { ...running, state: 'staging', cancelAcceptedAt: 1 };
    const states = ['staging', 'staging', 'staging', 'staging', 'staging', 'staging'];
    const canceled = { value: { status: 'failed', message: 'canceled' } };
    const read = applyAll(start, [...states.map((status) => ({ value: { status } })), canceled]);
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

  it('keeps reporting it after a restart, until something moves (D13)', () => {
    const start: Transfer = { ...running, cancelAcceptedAt: 1, cancelUnheeded: true };
    const still = reading(start, { status: 'active' });
    assert.equal(still.cancelUnheeded, true);
    assert.equal(reading(still, { status: 'active', movedFileCount: 1 }).cancelUnheeded, undefined);
  });

  it('reports nothing about a cancel that nobody requested (D13)', () => {
    const read = applyAll(running, Array<StatusReply>(9).fill({ value: { status: 'active' } }));
    assert.equal(read.at(-1)?.cancelUnheeded, undefined);
  });

  it('reports "unreadable" if there is neither a status nor a reason', () => {
    assert.equal(applyAll(running, [{}])[0]?.problem?.kind, 'unreadable');
    assert.equal(getServerFailure()?.kind, 'unreadable');
  });

  it('accepts a status without any field (D10)', () => {
    assert.equal(reading(running, {}).state, 'unknown');
  });

  it('marks the last status as doubtful, and accepts nothing of a doubtful one (D11, D35)', () => {
    const trusted = { status: 'active', fileCount: 9, movedFileCount: 2 };
    const status = { status: 'succeeded', fileCount: 8, movedFileCount: 7, doubtful: true };
    const first = reading(running, status);
    assert.deepEqual([first.state, first.movement], ['active', undefined]);
    assert.deepEqual(first.status, { doubtful: true });
    const later = reading({ ...running, status: trusted }, status);
    assert.deepEqual(later.status, { ...trusted, doubtful: true });
    assert.equal(reading(running, { status: 'finalizing', doubtful: true }).state, running.state);
  });

  it('keeps the ID of a transfer whose own status had no counts, whatever is reported of others (D35)', () => {
    const order = { ...running.order, files: [{ id: 'f', name: 'f' }] };
    const foreign = [7, 8, 9, 7].map((fileCount) => ({ value: { status: 'failed', fileCount, doubtful: true } }));
    for (const own of [{ status: 'active' }, {}]) {
      const accepted: Transfer = { ...running, state: 'accepted', order };
      const read = applyAll(accepted, [{ value: own }, ...foreign]);
      assert.deepEqual([read.at(-1)?.id, read.at(-1)?.state], ['id', own.status ?? 'unknown']);
    }
  });

  it('drops the ID of an accepted transfer only if its statuses keep describing the same other files (D35)', () => {
    const order = { ...running.order, files: [{ id: 'f', name: 'f' }] };
    const accepted: Transfer = { ...running, state: 'accepted', order };
    const report = (...fileCounts: readonly number[]): readonly (string | undefined)[] =>
      applyAll(
        accepted,
        fileCounts.map((fileCount) => ({ value: { status: 'failed', fileCount, doubtful: true } })),
      ).map(({ id, state }) => id ?? state);
    assert.deepEqual(
      report(7, 8, 9, 7, 8, 7),
      ['id', 'id', 'id', 'id', 'id', 'id'],
      'others, of which each is different',
    );
    assert.deepEqual(report(7, 8, 8, 8), ['id', 'id', 'id', 'notConfirmed']);
  });

  it('accepts a larger count that stays the same, so that a transfer that grew can end (D35)', () => {
    const order = { ...running.order, files: [{ id: 'f', name: 'f' }] };
    const own: Transfer = { ...running, order, status: { status: 'active', fileCount: 1, movedFileCount: 0 } };
    const grown = { status: 'succeeded', fileCount: 9, movedFileCount: 9, doubtful: true };
    const read = applyAll(
      own,
      [grown, grown, { ...grown, fileCount: 8 }, grown, grown, grown].map((value) => ({ value })),
    );
    assert.deepEqual(
      read.map(({ state }) => state),
      ['active', 'active', 'active', 'active', 'active', 'succeeded'],
    );
    assert.deepEqual(read.at(-1)?.status, { status: 'succeeded', fileCount: 9, movedFileCount: 9 });
    const another = { value: { ...grown, id: '00000000-0000-4000-8000-000000000001' } };
    assert.equal(applyAll(own, [another, another, another, another]).at(-1)?.state, 'active');
  });

  it('stores how the count of files changed, and only if it did', () => {
    const read = applyAll(
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

describe('A failure instead of a status (D33)', () => {
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
    { kind: 'entryRejected', status: 500 },
    { kind: 'tooLarge' },
    { kind: 'badArgument' },
  ];
  for (const reason of all)
    it(`delays the whole queue: ${reason.kind} ${reason.status ?? ''} ${reason.signIn ?? ''}`, () => {
      assert.equal(getServerFailure(reason), reason);
      const failing = setServerFailure(running, reason);
      assert.equal(failing.problem, reason);
      assert.equal(setServerFailure(failing, { ...reason }), failing, 'shown once');
      assert.equal(clearServerFailure(failing).problem, undefined);
    });
  for (const reason of one)
    it(`affects one transfer: ${reason.kind} ${reason.status ?? ''} ${reason.signIn ?? ''}`, () => {
      assert.equal(getServerFailure(reason), undefined);
      assert.equal(clearServerFailure({ ...running, problem: reason }).problem, reason);
    });

  it('is shown on the transfer until the next reply', () => {
    const reason: Reason = { kind: 'refused', status: 422 };
    const [failed, answered] = applyAll(running, [{ reason }, { value: { status: 'active' } }]);
    assert.deepEqual([failed?.problem, answered?.problem], [reason, undefined]);
  });
});
