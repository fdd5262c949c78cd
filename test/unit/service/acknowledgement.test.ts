import assert from 'node:assert/strict';
import { AcknowledgementFirst } from '../../../src/service/transfers/acknowledgement.ts';
import { ManualClock } from '../../support/manualClock.ts';

/** Work that is done when it is told to be. */
function pending(): { readonly promise: Promise<string>; readonly resolve: (answer: string) => void } {
  let resolve: (answer: string) => void = () => undefined;
  const promise = new Promise<string>((settle) => (resolve = settle));
  return { promise, resolve: (answer) => resolve(answer) };
}

describe('Whoever submits is answered first', () => {
  let clock: ManualClock;
  let first: AcknowledgementFirst;
  let begun: number;
  const beginWhatWaits = (): void => {
    if (!first.holdsBack) begun += 1;
  };

  beforeEach(() => {
    clock = new ManualClock();
    first = new AcknowledgementFirst(clock);
    begun = 0;
  });

  it('what waited begins when the last submission is answered', async () => {
    const one = pending();
    const other = pending();
    const answers = [first.run(() => one.promise, beginWhatWaits), first.run(() => other.promise, beginWhatWaits)];
    one.resolve('one');
    await answers[0];
    assert.equal(begun, 0);
    other.resolve('other');
    assert.deepEqual(await Promise.all(answers), ['one', 'other']);
    assert.equal(begun, 1);
    await clock.pass(1_000);
    assert.equal(begun, 1, 'nothing is left to be told');
  });

  it('what waited begins although one submission takes long to be answered', async () => {
    const slow = pending();
    const slowAnswer = first.run(() => slow.promise, beginWhatWaits);
    await first.run(() => Promise.resolve('quick'), beginWhatWaits);
    assert.equal(begun, 0);
    await clock.pass(249);
    assert.equal(begun, 0);
    await clock.pass(1);
    assert.equal(begun, 1);
    slow.resolve('slow');
    await slowAnswer;
  });
});
