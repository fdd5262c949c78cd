import { lstat, stat } from 'node:fs/promises';
import { join } from 'node:path';
import type { OpenConnection } from '../../core/connections/openConnections.ts';
import { isStore, type Database } from '../../core/model/databaseModel.ts';
import { findFolderName, hasEnded, isOfService, type TransferOrder } from '../../core/model/transferModel.ts';
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
  const served = await findServedFolderHere(open, destination);
  const folder = order.folder === undefined ? undefined : await checkFolder(session, order, destination.name, served);
  const followUp = findFollowUp(order.instructions);
  const start = followUp && (await checkFollowUp(followUp, destination, served !== undefined));
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

async function findServedFolderHere(session: OpenConnection, destination: Database): Promise<string | undefined> {
  const folder = findServedFolder(session, destination);
  // A loopback address can lead to another machine through a tunnel.
  const found = folder === undefined ? undefined : await stat(folder).catch(() => undefined);
  return found?.isDirectory() === true ? folder : undefined;
}

async function checkFolder(
  { explorer }: CliSession,
  { connectionId, folder = '', ...order }: TransferOrder,
  destination: string,
  served: string | undefined,
): Promise<Finding> {
  const name = toPlainCell(folder);
  const place = toPlainCell(destination);
  const question = `whether the folder ${name} exists in ${place}`;
  if (served === undefined) return { question };
  try {
    await lstat(join(served, folder));
    return { refusal: `the folder ${name} already exists in ${place}` };
  } catch (error) {
    if (getErrorCode(error) !== 'ENOENT') return { question };
  }
  const isSame = (other: string | undefined): boolean => other?.toLowerCase() === folder.toLowerCase();
  const serviceIds = explorer.sessions.getServiceIds(connectionId);
  const others = explorer.transferStore.getAll().filter((one) => {
    const isThere = one.order.destination === order.destination && isOfService(one, serviceIds);
    return isThere && !hasEnded(one.state) && isSame(findFolderName(one));
  });
  // The record isn't necessarily up to date.
  return others.length > 0 ? { question: `whether the transfer to the folder ${name} has ended` } : {};
}

async function checkFollowUp(followUp: FollowUp, destination: Database, isHere: boolean): Promise<Finding> {
  const path = toPlainCell(followUp.path);
  if (isStore(destination)) return { refusal: 'nothing can be started after a transfer to a store' };
  if (!isHere) return { question: `whether the service can start ${path}` };
  const problem = await findStartProblem(followUp);
  if (problem !== undefined) return { refusal: `${path} can't be started: ${problem}` };
  const isKnown = followUp.kind === 'program' || (await isOnPath('sbatch'));
  return isKnown ? {} : { question: 'whether the service finds sbatch' };
}
