import assert from 'node:assert/strict';
import { localIdOf, machineOf } from '../../../src/core/model/connection.ts';
import { hasOrcidForm, parseOrcid } from '../../../src/core/model/orcid.ts';
import {
  canSubmitAgain,
  hasEnded,
  inState,
  stateOf,
  type Transfer,
  type TransferState,
} from '../../../src/core/model/transfer.ts';
import { begun } from './specimens.ts';

describe('An ORCID iD (D19)', () => {
  for (const [given, wanted] of [
    ['0000-0002-1825-0097', '0000-0002-1825-0097'],
    ['0000-0002-1694-233X', '0000-0002-1694-233X'],
    [' 0000-0002-1694-233x ', '0000-0002-1694-233X'],
    ['https://orcid.org/0000-0002-1825-0097', '0000-0002-1825-0097'],
    ['0000000218250097', '0000-0002-1825-0097'],
    ['0000-0002-1825-0098', undefined],
    ['0000-0002-1825-009', undefined],
    ['0000-0002-1825-00977', undefined],
    ['', undefined],
    ['https://example.org/0000-0002-1825-0097', undefined],
  ] as const) {
    it(`${JSON.stringify(given)} is ${wanted ?? 'refused'}`, () => {
      assert.equal(parseOrcid(given), wanted);
    });
  }

  for (const [given, wanted] of [
    ['0000-0002-1825-0098', true],
    ['https://orcid.org/0000-0002-1694-2330', true],
    ['0000000218250097', true],
    ['0000-0002-1825-009', false],
    ['0000-0002-1825-00977', false],
    ['', false],
  ] as const) {
    it(`${JSON.stringify(given)} ${wanted ? 'has' : "doesn't have"} the form of one, whatever its check digit`, () => {
      assert.equal(hasOrcidForm(given), wanted);
    });
  }
});

describe("A server's word for a state (D10)", () => {
  for (const [status, message, state] of [
    ['staging', undefined, 'staging'],
    ['active', undefined, 'active'],
    ['finalizing', undefined, 'finalizing'],
    ['inactive', undefined, 'inactive'],
    ['unknown', undefined, 'unknown'],
    ['succeeded', undefined, 'succeeded'],
    ['completed', undefined, 'succeeded'],
    ['complete', undefined, 'succeeded'],
    ['Done', undefined, 'succeeded'],
    ['failed', 'disk full', 'failed'],
    ['failed', 'Transfer 1: canceled', 'cancelled'],
    ['failed', 'was cancelled.', 'cancelled'],
    ['failed', 'cancelled by nobody', 'failed'],
    ['canceled', undefined, 'cancelled'],
    ['warming up', undefined, 'running'],
    ['constructor', undefined, 'running'],
    [undefined, undefined, 'unknown'],
  ] as const) {
    it(`${status} ${message ? `with “${message}” ` : ''}is ${state}`, () => {
      assert.equal(stateOf({ ...(status && { status }), ...(message && { message }) }), state);
    });
  }

  it('ends a transfer only where nothing more can happen', () => {
    const ended = ['refused', 'succeeded', 'failed', 'cancelled', 'expired'] as const;
    const going = ['submitting', 'notConfirmed', 'accepted', 'staging', 'active', 'inactive', 'unknown'] as const;
    assert.deepEqual([ended.map(hasEnded), going.map(hasEnded)], [ended.map(() => true), going.map(() => false)]);
  });
});

describe('A change of state', () => {
  const transfer: Transfer = { ...begun, state: 'staging', changes: [{ state: 'staging', at: 1 }] };

  it('is kept with its time', () => {
    const changes = inState(transfer, 'active', 5).changes;
    assert.deepEqual(changes, [
      { state: 'staging', at: 1 },
      { state: 'active', at: 5 },
    ]);
  });

  it('is none when the state is the same', () => {
    assert.equal(inState(transfer, 'staging', 5), transfer);
  });
});

describe('The id of a connection', () => {
  it('tells the machine whose local service it leads to, and of no other', () => {
    assert.equal(machineOf(localIdOf('a machine/:')), 'a machine/:');
    assert.equal(machineOf('3f2c1a90-5d6e-4b7a-8c9d-0e1f2a3b4c5d'), undefined);
  });
});

describe('A transfer', () => {
  const inTheState = (state: TransferState): Transfer => ({ ...begun, state, changes: [] });

  it('can be submitted again once it is over, or where nobody knows whether it began', () => {
    const states = ['submitting', 'notConfirmed', 'active', 'failed', 'succeeded', 'expired'] as const;
    assert.deepEqual(
      states.filter((state) => canSubmitAgain(inTheState(state))),
      ['notConfirmed', 'failed', 'succeeded', 'expired'],
    );
  });

  it('cannot be submitted again where somebody else started it, and nobody knows what was asked', () => {
    assert.equal(canSubmitAgain({ ...inTheState('failed'), startedElsewhere: true }), false);
  });
});
