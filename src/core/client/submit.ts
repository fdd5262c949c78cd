import { findForeignSign } from '../model/foreignResponse.ts';
import type { TurnOptions } from '../model/requestTurn.ts';
import { readAccepted } from './responseReaders.ts';
import type { CallArguments } from './arguments.ts';
import { buildTransferRequest } from './requestBuilders.ts';
import { DatabaseName } from './databaseName.ts';
import { toForeignFailure, toOwnFailure } from './foreignFailure.ts';
import type { Result } from './result.ts';
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
  if (!result.reason) {
    const sign = findForeignSign({ kind: 'accepted', id: result.value }, {});
    return sign ? toForeignFailure(sign, { detail: result.value }) : result;
  }
  const failure = toOwnFailure(session, result, {
    orcid: String(given['orcid']),
    databases: [source, destination, ...sent],
    fileIds: given['fileIds'] as readonly string[],
  });
  // The user has to decide whether the transfer started, so keep the message.
  return failure === result ? result : toForeignFailure('OTHER_REFUSAL', result.reason);
}
