import { readdir } from 'node:fs/promises';
import type { OpenConnection } from '../../core/connections/openConnections.ts';
import { hasEnded, type Transfer } from '../../core/model/transferModel.ts';
import { getErrorCode } from '../../core/util/errorFacts.ts';
import { parseUuid } from '../../core/util/uuid.ts';
import { CliError, createRequestError, createUsageError, exitCode } from '../cliError.ts';
import { getLedgerFolder } from '../commandContext.ts';
import type { CliSession } from '../connections/cliSession.ts';
import { findRecordConnection } from '../connections/connectionsFile.ts';
import { toPlainCell } from '../output.ts';
import { describeState, getTransferId } from '../text/transferText.ts';

const minPrefixLength = 4;

/**
 * Loads all transfer records, newest first. Marks a submission as "not confirmed" if its process was killed (D12: never
 * resubmit). Throws an error if the folder with the records can't be read.
 */
export async function loadTransfers(session: CliSession): Promise<readonly Transfer[]> {
  await requireReadableRecords(session);
  const { explorer } = session;
  await explorer.transferFlow.resume();
  await explorer.transferFlow.loadFinished();
  return explorer.transferStore.getAll();
}

/**
 * Finds transfers by their IDs, their keys, or unique prefixes of these. If the options name a service, looks up
 * unrecorded IDs there and records their transfers. Throws an error with exit code 4 if a transfer isn't found.
 */
export async function findTransfers(session: CliSession, names: readonly string[]): Promise<readonly Transfer[]> {
  const known = await loadTransfers(session);
  const found: Transfer[] = [];
  for (const name of names) found.push(findRecord(known, name) ?? (await trackTransfer(session, name)));
  return found;
}

/**
 * Finds one recorded transfer without connecting to a service. Throws an error with exit code 4 if there is no such
 * record. In the error message, `kinds` replaces the word "transfer".
 */
export async function findRecordedTransfer(session: CliSession, name: string, kinds?: string): Promise<Transfer> {
  const found = findRecord(await loadTransfers(session), name);
  if (found) return found;
  throw createNotFoundError(name, { kinds });
}

/**
 * Connects to a transfer's service and returns the connection. Throws an error with exit code 3 if the service is
 * unknown.
 */
export async function connectFor(session: CliSession, transfer: Transfer): Promise<OpenConnection> {
  const { order, addressId } = transfer;
  const connection = findRecordConnection(session.context.options, session.file, order.connectionId, addressId);
  if (connection) return await session.open(connection);
  const advice = 'Use --connections, or --server with the address at which it was started.';
  throw new CliError(`The service of transfer ${getTransferId(transfer)} isn't known. ${advice}`, exitCode.connection);
}

/** Throws an error if a transfer can't be, for example, canceled, because it has ended or its ID isn't known. */
export function requireChangeable(transfer: Transfer, participle: string): void {
  const id = getTransferId(transfer);
  if (hasEnded(transfer.state)) throw new CliError(`Transfer ${id} has already ended: ${describeState(transfer)}.`);
  if (transfer.id === undefined) throw new CliError(`Transfer ${id} can't be ${participle}: its ID isn't known.`);
}

function findRecord(transfers: readonly Transfer[], name: string): Transfer | undefined {
  const wanted = name.toLowerCase();
  const exact = transfers.find(({ id, key }) => id?.toLowerCase() === wanted || key === wanted);
  if (exact) return exact;
  const matching = transfers.filter(({ id, key }) => id?.toLowerCase().startsWith(wanted) || key.startsWith(wanted));
  if (matching.length > 0 && wanted.length < minPrefixLength) throw createShortNameError(name);
  if (matching.length > 1) throw createUsageError(`Several transfer IDs begin with ${toPlainCell(name)}.`);
  return matching[0];
}

async function trackTransfer(session: CliSession, name: string): Promise<Transfer> {
  const id = parseUuid(name);
  const { server, connection } = session.context.options;
  if (id === undefined) throw createNotFoundError(name, { advice: 'List them with: data-transfer history' });
  if ((server ?? connection) === undefined) throw createNotFoundError(name, { advice: lookUpAdvice });
  const { connection: opened } = await session.connect();
  const { trackFlow } = session.explorer;
  const result = await trackFlow.lookUp(opened.id, id, session.context.signal);
  if (result.kind === 'known') return result.transfer;
  if (result.kind === 'found') return await trackFlow.track(opened.id, session.getOrcid(opened.id), id, result.status);
  if (result.reason.kind === 'notFound') throw createNotFoundError(name);
  throw createRequestError(`Couldn't look up transfer ${id}`, result.reason);
}

const lookUpAdvice = 'Use --server or --connection to look it up on its service.';

interface NotFoundWording {
  readonly kinds?: string | undefined;
  readonly advice?: string;
}

function createNotFoundError(name: string, { kinds = 'transfer', advice }: NotFoundWording = {}): CliError {
  const hint = advice === undefined ? '' : ` ${advice}`;
  return new CliError(`There is no ${kinds} ${toPlainCell(name)}.${hint}`, exitCode.notFound);
}

function createShortNameError(name: string): CliError {
  return createUsageError(
    `"${toPlainCell(name)}" is too short: give at least ${minPrefixLength} characters of the ID.`,
  );
}

const advice = 'Use --ledger to name another folder.';

/** Throws an error if the folder with the transfer records can't be read. A missing folder isn't an error. */
async function requireReadableRecords({ context }: CliSession): Promise<void> {
  const folder = getLedgerFolder(context);
  const error = await readdir(folder).then(() => undefined, getErrorCode);
  if (error === undefined || error === 'ENOENT') return;
  throw new CliError(`The transfer records in ${toPlainCell(folder)} can't be read (${error}). ${advice}`);
}

/** Creates the error for a submission that was not sent because it could not be recorded. */
export function createUnrecordedError({ context }: CliSession, error: unknown): CliError {
  const folder = toPlainCell(getLedgerFolder(context));
  const text = `Nothing was sent. The transfer records in ${folder} can't be written (${getErrorCode(error)}).`;
  return new CliError(`${text} ${advice}`);
}
