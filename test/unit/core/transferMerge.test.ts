import assert from 'node:assert/strict';
import fc from 'fast-check';
import { mergeTransfers, isSameExceptPolledAt } from '../../../src/core/transfers/transferLedger.ts';
import { hasEnded, withState, type Transfer, type TransferState } from '../../../src/core/model/transferModel.ts';
import { property } from '../../support/property.ts';
import { submittingTransfer, order } from './specimens.ts';

const accepted: Transfer = { ...withState(submittingTransfer, 'accepted', 1), id: 'the-id' };
const polled = (state: TransferState, at: number): Transfer => ({
  ...withState(accepted, state, at),
  status: { status: state },
  askedAt: at,
});

const states: readonly TransferState[] = [
  ...(['notConfirmed', 'refused', 'accepted', 'staging', 'active', 'finalizing', 'inactive', 'unknown'] as const),
  ...(['running', 'succeeded', 'failed', 'cancelled', 'expired'] as const),
];

/** Generates transfers in states that a window may know, without state changes after the end. */
const histories: fc.Arbitrary<Transfer> = fc
  .record({
    steps: fc.array(fc.tuple(fc.constantFrom(...states), fc.integer({ min: 1, max: 9 }), fc.boolean()), {
      maxLength: 6,
    }),
    hasId: fc.boolean(),
    cancelAcceptedAt: fc.option(fc.integer({ min: 1, max: 40 }), { nil: undefined }),
    problem: fc.boolean(),
  })
  .map(({ steps, hasId, cancelAcceptedAt, problem }) => {
    let at = 0;
    let transfer = submittingTransfer;
    for (const [state, passed, isPolled] of steps) {
      if (hasEnded(transfer.state)) break;
      at += passed;
      transfer = withState(transfer, state, at);
      if (isPolled) transfer = { ...transfer, askedAt: at, status: { status: state, movedFileCount: at } };
    }
    return {
      ...transfer,
      ...(hasId && { id: 'the-id' }),
      ...(cancelAcceptedAt !== undefined && { cancelAcceptedAt }),
      ...(problem && { problem: { kind: 'timeout' as const } }),
    };
  });

const pairs = fc.tuple(histories, histories);
const place = (transfer: Transfer): string =>
  JSON.stringify([transfer.state, transfer.askedAt, transfer.changes.at(-1)?.at, transfer.problem]);

