import type { Step, StepPosition } from './quickInput.ts';

/** Creates a step that is counted only when it is shown. */
export function createConditionalStep(run: (position: StepPosition) => ReturnType<Step>): Step {
  return Object.assign(run, { isConditional: true });
}

/** Creates a follow-up to the previous step. Both have the same step number. */
export function createContinuation(run: (position: StepPosition) => ReturnType<Step>): Step {
  return Object.assign(run, { isContinuation: true });
}

/**
 * Runs steps until the last one is complete. The user can go back to earlier steps. Resolves to false if the user
 * cancels. A step must do nothing but store its value: side effects must wait until all steps are complete. `last`
 * doesn't count as a step, because it shows something other than a quick input, such as a dialog.
 */
export async function runSteps(title: string, steps: readonly Step[], last?: Step): Promise<boolean> {
  const all = last ? [...steps, last] : steps;
  const completed: number[] = [];
  let index = 0;
  while (index < all.length) {
    const position = createPosition(title, steps, completed, index);
    const outcome = (await all[index]?.(position)) ?? 'cancel';
    if (outcome === 'cancel') return false;
    if (outcome === 'back') index = completed.pop() ?? 0;
    else {
      if (outcome === 'next') completed.push(index);
      index += 1;
    }
  }
  return true;
}

/**
 * Creates the position of the current step. The total counts the steps shown so far and the later ones that aren't
 * conditional. Continuations aren't counted.
 */
function createPosition(
  title: string,
  steps: readonly Step[],
  completed: readonly number[],
  current: number,
): StepPosition {
  const isNumbered = (index: number): boolean => steps[index]?.isContinuation !== true;
  const shownCount = completed.filter(isNumbered).length;
  const laterCount = steps.filter((step, index) => index > current && isNumbered(index) && !step.isConditional).length;
  const step = shownCount + (isNumbered(current) ? 1 : 0);
  return { title, step, totalSteps: step + laterCount, canGoBack: completed.length > 0 };
}
