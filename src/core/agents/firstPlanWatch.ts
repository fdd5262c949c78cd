import { stat } from 'node:fs/promises';
import { join } from 'node:path';
import { FirstFileWatch } from '../transfers/recordFolders.ts';
import type { Clock } from '../util/clock.ts';
import { parsePlanId, planFolder, planLifetimeMs, toPlanName } from '../transfers/planFiles.ts';

/** Calls `onFound` once, as soon as a plan from any program awaits a decision. Doesn't read the plans themselves. */
export class FirstPlanWatch extends FirstFileWatch {
  constructor(ledgerFolder: string, clock: Clock, onFound: () => void) {
    const folder = join(ledgerFolder, planFolder);
    super(folder, clock, { hasMatch: (names) => hasProposal(folder, names, clock.now()), onFound });
  }
}

/** Returns true if any plan is undecided and, judging by the age of the plan's file, has not expired. */
async function hasProposal(folder: string, names: readonly string[], now: number): Promise<boolean> {
  const known = new Set(names);
  const isOpen = (id: string): boolean => !known.has(toPlanName(id, 'decision'));
  const open = names.flatMap((name) => parsePlanId(name) ?? []).filter(isOpen);
  const times = await Promise.all(open.map((id) => getWrittenAt(join(folder, toPlanName(id)))));
  return times.some((time) => now - time < planLifetimeMs);
}

async function getWrittenAt(file: string): Promise<number> {
  const stats = await stat(file).catch(() => undefined);
  return stats?.mtimeMs ?? 0;
}
