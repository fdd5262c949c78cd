import type { Reason } from '../model/reason.ts';
import type { TurnOptions } from '../model/requestTurn.ts';
import { nilUuid } from '../util/uuid.ts';
import { readAccepted } from './responseReaders.ts';
import type { CallArguments } from './arguments.ts';
import { buildTransferRequest } from './requestBuilders.ts';
import { DatabaseName } from './databaseName.ts';
import { namesOtherRequest } from './foreignRefusal.ts';
import type { RequestFailure, Result } from './result.ts';
import type { ClientSession } from './clientSession.ts';

/**
 * Submits a transfer once, with checked arguments, and resolves to its ID (§4.5, D12: never resubmit). If the response
 * belongs to another request, resolves to a failure with `maybeDone`, because the transfer may have been accepted (D35:
 * misrouted responses).
 */
export async function submit(
  session: ClientSession,
  given: CallArguments,
  { signal, observer }: TurnOptions,
): Promise<Result<string>> {
  const [source, destination] = [String(given['source']), String(given['destination'])];
  const sent = [
    (await DatabaseName.resolve(session, source, signal)).sent,
    (await DatabaseName.resolve(session, destination, signal)).sent,
  ] as const;
  const timeout = given['timeout'];
  const submissionMs = typeof timeout === 'number' ? timeout * 1000 : session.channel.limits.submissionMs;
  const turn = { kind: 'submission', observer } as const;
  const result = await session.request(
    { ...buildTransferRequest(given, ...sent), submissionMs, turn },
    readAccepted,
    signal,
  );
  if (!result.reason) return result.value === nilUuid ? toForeignFailure(undefined, 'NIL_ID', nilUuid) : result;
  const { status, detail = '', maybeDone } = result.reason;
  if (status === undefined || maybeDone) return result;
  const facts = {
    orcid: String(given['orcid']),
    databases: [source, destination, ...sent],
    fileIds: given['fileIds'] as readonly string[],
    listed: session.listed ?? [],
  };
  return namesOtherRequest(detail, facts) ? toForeignFailure(result.reason, 'OTHER_REFUSAL', detail) : result;
}

function toForeignFailure(refusal: Reason | undefined, code: string, detail: string): RequestFailure {
  const { request, status } = refusal ?? {};
  const facts = { ...(request !== undefined && { request }), ...(status !== undefined && { status }) };
  const reason: Reason = { kind: 'foreignAnswer', ...facts, code, detail, maybeDone: true };
  return { isProblem: false, reason };
}
