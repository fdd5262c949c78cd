import { isFollowUpRunning, type Transfer } from '../../core/model/transferModel.ts';
import type { Reason } from '../../core/model/reason.ts';
import { affectsWholeServer } from '../../core/transfers/statusUpdates.ts';
import { getBackoffMs, wait } from '../../core/util/clock.ts';
import { describeFollowUp } from '../../core/words/followUpWords.ts';
import { CliError, createRequestError, exitCode } from '../cliError.ts';
import type { CliSession } from '../connections/cliSession.ts';
import { LocalReconnection } from '../connections/localReconnection.ts';
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
/** Consecutive failed requests about one transfer that end the wait, because a single one may be a mishap. */
const maxFailures = 3;

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
  const requests = new StatusRequests(session);
  for (let round = 1, running = listRunning(session, keys); running.length > 0; round += 1) {
    if (signal.aborted || clock.now() >= endMs)
      throw createUnfinishedError(running, requests.haveFailed, signal.aborted, timeoutS);
    const delayMs = getBackoffMs(round, firstDelayMs, maxDelayMs);
    await wait(clock, Math.min(delayMs, endMs - clock.now()), signal);
    for (const transfer of running) await requests.send(transfer);
    running = listRunning(session, keys);
  }
}

function listRunning({ explorer }: CliSession, keys: readonly string[]): readonly Transfer[] {
  return keys.flatMap((key) => explorer.transferStore.get(key) ?? []).filter(isFollowUpRunning);
}

/** Requests statuses, and remembers which of the last requests failed. */
class StatusRequests {
  private readonly session: CliSession;
  private readonly reconnection: LocalReconnection;
  /** Consecutive failures that concern only one transfer, by its key; has each whose last request failed. */
  private readonly failures = new Map<string, number>();

  constructor(session: CliSession) {
    this.session = session;
    this.reconnection = new LocalReconnection(session);
  }

  get haveFailed(): boolean {
    return this.failures.size > 0;
  }

  /** Throws an error if waiting would be in vain. */
  async send(transfer: Transfer): Promise<void> {
    const { explorer, context } = this.session;
    const { key, order } = transfer;
    const reason = await explorer.transferFlow.refreshFollowUp(key);
    if (!reason) this.failures.delete(key);
    if (!reason || context.signal.aborted) return;
    const error = createStatusError(reason);
    if (!this.failures.has(key)) context.output.note(`${getTransferId(transfer).slice(0, 8)}: ${error.message}`);
    const isGeneral = affectsWholeServer(reason);
    const count = isGeneral ? 0 : (this.failures.get(key) ?? 0) + 1;
    this.failures.set(key, count);
    if (explorer.keys.getStatus(order.connectionId) === 'refused' || count >= maxFailures) throw error;
    if (isGeneral) await this.reconnection.tryToOpen(order.connectionId);
  }
}

/** Creates the error for a status that can't be requested, so that waiting would be in vain. */
export function createStatusError(reason: Reason): CliError {
  return createRequestError("Couldn't request the status", reason);
}

function createUnfinishedError(
  running: readonly Transfer[],
  haveFailed: boolean,
  isInterrupted: boolean,
  timeoutS: number,
): CliError {
  const names = running.map(({ status }) => toPlainCell(status?.followUp?.path.split(/[\\/]/).at(-1) ?? ''));
  const continuing = names.length === 1 ? 'continues' : 'continue';
  const continues = `${names.join(', ')} ${haveFailed ? 'may still run' : continuing}.`;
  const ids = running.map(getTransferId).join(' ');
  const advice = `With the same connection options, follow up with: data-transfer wait ${ids}`;
  if (isInterrupted) return new CliError(`Interrupted. ${continues} ${advice}`, exitCode.interrupted);
  return new CliError(`Not finished after ${timeoutS} s. ${continues} ${advice}`);
}

function describe({ status }: Transfer): string {
  return status?.followUp ? describeFollowUp(wording, status.followUp) : '';
}
