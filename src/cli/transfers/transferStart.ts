import type { AcceptedTransfer } from '../../core/search/recipeRun.ts';
import { findFilesUnderWay } from '../../core/model/filesUnderWay.ts';
import type { Transfer, TransferOrder, TransferRequester } from '../../core/model/transferModel.ts';
import { describeRequestWait } from '../../core/words/sharedSentences.ts';
import { CliError, createRequestError, createUsageError, exitCode, type ExitCode } from '../cliError.ts';
import type { CliSession } from '../connections/cliSession.ts';
import { describeReason } from '../text/reasonText.ts';
import { english } from '../text/sentences.ts';
import { formatCount, toPlainCell } from '../text/terminalText.ts';
import { describeResult, getTransferId, toTransferDocument } from '../text/transferText.ts';
import { createUnrecordedError } from './transferLookup.ts';
import { getEndCode, requireTransfer, waitForEnd } from './transferWait.ts';

/** Begins a sentence about a failure before a transfer was submitted. */
export const nothingSent = 'Nothing was sent';

/** The `--wait` and `--timeout` options. The timeout is in seconds. */
export interface WaitFlags {
  readonly wait?: boolean;
  readonly timeout?: number;
}

/** Throws an error with exit code 2 if there is a timeout, but nothing to wait for. */
export function requireWaitForTimeout({ wait, timeout }: WaitFlags): void {
  if (timeout !== undefined && !wait) throw createUsageError('--timeout needs --wait.');
}

/** Submits a transfer, waits for it to end if requested, and prints its ID (with `--json`, the transfer as JSON). */
export async function startTransfer(session: CliSession, order: TransferOrder, flags: WaitFlags): Promise<ExitCode> {
  const { key } = await submitTransfer(session, order);
  return await reportTransfer(session, key, flags);
}

/**
 * Submits a transfer once (D12: never resubmit). Throws an error if the transfer can't be recorded, if the service
 * doesn't accept it, or if it's unknown whether the service accepted it.
 */
export async function submitTransfer(session: CliSession, order: TransferOrder): Promise<AcceptedTransfer> {
  const transfer = await sendOrder(session, order).catch((error: unknown) => {
    throw createUnrecordedError(session, error);
  });
  if (transfer.id === undefined) throw createStartError(transfer);
  const { id } = transfer;
  const databases = `${toPlainCell(order.source)} to ${toPlainCell(order.destination)}`;
  session.context.output.note(`Started transfer ${id}: ${formatCount(order.files.length, 'file')} from ${databases}.`);
  return { ...transfer, id };
}

/**
 * Submits an order once (D12: never resubmit). While the request waits for its turn, shows so, and withdraws it if the
 * command is interrupted. Rejects if the transfer can't be recorded.
 */
export async function sendOrder(
  { context, explorer }: CliSession,
  order: TransferOrder,
  requestedBy?: TransferRequester,
): Promise<Transfer> {
  const { output, signal } = context;
  const didWait = (): void => output.showProgress(describeRequestWait(english).replace(/\.$/, ''));
  return await explorer.transferFlow.submit(order, undefined, { signal, observer: { didWait } }, requestedBy);
}

/**
 * Prints a transfer's ID (with `--json`, the transfer as JSON). With `wait`, first waits for the transfer to end. If
 * the wait fails, for example because of the time limit, prints the same and then throws the error of the wait.
 */
export async function reportTransfer(
  session: CliSession,
  key: string,
  { wait, timeout }: WaitFlags,
): Promise<ExitCode> {
  try {
    if (wait) await waitForEnd(session, [key], timeout);
  } finally {
    printTransfer(session, key);
  }
  if (!wait) return exitCode.done;
  const transfer = requireTransfer(session.explorer, key);
  session.context.output.note(describeResult(transfer));
  return getEndCode([transfer]);
}

function printTransfer({ explorer, context }: CliSession, key: string): void {
  const transfer = requireTransfer(explorer, key);
  context.output.print({ transfer: toTransferDocument(transfer) }, () => `${getTransferId(transfer)}\n`);
}

/** Creates the error for a submission for which the service returned no ID. */
export function createStartError({ key, state, problem = { kind: 'unreadable' } }: Transfer): CliError {
  if (state === 'cancelled') return new CliError('Interrupted. Nothing was sent.', exitCode.interrupted);
  if (state !== 'notConfirmed') return createRequestError("The transfer wasn't started", problem);
  const text = `It's unclear whether the transfer was started: ${describeReason(problem)}.`;
  return new CliError(`${text} It won't be sent again. To show its record: data-transfer status ${key}`);
}

/**
 * Throws an error if another transfer is, or may be, copying some of the files to the same destination. Such transfers
 * include those started by a process that was killed.
 */
export function requireNotUnderWay(known: readonly Transfer[], order: TransferOrder): void {
  const { count, transfers } = findFilesUnderWay(known, [order]);
  if (transfers.length === 0) return;
  const ids = transfers.map(getTransferId).join(' ');
  const check = `To check, run with the same connection options: data-transfer status ${ids}`;
  const advice = `${check}. Use --again to transfer them anyway.`;
  throw new CliError(
    `Nothing was sent: ${count} of these files may already be in a running transfer (${ids}). ${advice}`,
  );
}
