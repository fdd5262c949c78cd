import { wait } from '../../core/util/clock.ts';
import { hasEnded, type Transfer } from '../../core/model/transferModel.ts';
import { getOutcome, getProgress, getShare } from '../../core/model/transferOutcome.ts';
import { CliError, createRequestError, exitCode, type ExitCode } from '../cliError.ts';
import type { CliSession } from '../connections/cliSession.ts';
import type { Output } from '../output.ts';
import { describeProgress, getSuspensionReason, getTransferId } from '../text/transferText.ts';

/** Returns true if waiting for this transfer is no longer necessary. */
type Condition = (transfer: Transfer) => boolean;

/**
 * Returns true for a transfer that won't change by itself. Such a transfer has ended, or only the user can find out
 * whether it started.
 */
export function isSettled({ state }: Transfer): boolean {
  return hasEnded(state) || state === 'notConfirmed';
}

/** Returns true if a transfer's status was requested after `before`, whether or not the request succeeded. */
export function isNewer({ askedAt, problem }: Transfer, before: Transfer | undefined): boolean {
  return askedAt !== before?.askedAt || (problem !== undefined && problem !== before?.problem);
}

/**
 * Shows the progress of transfers, and why they are inactive, until they are settled or the service ignores their
 * cancellation (D13: ignored cancel). Checks a cancellation that was ignored before once more. Throws an error with exit code
 * 130 if the command is interrupted, 1 if the time limit is reached, and 3 if the service refuses the key. The
 * transfers continue on the service.
 */
export async function waitForEnd(session: CliSession, keys: readonly string[], timeoutS?: number): Promise<void> {
  const show = createProgressDisplay(session.context.output);
  const { monitor, transferStore } = session.explorer;
  const ignored = new Map(
    keys.map((key) => [key, transferStore.get(key)] as const).filter(([, one]) => one?.cancelUnheeded),
  );
  if (ignored.size > 0) monitor.pollNow();
  const isOver = (one: Transfer): boolean => {
    const isChecked = !ignored.has(one.key) || isNewer(one, ignored.get(one.key));
    return isSettled(one) || (one.cancelUnheeded === true && isChecked);
  };
  const isMet = await waitUntil(session, keys, isOver, timeoutS === undefined ? undefined : timeoutS * 1000, show);
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
  onChange: (pending: readonly Transfer[]) => void = () => undefined,
): Promise<boolean> {
  const done = new AbortController();
  const check = (): void => {
    const pending = keys.flatMap((key) => explorer.transferStore.get(key) ?? []).filter((one) => !condition(one));
    onChange(pending);
    if (pending.length === 0 || pending.some((one) => isKeyRefused(explorer, one))) done.abort();
  };
  const subscriptions = [explorer.transferStore.onDidChange(check), explorer.keys.onDidChange(check)];
  check();
  const signal = AbortSignal.any([done.signal, context.signal]);
  await wait(context.clock, limitMs ?? Infinity, signal);
  for (const subscription of subscriptions) subscription.dispose();
  return done.signal.aborted && keys.every((key) => condition(requireTransfer(explorer, key)));
}

/**
 * Returns exit code 0 if all files of all transfers were transferred, 6 if the service ignores the cancellation of one,
 * otherwise 1.
 */
export function getEndCode(transfers: readonly Transfer[]): ExitCode {
  if (transfers.some((one) => one.cancelUnheeded && !isSettled(one))) return exitCode.cancelIgnored;
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
  const advice = `${describePending(pending)} With the same connection options, follow up with: data-transfer wait ${ids}`;
  if (context.signal.aborted) return new CliError(`Interrupted. ${advice}`, exitCode.interrupted);
  const refused = pending.find((one) => isKeyRefused(explorer, one));
  const reason = refused && explorer.keys.getRejection(refused.order.connectionId);
  if (reason) return createRequestError("Couldn't request the status", reason);
  const inactive = pending.filter((one) => getSuspensionReason(one) !== undefined);
  return new CliError([`Not finished after ${timeoutS ?? 0} s`, ...inactive.map(describeOne), advice].join('. '));
}

/** Describes what becomes of transfers for which the command no longer waits. */
function describePending(pending: readonly Transfer[]): string {
  const running = pending.filter(({ cancelAcceptedAt }) => cancelAcceptedAt === undefined);
  const subject = running.length > 1 ? 'The transfers continue' : 'The transfer continues';
  return [
    ...(running.length > 0 ? [`${subject} on the service.`] : []),
    ...(running.length < pending.length ? ["The cancellation was accepted, but the service hasn't confirmed it."] : []),
  ].join(' ');
}

function isKeyRefused({ keys }: CliSession['explorer'], { order }: Transfer): boolean {
  return keys.getStatus(order.connectionId) === 'refused';
}

/**
 * Creates a function that shows the progress of one of these transfers. For each inactive one, it prints the reason
 * when the transfer becomes inactive and when the reason changes.
 */
function createProgressDisplay(output: Output): (pending: readonly Transfer[]) => void {
  const printed = new Map<string, string | undefined>();
  return (pending) => {
    for (const transfer of pending) {
      const reason = getSuspensionReason(transfer);
      if (reason !== undefined && reason !== printed.get(transfer.key)) output.note(describeOne(transfer));
      printed.set(transfer.key, reason);
    }
    const shown = pending.find((one) => getSuspensionReason(one) === undefined);
    if (shown) output.showProgress(describeOne(shown), getFraction(shown));
    else output.hideProgress();
  };
}

function getFraction(transfer: Transfer): number | undefined {
  const progress = getProgress(transfer);
  return progress.moved === undefined ? undefined : getShare([progress]);
}

/** Describes a transfer in one line, with the reason if it is inactive. */
function describeOne(transfer: Transfer): string {
  const reason = getSuspensionReason(transfer);
  const progress = `${getTransferId(transfer).slice(0, 8)}: ${describeProgress(transfer)}`;
  return reason === undefined ? progress : `${progress} (${reason})`;
}
