import assert from 'node:assert/strict';
import { AcknowledgementGate } from '../../../src/service/transfers/acknowledgementGate.ts';
import { ManualClock } from '../../support/manualClock.ts';

/** Creates a pending promise and the function that resolves it. */
function createPending(): { readonly promise: Promise<string>; readonly resolve: (result: string) => void } {
  let resolve: (result: string) => void = () => undefined;
  const promise = new Promise<string>((settle) => (resolve = settle));
  return { promise, resolve: (result) => resolve(result) };
}

describe('The acknowledgement gate', () => {
  let clock: ManualClock;
  let gate: AcknowledgementGate;
  let startCount: number;
  const startQueued = (): void => {
    if (!gate.isClosed) startCount += 1;
  };

  beforeEach(() => {
    clock = new ManualClock();
    gate = new AcknowledgementGate(clock);
    startCount = 0;
  });

  it('starts queued transfers when the last submission is acknowledged', async () => {
    const one = createPending();
    const other = createPending();
    const results = [gate.run(() => one.promise, startQueued), gate.run(() => other.promise, startQueued)];
    one.resolve('one');
    await results[0];
    assert.equal(startCount, 0);
    other.resolve('other');
    assert.deepEqual(await Promise.all(results), ['one', 'other']);
    assert.equal(startCount, 1);
    await clock.pass(1_000);
    assert.equal(startCount, 1, 'no timer remains');
  });

  it('starts queued transfers after a short time when a submission takes long', async () => {
    const slow = createPending();
    const slowResult = gate.run(() => slow.promise, startQueued);
    await gate.run(() => Promise.resolve('quick'), startQueued);
    assert.equal(startCount, 0);
    await clock.pass(249);
    assert.equal(startCount, 0);
    await clock.pass(1);
    assert.equal(startCount, 1);
    slow.resolve('slow');
    await slowResult;
  });
});
