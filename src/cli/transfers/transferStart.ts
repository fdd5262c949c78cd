import { resolve } from 'node:path';
import { findFilesUnderWay, getOutcome, getProgress, getShare } from '../../core/model/transferOutcome.ts';
import {
  hasEnded,
  hasFailedFollowUp,
  hasMissedFollowUp,
  isPausedByUser,
  type Transfer,
  type TransferOrder,
  type TransferRequester,
} from '../../core/model/transferModel.ts';
import { findCluster } from '../../core/model/databaseModel.ts';
import type { AcceptedTransfer } from '../../core/search/recipeRun.ts';
import { wait } from '../../core/util/clock.ts';
import { toSentence } from '../../core/util/sharedTexts.ts';
import { findFollowUp, toFollowUp, type FollowUp } from '../../core/util/followUp.ts';
import { describePlannedFollowUp, getFollowUpLabel } from '../../core/words/followUpWords.ts';
import { describeRequestWait } from '../../core/words/sharedSentences.ts';
import { CliError, createRequestError, createUsageError, exitCode, type ExitCode } from '../cliError.ts';
import type { CliSession } from '../connections/cliSession.ts';
import { LocalReconnection } from '../connections/localReconnection.ts';
import { type Output, formatCount, toPlainCell } from '../output.ts';
import { describeCluster, describeReason, english } from '../text/sentences.ts';
import {
  describeProgress,
  describeResult,
  getRunningMessage,
  getSuspensionReason,
  getTransferId,
  toTransferDocument,
} from '../text/transferText.ts';
import { createStatusError, waitForPrograms } from './programWait.ts';
import { createUnrecordedError, loadTransfers } from './transferLookup.ts';

/** Begins a sentence about a failure before a transfer was submitted. */
export const nothingSent = 'Nothing was sent';

const wording = { l10n: english, toPlainLine: toPlainCell };

/** The `--wait` and `--timeout` options. The timeout is in seconds. */
export interface WaitFlags {
  readonly wait?: boolean;
  readonly timeout?: number;
}

/** Returns the follow-up that the `--then` option names, relative to the working folder; undefined without the option. */
export function readFollowUpOption(file: string | undefined): FollowUp | undefined {
  return file === undefined ? undefined : toFollowUp(resolve(file));
}

/** Throws an error with exit code 2 if there is a timeout, but nothing to wait for. */
export function requireWaitForTimeout({ wait, timeout }: WaitFlags): void {
  if (timeout !== undefined && !wait) throw createUsageError('--timeout needs --wait.');
}

/**
 * Submits a transfer once (D12: never resubmit). Unless `again` is true, throws an error if a transfer that has not
 * ended may include some of the files. Also throws an error if the transfer can't be recorded, if the service doesn't
 * accept it, or if it's unknown whether the service accepted it.
 */
export async function submitTransfer(
  session: CliSession,
  order: TransferOrder,
  again = false,
): Promise<AcceptedTransfer> {
  const known = await loadTransfers(session);
  if (!again) requireNotUnderWay(session, known, order);
  const transfer = await sendOrder(session, order).catch((error: unknown) => {
    throw createUnrecordedError(session, error);
  });
  if (transfer.id === undefined) throw createStartError(transfer);
  const { id } = transfer;
  const folder = order.folder === undefined ? '' : `, folder ${toPlainCell(order.folder)}`;
  const databases = `${toPlainCell(order.source)} to ${toPlainCell(order.destination)}${folder}`;
  const { output } = session.context;
  output.note(`Started transfer ${id}: ${formatCount(order.files.length, 'file')} from ${databases}.`);
  noteCluster(session, order);
  const followUp = findFollowUp(order.instructions);
  if (followUp) output.note(`${getFollowUpLabel(english)}: ${describePlannedFollowUp(wording, followUp)}.`);
  return { ...transfer, id };
}

