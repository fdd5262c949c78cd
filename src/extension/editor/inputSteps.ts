import type { Step, StepPosition } from './quickInput.ts';

/** Creates a step that is counted only when it is shown. */
export function createConditionalStep(run: (position: StepPosition) => ReturnType<Step>): Step {
  return Object.assign(run, { isConditional: true });
}

/**
 * Runs steps in either direction until the last one is complete. Resolves to false if the user cancels. Steps must not
 * have effects before that, except for storing values. `last` shows no quick input (for example, a dialog instead) and
 * is not counted.
 */
export async function runSteps(title: string, steps: readonly Step[], last?: Step): Promise<boolean> {
  const all = last ? [...steps, last] : steps;
  const completed: number[] = [];
  let index = 0;
  while (index < all.length) {
    const position = createPosition(title, completed.length, countRemaining(steps, index));
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

function countRemaining(steps: readonly Step[], current: number): number {
  return steps.filter(({ isConditional }, index) => index >= current && (index === current || !isConditional)).length;
}

/** Counts the steps that were shown and those that may follow, but no skipped ones. */
function createPosition(title: string, shownCount: number, remainingCount: number): StepPosition {
  return { title, step: shownCount + 1, totalSteps: shownCount + remainingCount, canGoBack: shownCount > 0 };
}
