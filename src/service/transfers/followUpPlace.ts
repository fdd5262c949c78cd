import * as fs from 'node:fs/promises';
import * as nodePath from 'node:path';
import type { TransferRequest } from '../../contract/contract.ts';
import { followUpRule, readFollowUp, thenField, type FollowUp } from '../../core/util/followUp.ts';
import { findStartProblem, isOnPath } from '../../core/util/followUpFile.ts';
import { getManifestNames, getTransferFolderName } from '../../core/util/transferFolderNames.ts';
import type { ServedDatabases } from '../catalog/servedDatabases.ts';
import { createFieldProblem, createFieldsProblem, HttpProblem } from '../http/httpProblem.ts';
import { toQuotable } from '../http/quotable.ts';
import type { TransferRecord } from './journal.ts';

/** Thrown if a follow-up can't be started. The message is a clause that gives the reason. */
export class FollowUpError extends Error {
  override readonly name = 'FollowUpError';
}

/**
 * Returns the follow-up of a submission to a known destination; undefined if it has none. Throws {@link HttpProblem}
 * 403 if the service starts nothing, and 422 if the follow-up can't be started after a transfer to this destination.
 */
export async function readRequestedFollowUp(
  { instructions, destination }: TransferRequest,
  databases: ServedDatabases,
  isAllowed: boolean,
): Promise<FollowUp | undefined> {
  const value = instructions?.[thenField] ?? undefined;
  if (value === undefined) return undefined;
  const followUp = readFollowUp(value);
  if (followUp === undefined) throw createProblem(followUpRule);
  if (!isAllowed) throw new HttpProblem(403, notAllowed, { errors: [{ message: notAllowed, location }] });
  if (databases.find(destination)?.location.folder === undefined)
    throw createProblem('needs a destination that is a folder of this service, not a store');
  if (!nodePath.isAbsolute(followUp.path)) throw createProblem('must have an absolute path');
  await requireStartable(followUp).catch((error: unknown) => {
    if (!(error instanceof FollowUpError)) throw error;
    throw createProblem(
      `names "${toQuotable(followUp.path.slice(-maxQuotedPath))}", which can't be started: ${error.message}`,
    );
  });
  return followUp;
}

/** The end of a path, with the file's name, is worth more than its beginning. */
const maxQuotedPath = 100;
const location = `body.instructions.${thenField}`;
const notAllowed = 'This service starts nothing after a transfer, unless its configuration has "followUps": true.';

function createProblem(message: string): HttpProblem {
  return createFieldsProblem([createFieldProblem('body', ['instructions', thenField], message)]);
}

/** Throws {@link FollowUpError} if a script can't be read, a program can't be executed, or there is no Slurm. */
export async function requireStartable(followUp: FollowUp): Promise<void> {
  const problem = await findStartProblem(followUp);
  if (problem !== undefined) throw new FollowUpError(problem);
  if (followUp.kind === 'sbatch' && !(await isOnPath('sbatch')))
    throw new FollowUpError("sbatch isn't on the PATH of the service");
}

/** Returns the variables that locate a follow-up's files. Throws {@link FollowUpError} without a manifest. */
export async function findVariables(
  record: TransferRecord,
  databases: ServedDatabases,
): Promise<Readonly<Record<string, string>>> {
  const { id, destinationId, destinationPlace } = record;
  const root = destinationPlace ?? databases.findById(destinationId)?.location.folder;
  if (root === undefined) throw new FollowUpError('the destination is no longer served');
  const folder = nodePath.join(root, getTransferFolderName(id, record.folderName));
  for (const name of getManifestNames(id)) {
    const manifest = nodePath.join(folder, name);
    const isThere = await fs.access(manifest).then(
      () => true,
      () => false,
    );
    if (isThere) return { DATA_TRANSFER_FOLDER: folder, DATA_TRANSFER_MANIFEST: manifest, DATA_TRANSFER_ID: id };
  }
  throw new FollowUpError('the manifest of the transfer is gone');
}
