import { sumUpFiles } from '../recipes/recipeFile.ts';
import type { JsonObject } from '../util/json.ts';
import { toDataLine } from './serverText.ts';
import type { PlanState, PlannedCopies, PlannedLicense, TransferPlan } from './transferPlan.ts';

/** Maximum number of files that an answer lists as examples. */
const exampleCount = 5;

const maxLicenses = 10;

/** Returns a plan as the agent sees it, with totals and the paths of only a few files. */
export function toPlanAnswer(plan: TransferPlan, { kind }: Pick<PlanState, 'kind'> = { kind: 'proposed' }): JsonObject {
  const { id, files, source, destination, expiresAt, copies, freeBytes, licenses, textOrigin, service } = plan;
  const { bytes, unknownCount } = sumUpFiles(files);
  return {
    planId: id,
    state: kind,
    service: service.address,
    files: files.length,
    bytes,
    ...(unknownCount > 0 && { filesOfUnknownSize: unknownCount }),
    alreadyAtDestination: describeCopies(copies),
    transferredEarlier: copies.received,
    inTransfer: copies.underWay,
    freeBytes: freeBytes ?? 'unknown',
    ...(licenses.length > maxLicenses && { moreLicenses: licenses.length - maxLicenses }),
    ...(textOrigin === 'server' && { textOrigin: 'copied from a server or a file; the summary for the user says so' }),
    expiresAt: new Date(expiresAt).toISOString(),
    data: {
      source: toDataLine(source),
      destination: toDataLine(destination),
      licenses: licenses.slice(0, maxLicenses).map(toLicenseRow),
      examples: files.slice(0, exampleCount).map(({ path }) => toDataLine(path)),
    },
    ...(kind === 'proposed' && { next: 'Tell the user the totals, then call submit_transfer with the planId.' }),
  };
}

function describeCopies({ isComplete, atDestination }: PlannedCopies): number | string {
  if (isComplete) return atDestination;
  return atDestination === 0 ? 'unknown' : `at least ${atDestination}`;
}

function toLicenseRow({ name, fileCount, forbidsSharing }: PlannedLicense): JsonObject {
  const license = name === undefined ? 'not stated' : toDataLine(name, 80);
  return { license, files: fileCount, ...(forbidsSharing && { forbidsSharing }) };
}
