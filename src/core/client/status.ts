import { countsMoreThan, type TransferStatus } from '../model/transfer.ts';
import { wait } from '../util/clock.ts';
import { readStatus } from './answers.ts';
import type { Failed, Read } from './http.ts';
import type { Session } from './session.ts';
import { linkSignals } from './linkedSignal.ts';
import type { TurnObserver } from '../model/requestTurn.ts';
import { canonicalUuid } from '../util/uuid.ts';

/** Describes a status request. */
export interface StatusOptions {
  /** Number of requested files; an answer that counts more is another transfer's (D35). */
  readonly mostFiles?: number | undefined;
  readonly observer?: TurnObserver | undefined;
}

/** Answers in a row that may be another transfer's until one is shown all the same (D11). */
const mostStrangeAnswers = 3;

/**
 * Asks for a transfer's status until the answer is that transfer's own; after three that seem to be another's,
 * the last is told as doubtful (D11). A 404 is told as it came; who watches the transfer counts them.
 */
export async function askStatus(
  session: Session,
  id: string,
  caller?: AbortSignal,
  options: StatusOptions = {},
): Promise<Read<TransferStatus> | Failed> {
  const { signal, release } = linkSignals(session.channel.ended, caller);
  try {
    return await askUntilOwn(session, id, signal, options);
  } finally {
    release();
  }
}

async function askUntilOwn(
  session: Session,
  id: string,
  signal: AbortSignal,
  { mostFiles, observer }: StatusOptions,
): Promise<Read<TransferStatus> | Failed> {
  const { clock, limits } = session.channel;
  const request = { method: 'GET', path: `transfers/${id}`, turn: { kind: 'status', observer } } as const;
  for (let strange = 1; ; strange++) {
    const outcome = await session.ask(request, readStatus, signal);
    if (outcome.kind === 'failed') return outcome;
    if (isOwn(outcome.value, id) && !countsMoreThan(outcome.value, mostFiles)) return outcome;
    if (strange >= mostStrangeAnswers) return { kind: 'read', value: { ...outcome.value, doubtful: true } };
    await wait(clock, limits.askAgainMs, signal);
  }
}

function isOwn({ id, message }: TransferStatus, asked: string): boolean {
  if (id !== undefined && canonicalUuid(id) !== asked) return false;
  const named = canonicalUuid(/^\s*Transfer ([^\s:]+):/i.exec(message ?? '')?.[1] ?? '');
  return named === undefined || named === asked;
}
