import assert from 'node:assert/strict';
import { getEnteredAddress, getLocalConnectionId, getMachine } from '../../../src/core/model/connection.ts';
import { hasOrcidForm, parseOrcid } from '../../../src/core/util/userIdentity.ts';
import {
  canSubmitAgain,
  hasEnded,
  withState,
  getState,
  type Transfer,
  type TransferState,
} from '../../../src/core/model/transferModel.ts';
import { submittingTransfer } from './specimens.ts';

describe('The address of a connection as entered', () => {
  for (const [server, port, expected] of [
    ['https://dts.example.org', undefined, 'https://dts.example.org'],
    ['https://dts.example.org/', undefined, 'https://dts.example.org/'],
    ['https://dts.example.org', 8443, 'https://dts.example.org:8443'],
    [' https://dts.example.org// ', 8443, 'https://dts.example.org:8443'],
  ] as const) {
    it(`is ${expected} for ${JSON.stringify(server)} and ${port === undefined ? 'no port' : `port ${port}`}`, () => {
      assert.equal(getEnteredAddress({ server, ...(port !== undefined && { port }) }), expected);
    });
  }
});

describe('An ORCID iD (D19)', () => {
  for (const [given, expected] of [
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
    it(`${JSON.stringify(given)} is ${expected ?? 'rejected'}`, () => {
      assert.equal(parseOrcid(given), expected);
    });
  }

  for (const [given, expected] of [
    ['0000-0002-1825-0098', true],
    ['https://orcid.org/0000-0002-1694-2330', true],
    ['0000000218250097', true],
    ['0000-0002-1825-009', false],
    ['0000-0002-1825-00977', false],
    ['', false],
  ] as const) {
    it(`${JSON.stringify(given)} ${expected ? 'has' : "doesn't have"} the right form, whatever its check digit`, () => {
      assert.equal(hasOrcidForm(given), expected);
    });
  }
});

describe('The state for a status of the server (D10)', () => {
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
      assert.equal(getState({ ...(status && { status }), ...(message && { message }) }), state);
    });
  }

  it('ends a transfer only if it is final', () => {
    const ended = ['refused', 'succeeded', 'failed', 'cancelled', 'expired'] as const;
    const pending = ['submitting', 'notConfirmed', 'accepted', 'staging', 'active', 'inactive', 'unknown'] as const;
    assert.deepEqual([ended.map(hasEnded), pending.map(hasEnded)], [ended.map(() => true), pending.map(() => false)]);
  });
});

describe('A change of state', () => {
  const transfer: Transfer = { ...submittingTransfer, state: 'staging', changes: [{ state: 'staging', at: 1 }] };

  it('is stored with its time', () => {
    const changes = withState(transfer, 'active', 5).changes;
    assert.deepEqual(changes, [
      { state: 'staging', at: 1 },
      { state: 'active', at: 5 },
    ]);
  });

  it('has no effect if the state is the same', () => {
    assert.equal(withState(transfer, 'staging', 5), transfer);
  });
});

describe('The id of a connection', () => {
  it('contains the machine of a local service only', () => {
    assert.equal(getMachine(getLocalConnectionId('a machine/')), 'a machine/');
    assert.equal(getMachine(`${getLocalConnectionId('machine')}:1f2e3d4c`), 'machine');
    assert.equal(getMachine('3f2c1a90-5d6e-4b7a-8c9d-0e1f2a3b4c5d'), undefined);
  });
});

describe('A transfer', () => {
  const createTransfer = (state: TransferState): Transfer => ({ ...submittingTransfer, state, changes: [] });

  it("can be submitted again after its end, or if it isn't confirmed", () => {
    const states = ['submitting', 'notConfirmed', 'active', 'failed', 'succeeded', 'expired'] as const;
    assert.deepEqual(
      states.filter((state) => canSubmitAgain(createTransfer(state))),
      ['notConfirmed', 'failed', 'succeeded', 'expired'],
    );
  });

  it("can't be submitted again if it was started elsewhere", () => {
    assert.equal(canSubmitAgain({ ...createTransfer('failed'), startedElsewhere: true }), false);
  });
});