function noteCluster({ context, explorer }: CliSession, { source, destination, files }: TransferOrder): void {
  const [from, to] = [source, destination].map((name) => explorer.connectionStore.findDatabase(name));
  const cluster = findCluster(from, to, files);
  if (cluster) context.output.note(toSentence(describeCluster(cluster)));
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
 * Prints a transfer's ID (with `--json`, the transfer as JSON, with the fields of `more`). With `wait`, first waits
 * for the transfer and the program that follows it to end. If the wait fails, for example because of the time limit,
 * prints the same and then throws the error of the wait.
 */
export async function reportTransfer(
  session: CliSession,
  key: string,
  { wait, timeout }: WaitFlags,
  more: object = {},
): Promise<ExitCode> {
  try {
    if (wait) await waitForEndAndFollowUp(session, [key], timeout);
  } finally {
    printTransfer(session, key, more);
  }
  if (!wait) return exitCode.done;
  const transfer = requireTransfer(session.explorer, key);
  session.context.output.note(describeResult(transfer));
  return getEndCode([transfer]);
}

function printTransfer({ explorer, context }: CliSession, key: string, more: object): void {
  const transfer = requireTransfer(explorer, key);
  context.output.print({ transfer: toTransferDocument(transfer), ...more }, () => `${getTransferId(transfer)}\n`);
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
function requireNotUnderWay({ explorer }: CliSession, known: readonly Transfer[], order: TransferOrder): void {
  const serviceIds = explorer.sessions.getServiceIds(order.connectionId);
  const { count, transfers } = findFilesUnderWay(known, [order], serviceIds);
  if (transfers.length === 0) return;
  const ids = transfers.map(getTransferId).join(' ');
  const check = `To check, run with the same connection options: data-transfer status ${ids}`;
  const advice = `${check}. Use --again to transfer them anyway.`;
  throw new CliError(
    `Nothing was sent: ${count} of these files may already be in a running transfer (${ids}). ${advice}`,
  );
}

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
 * cancellation (D13: ignored cancel). Checks a cancellation that was ignored before once more. Throws an error with
 * exit code 130 if the command is interrupted, 1 if the time limit is reached, and 3 if the service refuses the key.
 * The transfers continue on the service.
 */
export async function waitForEnd(session: CliSession, keys: readonly string[], timeoutS?: number): Promise<void> {
  const { monitor, transferStore } = session.explorer;
  const ignored = new Map(
    keys.map((key) => [key, transferStore.get(key)] as const).filter(([, one]) => one?.cancelUnheeded),
  );
  if (ignored.size > 0) monitor.pollNow();
  const isOver = (one: Transfer): boolean => {
    const isChecked = !ignored.has(one.key) || isNewer(one, ignored.get(one.key));
    return isSettled(one) || (one.cancelUnheeded === true && isChecked);
  };
  const isMet = await waitWithReconnection(session, keys, isOver, timeoutS);
  if (!isMet) throw createUnfinishedError(session, keys, timeoutS);
}

async function waitWithReconnection(
  session: CliSession,
  keys: readonly string[],
  isOver: Condition,
  timeoutS = Infinity,
): Promise<boolean> {
  const { output, signal } = session.context;
  const [show, reconnection] = [createProgressDisplay(output), new LocalReconnection(session)];
  const ending = new AbortController();
  const endOrInterruption = AbortSignal.any([ending.signal, signal]);
  const onChange = (pending: readonly Transfer[]): void => {
    show(pending);
    reconnection.update(pending, endOrInterruption);
  };
  return await waitUntil(session, keys, isOver, timeoutS * 1000, onChange).finally(() => ending.abort());
}

/**
 * Like {@link waitForEnd}, and then waits for the programs that follow the transfers. Jobs aren't waited for: only Slurm
 * knows their end.
 */
export async function waitForEndAndFollowUp(
  session: CliSession,
  keys: readonly string[],
  timeoutS?: number,
): Promise<void> {
  const startMs = session.context.clock.now();
  await waitForEnd(session, keys, timeoutS);
  await waitForPrograms(session, keys, { timeoutS: timeoutS ?? 0, endMs: startMs + (timeoutS ?? Infinity) * 1000 });
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
 * Returns exit code 0 if all files of all transfers were transferred and what follows was started and hasn't failed, 6
 * if the service ignores the cancellation of one, otherwise 1.
 */
export function getEndCode(transfers: readonly Transfer[]): ExitCode {
  if (transfers.some((one) => one.cancelUnheeded && !isSettled(one))) return exitCode.cancelIgnored;
  const isDone = (transfer: Transfer): boolean =>
    getOutcome(transfer) === 'complete' && !hasMissedFollowUp(transfer) && !hasFailedFollowUp(transfer);
  return transfers.every(isDone) ? exitCode.done : exitCode.failed;
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
  const followUp = `With the same connection options, follow up with: data-transfer wait ${ids}`;
  const advice = [describePending(pending), followUp].filter(Boolean).join(' ');
  if (context.signal.aborted) return new CliError(`Interrupted. ${advice}`, exitCode.interrupted);
  const refused = pending.find((one) => isKeyRefused(explorer, one));
  const reason = refused && explorer.keys.getRejection(refused.order.connectionId);
  if (reason) return createStatusError(reason);
  const inactive = pending.filter((one) => getSuspensionReason(one) !== undefined);
  return new CliError([`Not finished after ${timeoutS ?? 0} s`, ...inactive.map(describeOne), advice].join('. '));
}

/** Describes what becomes of transfers for which the command no longer waits. */
function describePending(pending: readonly Transfer[]): string {
  const others = pending.filter((one) => !isPausedByUser(one));
  const running = others.filter(({ cancelAcceptedAt }) => cancelAcceptedAt === undefined);
  const subject = running.length > 1 ? 'The transfers continue' : 'The transfer continues';
  return [
    ...(running.length > 0 ? [`${subject} on the service.`] : []),
    ...(running.length < others.length ? ["The cancellation was accepted, but the service hasn't confirmed it."] : []),
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

function describeOne(transfer: Transfer): string {
  const reason = getSuspensionReason(transfer) ?? getRunningMessage(transfer);
  const progress = `${getTransferId(transfer).slice(0, 8)}: ${describeProgress(transfer)}`;
  return reason === undefined ? progress : `${progress} (${reason})`;
}
