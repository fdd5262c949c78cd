import { readFile, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import type { Transfer } from '../model/transferModel.ts';
import type { Clock } from '../util/clock.ts';
import { createFolder } from '../util/createFolder.ts';
import { getErrorCode, isMissing } from '../util/errorFacts.ts';
import { runUnderLock } from '../util/fileLock.ts';
import { parseJsonObject } from '../util/json.ts';
import type { Logger } from '../util/logger.ts';
import { FirstFileWatch } from './recordFolders.ts';

/** Name of the folder for plans, inside the ledger's folder. */
export const planFolder = 'plans';

/** Time after which a plan expires, in milliseconds. Plans expire because files and free space can change. */
export const planLifetimeMs = 15 * 60_000;

/** A file that accompanies a plan: a person's decision, or the submitted transfer. */
export type PlanPart = 'decision' | 'outcome';

const namePattern = /^([0-9a-f]{12})\.json$/;

/** Returns the file name of a plan or, if `part` is given, of its decision or outcome. */
export function toPlanName(id: string, part?: PlanPart): string {
  return part === undefined ? `${id}.json` : `${id}.${part}.json`;
}

/** Returns the ID in the name of a plan's file; undefined for any other file name. */
export function parsePlanId(name: string): string | undefined {
  return namePattern.exec(name)?.[1];
}

/**
 * Withdraws the decision on an agent's plan, because nothing was sent of its transfer (D64: a person decides). Keeps a
 * later decision, such as one that another window has recorded meanwhile: a decision is only replaced after it was
 * withdrawn, and under the lock nobody else withdraws it. If the decision can't be withdrawn, only logs that: the plan
 * then stays decided.
 */
export async function withdrawDecision(
  ledgerFolder: string,
  { requestedBy, createdAt }: Transfer,
  { clock, log }: { readonly clock: Clock; readonly log: Logger },
): Promise<void> {
  const plan = requestedBy?.plan ?? '';
  if (parsePlanId(toPlanName(plan)) === undefined) return;
  const path = join(ledgerFolder, planFolder, toPlanName(plan, 'decision'));
  const withdraw = async (): Promise<void> => {
    const decidedAt = parseJsonObject(await readFile(path, 'utf8'))?.['at'];
    if (typeof decidedAt === 'number' && decidedAt <= createdAt) await rm(path);
  };
  try {
    const locks = join(ledgerFolder, 'locks');
    await createFolder(locks, 0o700);
    await runUnderLock(join(locks, `plan-${plan}.lock`), clock, withdraw);
  } catch (error) {
    if (!isMissing(error)) log.warn(`The decision on plan ${plan} could not be withdrawn: ${getErrorCode(error)}`);
  }
}

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
