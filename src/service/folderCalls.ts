import { settlesWithin, systemClock, type Clock } from '../core/util/clock.ts';
import { shareCalls } from '../core/util/shareCalls.ts';

const checkIntervalMs = 250;
/** Number of checks after which a disk counts as hanging, five seconds in total. */
const maxChecks = 20;

/**
 * Wraps a call about a folder, whose disk may hang (D42: hanging disks). Concurrent calls for a folder share the result,
 * and reject with the code `ETIMEDOUT` while the disk doesn't respond. It is called again only when it has responded,
 * because each hanging call occupies a thread that all asynchronous file system calls of the process share.
 */
export function limitFolderCalls<T>(
  call: (folder: string) => Promise<T>,
  clock: Clock = systemClock,
): (folder: string) => Promise<T> {
  return shareCalls(call, async (running) => {
    // Several short limits, because a long search on this thread delays responses that have already arrived.
    for (let check = 0; check < maxChecks; check += 1)
      if (await settlesWithin(clock, checkIntervalMs, running)) return await running;
    throw Object.assign(new Error('The disk does not respond.'), { code: 'ETIMEDOUT' });
  });
}
