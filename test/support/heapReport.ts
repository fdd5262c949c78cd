import * as nodePath from 'node:path';
import { eventually } from './eventually.ts';
import type { StoreRig } from './storeRig.ts';

const probe = nodePath.join(import.meta.dirname, 'heapProbe.cjs');

/** Environment variables that make a service report its heaps. */
export const heapReportEnvironment = {
  NODE_OPTIONS: `${process.env['NODE_OPTIONS'] ?? ''} --require=${probe}`.trim(),
} as const;

/** Time after which the report is requested again, because a thread may have ended instead of reporting. */
const retryMs = 10_000;

/**
 * Makes a service collect garbage, and returns the heap size of each of its threads in bytes, by a name such as `files
 * 3`.
 */
export async function readHeaps(rig: StoreRig): Promise<ReadonlyMap<string, number>> {
  let before = 0;
  let requestedAtMs = -Infinity;
  return await eventually(async () => {
    if (performance.now() - requestedAtMs > retryMs) {
      [before, requestedAtMs] = [rig.log.length, performance.now()];
      process.kill(rig.service.pid, 'SIGUSR2');
    }
    return await Promise.resolve(parseHeaps(rig.log.slice(before)));
  });
}

const reportPattern = /^heap of (\w+ (\d+)): (\d+), started ([\d ]*)$/gm;

/** Returns undefined until all threads have reported their heaps: the main thread, and those that another one names. */
function parseHeaps(log: string): ReadonlyMap<string, number> | undefined {
  const heaps = new Map<string, number>();
  const [expected, reported] = [new Set(['0']), new Set<string>()];
  for (const [, thread = '', id = '', bytes, started = ''] of log.matchAll(reportPattern)) {
    heaps.set(thread, Number(bytes));
    reported.add(id);
    for (const other of started.split(' ').filter((one) => one !== '')) expected.add(other);
  }
  return [...expected].every((id) => reported.has(id)) ? heaps : undefined;
}
