import type { TurnOptions } from '../model/requestTurn.ts';
import { nilUuid } from '../util/uuid.ts';
import { readAccepted } from './answers.ts';
import type { Given } from './arguments.ts';
import { transferRequest } from './bodies.ts';
import { DatabaseName } from './databaseName.ts';
import { namesOtherRequest } from './foreignRefusal.ts';
import type { Failed, Read } from './http.ts';
import type { Session } from './session.ts';

/**
 * Submits a transfer with checked arguments, once (§4.5, D12), and resolves with its id. An answer that belongs to another
 * request leaves it open whether the transfer was accepted (D35).
 */
export async function submit(
  session: Session,
  given: Given,
  { signal, observer }: TurnOptions,
): Promise<Read<string> | Failed> {
  const [source, destination] = [String(given['source']), String(given['destination'])];
  const sent = [
    (await DatabaseName.of(session, source, signal)).sent,
    (await DatabaseName.of(session, destination, signal)).sent,
  ] as const;
  const timeout = given['timeout'];
  const submissionMs = typeof timeout === 'number' ? timeout * 1000 : session.channel.limits.submissionMs;
  const turn = { kind: 'submission', observer } as const;
  const outcome = await session.ask({ ...transferRequest(given, ...sent), submissionMs, turn }, readAccepted, signal);
  if (outcome.kind === 'read') return outcome.value === nilUuid ? foreign(undefined, 'NIL_ID', nilUuid) : outcome;
  const { status, detail = '', maybeDone } = outcome.reason;
  if (status === undefined || maybeDone) return outcome;
  const facts = {
    orcid: String(given['orcid']),
    databases: [source, destination, ...sent],
    fileIds: given['fileIds'] as readonly string[],
    listed: session.listed ?? [],
  };
  return namesOtherRequest(detail, facts) ? foreign(outcome, 'OTHER_REFUSAL', detail) : outcome;
}

function foreign(outcome: Failed | undefined, code: string, detail: string): Failed {
  const { request, status } = outcome?.reason ?? {};
  return {
    kind: 'failed',
    isProblem: false,
    reason: {
      kind: 'foreignAnswer',
      ...(request !== undefined && { request }),
      ...(status !== undefined && { status }),
      code,
      detail,
      maybeDone: true,
    },
  };
}
