import { systemClock, type Clock } from '../../src/core/util/clock.ts';

/**
 * The system's clock for a cluster, but with a tenth of the two seconds between two queries of Slurm's queue. Other
 * delays, such as the time limits of its commands, are those of the product.
 */
export const eagerClock: Clock = {
  now: () => systemClock.now(),
  after: (delayMs, call) => systemClock.after(delayMs > 1_000 && delayMs <= 2_000 ? delayMs / 10 : delayMs, call),
};
