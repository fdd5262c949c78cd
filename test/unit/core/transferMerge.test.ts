import assert from 'node:assert/strict';
import fc from 'fast-check';
import { mergeTransfers, sameButAsked } from '../../../src/core/ledger/transferMerge.ts';
import { hasEnded, inState, type Transfer, type TransferState } from '../../../src/core/model/transfer.ts';
import { property } from '../../support/property.ts';
import { begun, order } from './specimens.ts';

const accepted: Transfer = { ...inState(begun, 'accepted', 1), id: 'the-id' };
const asked = (state: TransferState, at: number): Transfer => ({
  ...inState(accepted, state, at),
  status: { status: state },
  askedAt: at,
});

const states: readonly TransferState[] = [
  ...(['notConfirmed', 'refused', 'accepted', 'staging', 'active', 'finalizing', 'inactive', 'unknown'] as const),
  ...(['running', 'succeeded', 'failed', 'cancelled', 'expired'] as const),
];

/** A transfer as it can be in one window: states one after the other, nothing after an end. */
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
    let transfer = begun;
    for (const [state, passed, isAsked] of steps) {
      if (hasEnded(transfer.state)) break;
      at += passed;
      transfer = inState(transfer, state, at);
      if (isAsked) transfer = { ...transfer, askedAt: at, status: { status: state, movedFileCount: at } };
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

describe('What two windows know of a transfer, put together', () => {
  property('is the same whoever is asked first, unless time tells nothing', pairs, ([one, other]) => {
    fc.pre(one.askedAt !== other.askedAt || one.changes.at(-1)?.at !== other.changes.at(-1)?.at);
    assert.deepEqual(mergeTransfers(one, other), mergeTransfers(other, one));
  });

  property('adds nothing to one that is whole', histories, (one) => {
    assert.deepEqual(mergeTransfers(one, one), one);
  });

  property('holds what either knew: put together again it stays as it is', pairs, ([one, other]) => {
    const both = mergeTransfers(one, other);
    assert.deepEqual(mergeTransfers(one, both), both);
    assert.deepEqual(mergeTransfers(other, both), both);
    assert.equal(place(mergeTransfers(both, both)), place(both));
  });

  property('has ended when one side saw it end, and has an id when one side had it', pairs, ([one, other]) => {
    const both = mergeTransfers(one, other);
    assert.equal(hasEnded(both.state), hasEnded(one.state) || hasEnded(other.state));
    assert.equal(both.id, one.id ?? other.id);
    assert.equal(both.cancelAcceptedAt !== undefined, (one.cancelAcceptedAt ?? other.cancelAcceptedAt) !== undefined);
  });

  property('tells the later answer of two that run, and all changes in the order of time', pairs, ([one, other]) => {
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

  it('believes an end that the server told more than one that was only found out', () => {
    const succeeded = asked('succeeded', 9);
    assert.equal(mergeTransfers(inState(accepted, 'expired', 5), succeeded).state, 'succeeded');
    assert.equal(mergeTransfers(succeeded, inState(accepted, 'expired', 20)).state, 'succeeded');
  });

  it('keeps of an expired one what was known last (D11)', () => {
    const both = mergeTransfers({ ...inState(asked('staging', 2), 'expired', 5) }, asked('active', 4));
    assert.deepEqual([both.state, both.status?.status, both.askedAt], ['expired', 'active', 4]);
  });

  it('lets go of a problem when a later answer came, and takes what was said last where no answer came', () => {
    const trouble: Transfer = { ...asked('active', 2), problem: { kind: 'timeout' } };
    assert.equal(mergeTransfers(trouble, asked('active', 3)).problem, undefined);
    assert.equal(mergeTransfers(trouble, asked('active', 2)).problem, undefined);
    assert.deepEqual(mergeTransfers(asked('active', 2), trouble).problem, { kind: 'timeout' });
  });

  it('does not go back to "not confirmed" when another window knows the answer (D12)', () => {
    const guessed = inState(begun, 'notConfirmed', 8);
    for (const both of [mergeTransfers(guessed, accepted), mergeTransfers(accepted, guessed)]) {
      assert.deepEqual([both.state, both.id, both.changes.at(-1)?.state], ['accepted', 'the-id', 'accepted']);
    }
  });

  it('keeps fields that only a later version knows', () => {
    const more = { ...asked('active', 3), later: { of: 'a kind' } };
    assert.deepEqual((mergeTransfers(more, asked('active', 4)) as unknown as typeof more).later, { of: 'a kind' });
  });

  it('tells an answer that brings nothing but its time from one that brings more', () => {
    assert.equal(sameButAsked(asked('active', 3), { ...asked('active', 3), askedAt: 8 }), true);
    assert.equal(sameButAsked(asked('active', 3), { ...asked('active', 3), status: { movedFileCount: 1 } }), false);
  });

  const eitherWay = (one: Transfer, other: Transfer): readonly Transfer[] => [
    mergeTransfers(one, other),
    mergeTransfers(other, one),
  ];

  it('has the first of two ends, and rather one that the server told or knew of than a refusal', () => {
    const ends: readonly (readonly [Transfer, Transfer])[] = [
      [asked('failed', 3), asked('succeeded', 5)],
      [inState(accepted, 'expired', 9), inState(begun, 'refused', 5)],
      [asked('cancelled', 9), inState(begun, 'refused', 5)],
    ];
    for (const [wanted, other] of ends)
      for (const both of eitherWay(wanted, other)) assert.equal(both.state, wanted.state);
  });

  it('believes an answer more than a submission that a window thinks is under way, whatever their clocks say', () => {
    const late: Transfer = { ...begun, changes: [{ state: 'submitting', at: 5 }] };
    for (const both of eitherWay(late, accepted)) assert.equal(both.state, 'accepted');
  });

  it('tells when a cancel was accepted first', () => {
    const cancelledAt = (at: number): Transfer => ({ ...accepted, cancelAcceptedAt: at });
    for (const both of eitherWay(cancelledAt(5), cancelledAt(3))) assert.equal(both.cancelAcceptedAt, 3);
    assert.equal('cancelAcceptedAt' in mergeTransfers(begun, accepted), false);
  });

  it('says when the state that counts was told, where another came between', () => {
    const back: Transfer = { ...asked('staging', 2), askedAt: 9 };
    for (const both of eitherWay(back, asked('active', 5)))
      assert.deepEqual(both.changes.at(-1), { state: 'staging', at: 9 });
  });

  it('is the same in whatever order its fields stand, and whatever was ordered', () => {
    const reversed = Object.fromEntries(Object.entries(accepted).reverse()) as unknown as Transfer;
    assert.equal(sameButAsked(accepted, reversed), true);
    assert.equal(sameButAsked(accepted, { ...accepted, order: { ...order, files: [{ id: 'f', name: 'f' }] } }), true);
    assert.equal(sameButAsked(accepted, { ...accepted, cancelAcceptedAt: 1 }), false);
  });
});
