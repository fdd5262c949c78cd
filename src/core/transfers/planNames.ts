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
