import { lstat } from 'node:fs/promises';
import { join } from 'node:path';
import { isLoopback, type ServiceInfo } from '../../core/model/connection.ts';
import { isStore, type Database } from '../../core/model/databaseModel.ts';
import { findFolderName, hasEnded, type TransferOrder } from '../../core/model/transferModel.ts';
import { findLack } from '../../core/transfers/transferFlow.ts';
import { getErrorCode } from '../../core/util/errorFacts.ts';
import { findFollowUp, type FollowUp } from '../../core/util/followUp.ts';
import { findStartProblem, isOnPath } from '../../core/util/followUpFile.ts';
import { findServedFolder } from '../../core/verification/transferredFolder.ts';
import type { CliSession } from '../connections/cliSession.ts';
import { toPlainCell } from '../output.ts';
import { describeUnsentReason } from '../text/sentences.ts';

/** Why a service would refuse an order, and what isn't known of that, as clauses in plain text. */
interface SubmissionCheck {
  readonly refusals: readonly string[];
  readonly unchecked: readonly string[];
}

/**
 * Finds out, without sending anything, whether the service of an open connection would refuse the name of an order's
 * folder, or what is to follow the transfer. `destination` is undefined if the service doesn't list it.
 */
export async function checkSubmission(
  session: CliSession,
  order: TransferOrder,
  destination: Database | undefined,
): Promise<SubmissionCheck> {
  const refusals: string[] = [];
  const unchecked: string[] = [];
  const open = session.explorer.sessions.get(order.connectionId);
  if (!open || !destination) return { refusals, unchecked };
  const lack = findLack(order, open.service);
  if (lack) return { refusals: [describeUnsentReason(lack)], unchecked };
  const folder = order.folder === undefined ? undefined : await checkFolder(session, order, destination);
  const followUp = findFollowUp(order.instructions);
  const start = followUp && (await checkFollowUp(open.service, followUp, destination));
  for (const { refusal, question } of [folder ?? {}, start ?? {}]) {
    if (refusal !== undefined) refusals.push(refusal);
    if (question !== undefined) unchecked.push(question);
  }
  return { refusals, unchecked };
}

/** Nothing, if the service would accept it. */
interface Finding {
  readonly refusal?: string;
  readonly question?: string;
}

async function checkFolder(
  { explorer }: CliSession,
  { connectionId, folder = '', ...order }: TransferOrder,
  destination: Database,
): Promise<Finding> {
  const name = toPlainCell(folder);
  const isSame = (other: string | undefined): boolean => other?.toLowerCase() === folder.toLowerCase();
  const others = explorer.transferStore.getAll().filter((one) => {
    const isThere = one.order.connectionId === connectionId && one.order.destination === order.destination;
    return isThere && !hasEnded(one.state) && isSame(findFolderName(one));
  });
  if (others.length > 0) return { refusal: `the folder ${name} belongs to a transfer that is not finished` };
  const open = explorer.sessions.get(connectionId);
  const served = open && findServedFolder(open, destination);
  const place = toPlainCell(destination.name);
  const question = `whether the folder ${name} exists in ${place}`;
  if (served === undefined) return { question };
  return await lstat(join(served, folder)).then(
    () => ({ refusal: `the folder ${name} already exists in ${place}` }),
    (error: unknown) => (getErrorCode(error) === 'ENOENT' ? {} : { question }),
  );
}

async function checkFollowUp({ address }: ServiceInfo, followUp: FollowUp, destination: Database): Promise<Finding> {
  const path = toPlainCell(followUp.path);
  if (isStore(destination)) return { refusal: 'nothing can be started after a transfer to a store' };
  if (!isLoopback(new URL(address).hostname)) return { question: `whether the service can start ${path}` };
  const problem = await findStartProblem(followUp);
  if (problem !== undefined) return { refusal: `${path} can't be started: ${problem}` };
  const isKnown = followUp.kind === 'program' || (await isOnPath('sbatch'));
  return isKnown ? {} : { question: 'whether the service finds sbatch' };
}
