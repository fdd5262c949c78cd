import { readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import type { Transfer } from '../model/transferModel.ts';
import { getErrorCode, isMissing } from '../util/errorFacts.ts';
import { parseJsonObject } from '../util/json.ts';
import type { Logger } from '../util/logger.ts';
import { parsePlanId, planFolder, toPlanName } from './planNames.ts';

/**
 * Withdraws the decision on an agent's plan, because nothing was sent of its transfer (D64: a person decides). Keeps a
 * later decision, such as one that another window has recorded meanwhile. If the decision can't be withdrawn, only logs
 * that: the plan then stays decided.
 */
export async function withdrawDecision(
  ledgerFolder: string,
  { requestedBy, createdAt }: Transfer,
  log: Logger,
): Promise<void> {
  const plan = requestedBy?.plan ?? '';
  if (parsePlanId(toPlanName(plan)) === undefined) return;
  const path = join(ledgerFolder, planFolder, toPlanName(plan, 'decision'));
  try {
    const decidedAt = parseJsonObject(await readFile(path, 'utf8'))?.['at'];
    if (typeof decidedAt === 'number' && decidedAt <= createdAt) await rm(path);
  } catch (error) {
    if (!isMissing(error)) log.warn(`The decision on plan ${plan} could not be withdrawn: ${getErrorCode(error)}`);
  }
}
