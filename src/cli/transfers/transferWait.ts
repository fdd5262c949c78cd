import { wait } from '../../core/util/clock.ts';
import { hasEnded, type Transfer } from '../../core/model/transferModel.ts';
import { getOutcome, getProgress } from '../../core/model/transferOutcome.ts';
import { CliError, createRequestError } from '../cliError.ts';
import type { CliSession } from '../connections/cliSession.ts';
import { exitCode, type ExitCode } from '../exitCode.ts';
import { describeProgress, getTransferId } from '../text/transferDocument.ts';

/** Returns true if waiting for this transfer is no longer necessary. */
type Condition = (transfer: Transfer) => boolean;

/**
 * Returns true for a transfer that won't change by itself. Such a transfer has ended, or only the user can find out
 * whether it started.
 */
export function isSettled({ state }: Transfer): boolean {
  return hasEnded(state) || state === 'notConfirmed';
}

/**
 * Shows the progress of transfers until they are settled. Throws an error with exit code 130 if the command is
 * interrupted, 1 if the time limit is reached, and 3 if the service refuses the key. The transfers continue on the
 * service.
 */
export async function waitForEnd(session: CliSession, keys: readonly string[], timeoutS?: number): Promise<void> {
  const { output } = session.context;
  const show = (transfer: Transfer): void => output.showProgress(describeOne(transfer), getFraction(transfer));
  const isMet = await waitUntil(session, keys, isSettled, timeoutS === undefined ? undefined : timeoutS * 1000, show);
  if (!isMet) throw createUnfinishedError(session, keys, timeoutS);
}

/**
 * Waits until the condition is met for all transfers. Resolves to false if the time limit is reached, the command is
 * interrupted, or the service refuses the key.
 */
export async function waitUntil(
  { explorer, context }: CliSession,
  keys: readonly string[],
  condition: Condition,
  limitMs?: number,
  onChange: (transfer: Transfer) => void = () => undefined,
): Promise<boolean> {
  const done = new AbortController();
  const check = (): void => {
    const pending = keys.flatMap((key) => explorer.transferStore.get(key) ?? []).filter((one) => !condition(one));
    if (pending[0]) onChange(pending[0]);
    if (pending.length === 0 || pending.some((one) => isKeyRefused(explorer, one))) done.abort();
  };
  const subscriptions = [explorer.transferStore.onDidChange(check), explorer.keys.onDidChange(check)];
  check();
  const signal = AbortSignal.any([done.signal, context.signal]);
  await wait(context.clock, limitMs ?? Infinity, signal);
  for (const subscription of subscriptions) subscription.dispose();
  return done.signal.aborted && keys.every((key) => condition(requireTransfer(explorer, key)));
}

/** Returns exit code 0 if all files of all transfers were transferred, otherwise 1. */
export function getEndCode(transfers: readonly Transfer[]): ExitCode {
  return transfers.every((transfer) => getOutcome(transfer) === 'complete') ? exitCode.done : exitCode.failed;
}

/** Returns a transfer from the store. Throws an error if the transfer's record was removed. */
export function requireTransfer({ transferStore }: CliSession['explorer'], key: string): Transfer {
  const transfer = transferStore.get(key);
  if (transfer) return transfer;
  throw new CliError('The record of the transfer was removed.');
}

function createUnfinishedError(
  { explorer, context }: CliSession,
  keys: readonly string[],
  timeoutS?: number,
): CliError {
  const pending = keys.map((key) => requireTransfer(explorer, key)).filter((one) => !isSettled(one));
  const ids = pending.map(getTransferId).join(' ');
  const subject = pending.length > 1 ? 'The transfers continue' : 'The transfer continues';
  const advice = `${subject} on the service. With the same connection options, follow up with: data-transfer wait ${ids}`;
  if (context.signal.aborted) return new CliError(`Interrupted. ${advice}`, exitCode.interrupted);
  const refused = pending.find((one) => isKeyRefused(explorer, one));
  const reason = refused && explorer.keys.getRejection(refused.order.connectionId);
  if (reason) return createRequestError("Couldn't request the status", reason);
  return new CliError(`Not finished after ${timeoutS ?? 0} s. ${advice}`);
}

function isKeyRefused({ keys }: CliSession['explorer'], { order }: Transfer): boolean {
  return keys.getStatus(order.connectionId) === 'refused';
}

/** Describes a transfer in one short line for display beside the progress bar. */
function describeOne(transfer: Transfer): string {
  return `${getTransferId(transfer).slice(0, 8)}: ${describeProgress(transfer)}`;
}

function getFraction(transfer: Transfer): number | undefined {
  const { moved, total } = getProgress(transfer);
  return moved === undefined || !total ? undefined : moved / total;
}
