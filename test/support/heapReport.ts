import * as nodePath from 'node:path';
import { eventually } from './eventually.ts';
import type { StoreRig } from './storeRig.ts';

const probe = nodePath.join(import.meta.dirname, 'heapProbe.cjs');

/**
 * Environment variables that make a service report its heaps. With fixed thresholds, glibc returns freed blocks of
 * 64 kB or more to the system; otherwise, it adapts the thresholds and retains more memory on a busy machine.
 */
export const heapReportEnvironment = {
  NODE_OPTIONS: `${process.env['NODE_OPTIONS'] ?? ''} --require=${probe}`.trim(),
  MALLOC_MMAP_THRESHOLD_: '65536',
  MALLOC_TRIM_THRESHOLD_: '65536',
} as const;

/** The heap sizes of a thread, in bytes. */
export interface HeapSizes {
  /** Memory in use, including that of buffers, after garbage collection. */
  readonly used: number;
  /** Memory that the engine has reserved for the heap, used or free. */
  readonly reserved: number;
}

/** Milliseconds after which the report is requested again, because a thread may have ended instead of reporting. */
const retryMs = 10_000;

/**
 * Makes a service collect garbage. Returns the heap sizes of each of its threads, by the thread's name, such as
 * `files 3`.
 */
export async function readHeaps(rig: StoreRig): Promise<ReadonlyMap<string, HeapSizes>> {
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

const reportPattern = /^heap of (\w+ (\d+)): (\d+) used, (\d+) reserved, started ([\d ]*)$/gm;

/**
 * Returns the heap sizes by thread; undefined until the main thread and every thread that a report lists have reported.
 */
function parseHeaps(log: string): ReadonlyMap<string, HeapSizes> | undefined {
  const heaps = new Map<string, HeapSizes>();
  const [expected, reported] = [new Set(['0']), new Set<string>()];
  for (const [, thread = '', id = '', used, reserved, started = ''] of log.matchAll(reportPattern)) {
    heaps.set(thread, { used: Number(used), reserved: Number(reserved) });
    reported.add(id);
    for (const other of started.split(' ').filter((one) => one !== '')) expected.add(other);
  }
  return [...expected].every((id) => reported.has(id)) ? heaps : undefined;
}
