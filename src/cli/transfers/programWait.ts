import { isFollowUpRunning, type Transfer } from '../../core/model/transferModel.ts';
import type { Reason } from '../../core/model/reason.ts';
import { affectsWholeServer } from '../../core/transfers/statusUpdates.ts';
import { getBackoffMs, wait } from '../../core/util/clock.ts';
import { describeFollowUp } from '../../core/words/followUpWords.ts';
import { CliError, createRequestError, exitCode } from '../cliError.ts';
import type { CliSession } from '../connections/cliSession.ts';
import { toPlainCell } from '../output.ts';
import { english } from '../text/sentences.ts';
import { getTransferId } from '../text/transferText.ts';

/** The time at which a wait ends, in milliseconds since 1970, and its length in seconds. */
interface WaitLimit {
  readonly endMs: number;
  readonly timeoutS: number;
}

const wording = { l10n: english, toPlainLine: toPlainCell };
const firstDelayMs = 1_000;
const maxDelayMs = 10_000;

/**
 * Says which programs follow ended transfers, and waits until their ends are known or will stay unknown. Throws an
 * error with exit code 130 if the command is interrupted, 1 if the time limit is reached, 3 if the service refuses the
 * key, and 4 if it no longer knows the transfer. The programs continue.
 */
export async function waitForPrograms(
  session: CliSession,
  keys: readonly string[],
  { endMs, timeoutS }: WaitLimit,
): Promise<void> {
  const { clock, signal, output } = session.context;
  for (const one of listRunning(session, keys)) output.note(`${getTransferId(one).slice(0, 8)}: ${describe(one)}`);
  for (let round = 1, running = listRunning(session, keys); running.length > 0; round += 1) {
    if (signal.aborted || clock.now() >= endMs) throw createUnfinishedError(running, signal.aborted, timeoutS);
    const delayMs = getBackoffMs(round, firstDelayMs, maxDelayMs);
    await wait(clock, Math.min(delayMs, endMs - clock.now()), signal);
    for (const transfer of running) await refresh(session, transfer);
    running = listRunning(session, keys);
  }
}

function listRunning({ explorer }: CliSession, keys: readonly string[]): readonly Transfer[] {
  return keys.flatMap((key) => explorer.transferStore.get(key) ?? []).filter(isFollowUpRunning);
}

async function refresh({ explorer }: CliSession, { key, order }: Transfer): Promise<void> {
  const reason = await explorer.transferFlow.refreshFollowUp(key);
  const isRefused = explorer.keys.getStatus(order.connectionId) === 'refused';
  if (reason && (isRefused || !affectsWholeServer(reason))) throw createStatusError(reason);
}

/** Creates the error for a status that can't be requested, so that waiting would be in vain. */
export function createStatusError(reason: Reason): CliError {
  return createRequestError("Couldn't request the status", reason);
}

function createUnfinishedError(running: readonly Transfer[], isInterrupted: boolean, timeoutS: number): CliError {
  const names = running.map(({ status }) => toPlainCell(status?.followUp?.path.split(/[\\/]/).at(-1) ?? ''));
  const continues = `${names.join(', ')} ${names.length === 1 ? 'continues' : 'continue'}.`;
  const ids = running.map(getTransferId).join(' ');
  const advice = `With the same connection options, follow up with: data-transfer wait ${ids}`;
  if (isInterrupted) return new CliError(`Interrupted. ${continues} ${advice}`, exitCode.interrupted);
  return new CliError(`Not finished after ${timeoutS} s. ${continues} ${advice}`);
}

function describe({ status }: Transfer): string {
  return status?.followUp ? describeFollowUp(wording, status.followUp) : '';
}
