import fc from 'fast-check';
import { counted } from './tally.ts';
import type { Tally } from './tally.ts';
import { bySize } from './testSize.ts';

/** Number of runs of each property. */
const propertyRuns = bySize(100, 1_000);

const runLimitMs = 5_000;
const propertyLimitMs = bySize(45_000, 200_000);

/**
 * Defines a test that checks `holds` for a hundred values, or a thousand in a deep run. A failure prints the seed and
 * the smallest failing value; set `PROPERTY_SEED=<seed>` in the environment to repeat the check with the same values. A
 * check that hangs also fails.
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
