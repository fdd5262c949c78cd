import { findForeignSign } from '../model/foreignResponse.ts';
import type { TurnOptions } from '../model/requestTurn.ts';
import { reportBug } from './http.ts';
import { readAccepted, readJson } from './responseReaders.ts';
import type { TransferOptions } from './arguments.ts';
import { buildTransferRequest } from './requestBuilders.ts';
import { DatabaseName } from './databaseName.ts';
import { toForeignFailure, toOwnFailure } from './foreignFailure.ts';
import type { Result } from './result.ts';
import type { ExchangeTrail, HttpRequest } from './exchange.ts';
import type { ClientSession } from './clientSession.ts';

/**
 * Submits a transfer once, with checked arguments, and resolves to its ID (§4.5, D12: never resubmit). If the response
 * belongs to another request, resolves to a failure with `maybeDone`, because the transfer may have been accepted (D35:
 * misrouted responses).
 */
export async function submit(
  session: ClientSession,
  given: TransferOptions,
  { signal, observer, willSend }: TurnOptions,
): Promise<Result<string>> {
  const { source, destination, timeout } = given;
  const sent = [
    (await DatabaseName.resolve(session, source, signal)).sent,
    (await DatabaseName.resolve(session, destination, signal)).sent,
  ] as const;
  const submissionMs = typeof timeout === 'number' ? timeout * 1000 : session.channel.limits.submissionMs;
  const turn = { kind: 'submission', observer, willSend } as const;
  const request = { ...buildTransferRequest(given, ...sent), submissionMs, turn };
  const result = await sendSubmission(session, request, signal);
  if (!result.reason) {
    const sign = findForeignSign({ kind: 'accepted', id: result.value }, {});
    return sign ? toForeignFailure(sign, { detail: result.value }) : result;
  }
  const failure = toOwnFailure(session, result, {
    orcid: given.orcid,
    databases: [source, destination, ...sent],
    fileIds: given.fileIds,
  });
  // The user has to decide whether the transfer started, so keep the message.
  return failure === result ? result : toForeignFailure('OTHER_REFUSAL', result.reason);
}

/**
 * Sends a submission. After an unexpected error, resolves to the ID if the response contains it; otherwise, to a failure
 * with `maybeDone` if the request was sent (D12: never resubmit).
 */
async function sendSubmission(
  session: ClientSession,
  request: HttpRequest,
  signal: AbortSignal | undefined,
): Promise<Result<string>> {
  const trail: ExchangeTrail = {};
  try {
    return await session.request({ ...request, trail }, readAccepted, signal);
  } catch (error) {
    const failure = reportBug(session.channel, error, trail.wasSent);
    const id = readAcceptedId(trail);
    return id === undefined ? failure : { value: id };
  }
}

function readAcceptedId({ response }: ExchangeTrail): string | undefined {
  if (!response || response.status >= 300) return undefined;
  try {
    return readAccepted(readJson(response.text));
  } catch {
    return undefined;
  }
}
