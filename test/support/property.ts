import fc from 'fast-check';
import { counted } from './tally.ts';
import type { Tally } from './tally.ts';

/** Runs of each property. */
const propertyRuns = 1_000;

const runLimitMs = 5_000;
const propertyLimitMs = 45_000;

/**
 * A test that `holds` holds for a thousand values. A failure prints the seed and the smallest value that was found;
 * `PROPERTY_SEED=<seed>` in the environment runs the same values again. A run that hangs fails too.
 */
export function property<T>(title: string, values: fc.Arbitrary<T>, holds: (value: T) => Promise<void> | void): void {
  const tally: Tally = { kind: 'property', runs: 0 };
  const checked = fc.asyncProperty(values, async (value) => {
    await holds(value);
    tally.runs++;
  });
  const seed = process.env['PROPERTY_SEED'];
  const test = it(title, async () => {
    await fc.assert(checked, {
      numRuns: propertyRuns,
      timeout: runLimitMs,
      interruptAfterTimeLimit: propertyLimitMs,
      markInterruptAsFailure: true,
      ...(seed !== undefined && { seed: Number(seed) }),
    });
  });
  counted(test, tally).timeout(2 * propertyLimitMs);
}