describe('Merging what two windows know of a transfer', () => {
  property('is independent of the order, unless the times are equal', pairs, ([one, other]) => {
    fc.pre(one.askedAt !== other.askedAt || one.changes.at(-1)?.at !== other.changes.at(-1)?.at);
    assert.deepEqual(mergeTransfers(one, other), mergeTransfers(other, one));
  });

  property("doesn't change a complete record", histories, (one) => {
    assert.deepEqual(mergeTransfers(one, one), one);
  });

  property('includes the knowledge of both, and is stable when repeated', pairs, ([one, other]) => {
    const both = mergeTransfers(one, other);
    assert.deepEqual(mergeTransfers(one, both), both);
    assert.deepEqual(mergeTransfers(other, both), both);
    assert.equal(place(mergeTransfers(both, both)), place(both));
  });

  property('has ended if one side saw the end, and has an id if one side has it', pairs, ([one, other]) => {
    const both = mergeTransfers(one, other);
    assert.equal(hasEnded(both.state), hasEnded(one.state) || hasEnded(other.state));
    assert.equal(both.id, one.id ?? other.id);
    assert.equal(both.cancelAcceptedAt !== undefined, (one.cancelAcceptedAt ?? other.cancelAcceptedAt) !== undefined);
  });

  property('uses the later of two statuses, and all changes in the order of time', pairs, ([one, other]) => {
    fc.pre(!hasEnded(one.state) && !hasEnded(other.state));
    const both = mergeTransfers(one, other);
    const latest = Math.max(one.askedAt ?? -1, other.askedAt ?? -1);
    assert.equal(both.askedAt ?? -1, latest);
    assert.deepEqual(both.status?.movedFileCount ?? -1, latest);
    const times = both.changes.map(({ at }) => at);
    assert.deepEqual(
      times,
      times.toSorted((a, b) => a - b),
    );
    for (const change of [...one.changes, ...other.changes]) {
      assert.ok(both.changes.some(({ state, at }) => state === change.state && at === change.at));
    }
    assert.equal(both.changes.at(-1)?.state, both.state);
  });

  it('prefers an end that the server reported to one that was concluded', () => {
    const succeeded = polled('succeeded', 9);
    assert.equal(mergeTransfers(withState(accepted, 'expired', 5), succeeded).state, 'succeeded');
    assert.equal(mergeTransfers(succeeded, withState(accepted, 'expired', 20)).state, 'succeeded');
  });

  it('keeps the last known status of an expired transfer (D11)', () => {
    const both = mergeTransfers({ ...withState(polled('staging', 2), 'expired', 5) }, polled('active', 4));
    assert.deepEqual([both.state, both.status?.status, both.askedAt], ['expired', 'active', 4]);
  });

  it('clears a problem after a later reply, and uses the later record if neither has a reply', () => {
    const failed: Transfer = { ...polled('active', 2), problem: { kind: 'timeout' } };
    assert.equal(mergeTransfers(failed, polled('active', 3)).problem, undefined);
    assert.equal(mergeTransfers(failed, polled('active', 2)).problem, undefined);
    assert.deepEqual(mergeTransfers(polled('active', 2), failed).problem, { kind: 'timeout' });
  });

  it('doesn\'t return to "not confirmed" if another window knows the response (D12)', () => {
    const unconfirmed = withState(submittingTransfer, 'notConfirmed', 8);
    for (const both of [mergeTransfers(unconfirmed, accepted), mergeTransfers(accepted, unconfirmed)]) {
      assert.deepEqual([both.state, both.id, both.changes.at(-1)?.state], ['accepted', 'the-id', 'accepted']);
    }
  });

  it('preserves fields that only a later version knows', () => {
    const more = { ...polled('active', 3), later: { of: 'a kind' } };
    assert.deepEqual((mergeTransfers(more, polled('active', 4)) as unknown as typeof more).later, { of: 'a kind' });
  });

  it('distinguishes a reply that changes only its time from others', () => {
    assert.equal(isSameExceptPolledAt(polled('active', 3), { ...polled('active', 3), askedAt: 8 }), true);
    assert.equal(
      isSameExceptPolledAt(polled('active', 3), { ...polled('active', 3), status: { movedFileCount: 1 } }),
      false,
    );
  });

  const mergeBothWays = (one: Transfer, other: Transfer): readonly Transfer[] => [
    mergeTransfers(one, other),
    mergeTransfers(other, one),
  ];

  it('uses the first of two ends, but prefers a reported or known end to a refusal', () => {
    const ends: readonly (readonly [Transfer, Transfer])[] = [
      [polled('failed', 3), polled('succeeded', 5)],
      [withState(accepted, 'expired', 9), withState(submittingTransfer, 'refused', 5)],
      [polled('cancelled', 9), withState(submittingTransfer, 'refused', 5)],
    ];
    for (const [preferred, other] of ends)
      for (const both of mergeBothWays(preferred, other)) assert.equal(both.state, preferred.state);
  });

  it('prefers a reply to a submission that a window considers pending, whatever their clocks say', () => {
    const late: Transfer = { ...submittingTransfer, changes: [{ state: 'submitting', at: 5 }] };
    for (const both of mergeBothWays(late, accepted)) assert.equal(both.state, 'accepted');
  });

  it('uses the first time when a cancel was accepted', () => {
    const cancelledAt = (at: number): Transfer => ({ ...accepted, cancelAcceptedAt: at });
    for (const both of mergeBothWays(cancelledAt(5), cancelledAt(3))) assert.equal(both.cancelAcceptedAt, 3);
    assert.equal('cancelAcceptedAt' in mergeTransfers(submittingTransfer, accepted), false);
  });

  it('records when the final state was reported, if another came between', () => {
    const back: Transfer = { ...polled('staging', 2), askedAt: 9 };
    for (const both of mergeBothWays(back, polled('active', 5)))
      assert.deepEqual(both.changes.at(-1), { state: 'staging', at: 9 });
  });

  it('ignores the order of fields, and the order of the transfer', () => {
    const reversed = Object.fromEntries(Object.entries(accepted).reverse()) as unknown as Transfer;
    assert.equal(isSameExceptPolledAt(accepted, reversed), true);
    assert.equal(
      isSameExceptPolledAt(accepted, { ...accepted, order: { ...order, files: [{ id: 'f', name: 'f' }] } }),
      true,
    );
    assert.equal(isSameExceptPolledAt(accepted, { ...accepted, cancelAcceptedAt: 1 }), false);
  });
});
