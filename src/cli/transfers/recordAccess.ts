import { readdir } from 'node:fs/promises';
import { getErrorCode } from '../../core/util/errorFacts.ts';
import { CliError } from '../cliError.ts';
import type { CliSession } from '../connections/cliSession.ts';
import { getLedgerFolder } from '../ledgerFolder.ts';
import { toPlainCell } from '../text/plainCell.ts';

const advice = 'Use --ledger to name another folder.';

/** Throws an error if the folder with the transfer records can't be read. A missing folder isn't an error. */
export async function requireReadableRecords({ context }: CliSession): Promise<void> {
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
