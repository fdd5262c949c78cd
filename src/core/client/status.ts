import type { TransferStatus } from '../model/transfer.ts';
import { wait } from '../util/clock.ts';
import { readStatus } from './answers.ts';
import type { Failed, Read } from './http.ts';
import type { Session } from './session.ts';
import { linkSignals } from './linkedSignal.ts';
import { canonicalUuid } from '../util/uuid.ts';

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
): Promise<Read<TransferStatus> | Failed> {
  const { signal, release } = linkSignals(session.channel.ended, caller);
  try {
    return await session.statusLine.run(async () => await askUntilOwn(session, id, signal), signal);
  } finally {
    release();
  }
}

async function askUntilOwn(session: Session, id: string, signal: AbortSignal): Promise<Read<TransferStatus> | Failed> {
  const { clock, limits } = session.channel;
  for (let strange = 1; ; strange++) {
    const outcome = await session.ask({ method: 'GET', path: `transfers/${id}` }, readStatus, signal);
    if (outcome.kind === 'failed' || isOwn(outcome.value, id)) return outcome;
    if (strange >= mostStrangeAnswers) return { kind: 'read', value: { ...outcome.value, doubtful: true } };
    await wait(clock, limits.askAgainMs, signal);
  }
}

function isOwn({ id, message }: TransferStatus, asked: string): boolean {
  if (id !== undefined && canonicalUuid(id) !== asked) return false;
  const named = canonicalUuid(/^\s*Transfer ([^\s:]+):/i.exec(message ?? '')?.[1] ?? '');
  return named === undefined || named === asked;
}
