import assert from 'node:assert/strict';
import { describe, it } from 'mocha';
import { createConditionalStep, createContinuation, runSteps } from '../../../src/extension/editor/inputSteps.ts';
import type { Step, StepPosition } from '../../../src/extension/editor/quickInput.ts';

type Outcome = Awaited<ReturnType<Step>>;

describe('The counting of input steps', () => {
  let shown: string[];
  beforeEach(() => (shown = []));

  /**
   * Creates a step that returns the given outcomes and then `next`. Records the step's position, with `<` if it can go
   * back.
   */
  const createStep = (...outcomes: readonly Outcome[]): Step => {
    const remaining = [...outcomes];
    return async ({ step, totalSteps, canGoBack }: StepPosition): Promise<Outcome> => {
      const outcome = remaining.shift() ?? 'next';
      if (outcome !== 'skip') shown.push(`${canGoBack ? '<' : ''}${step}/${totalSteps}`);
      return await Promise.resolve(outcome);
    };
  };

  it('does not change if a continuation of a step is skipped or shown', async () => {
    assert.equal(await runSteps('T', [createStep(), createContinuation(createStep('skip')), createStep()]), true);
    assert.deepEqual(shown.splice(0), ['1/2', '<2/2']);
    assert.equal(await runSteps('T', [createStep(), createContinuation(createStep()), createStep()]), true);
    assert.deepEqual(shown, ['1/2', '<1/2', '<2/2']);
  });

  it('is the same after going back to a continuation and to its step', async () => {
    const [first, second, third] = [createStep(), createStep('next', 'back'), createStep('back')];
    assert.equal(await runSteps('T', [first, createContinuation(second), third]), true);
    assert.deepEqual(shown, ['1/2', '<1/2', '<2/2', '<1/2', '1/2', '<1/2', '<2/2']);
  });

  it('includes a conditional step only when it is shown', async () => {
    assert.equal(await runSteps('T', [createStep(), createConditionalStep(createStep('skip')), createStep()]), true);
    assert.deepEqual(shown.splice(0), ['1/2', '<2/2']);
    assert.equal(await runSteps('T', [createStep(), createConditionalStep(createStep()), createStep()]), true);
    assert.deepEqual(shown, ['1/2', '<2/3', '<3/3']);
  });
});
