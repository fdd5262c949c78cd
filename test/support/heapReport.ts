import * as nodePath from 'node:path';
import { eventually } from './eventually.ts';
import type { StoreRig } from './storeRig.ts';

const probe = nodePath.join(import.meta.dirname, 'heapProbe.cjs');
const roles = ['main', 'catalogs', 'reading', 'files'] as const;

/** Variables with which a service reports its heaps. */
export const heapReportEnvironment = {
  NODE_OPTIONS: `${process.env['NODE_OPTIONS'] ?? ''} --require=${probe}`.trim(),
} as const;

/** Collects the garbage of a running service, and returns the bytes of its largest heap for each role of its threads. */
export async function readHeaps(rig: StoreRig): Promise<Readonly<Record<string, number>>> {
  const before = rig.log.length;
  process.kill(rig.service.pid, 'SIGUSR2');
  return await eventually(async () => {
    const heaps = parseHeaps(rig.log.slice(before));
    return await Promise.resolve(roles.every((role) => role in heaps) ? heaps : undefined);
  });
}

function parseHeaps(log: string): Record<string, number> {
  const heaps: Record<string, number> = {};
  for (const [, role = '', bytes] of log.matchAll(/^heap of (\w+): (\d+)$/gm))
    heaps[role] = Math.max(heaps[role] ?? 0, Number(bytes));
  return heaps;
}
