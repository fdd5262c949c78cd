import { findForeignSign, type ForeignSign, type TransferFacts } from '../model/foreignResponse.ts';
import type { Reason } from '../model/reason.ts';
import type { TurnObserver, TurnOptions } from '../model/requestTurn.ts';
import type { TransferStatus } from '../model/transferModel.ts';
import { wait } from '../util/clock.ts';
import { omit } from '../util/json.ts';
import { buildTransferRequest, type TransferOptions } from './arguments.ts';
import type { ClientSession } from './clientSession.ts';
import { DatabaseName } from './databaseName.ts';
import type { ExchangeTrail, HttpRequest } from './exchange.ts';
import { reportBug } from './http.ts';
import type { RequestFailure, Result } from './reply.ts';
import { readAccepted, readJson, readStatus } from './responseReaders.ts';

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

/** Options for a status request. */
export interface StatusOptions {
  /** Facts about the transfer. A response that contradicts it is discarded (D35: misrouted responses). */
  readonly facts?: TransferFacts | undefined;
  readonly observer?: TurnObserver | undefined;
}

/**
 * The number of consecutive responses about other transfers after which the last one is returned as doubtful (D11:
 * check status identity).
 */
const maxForeignResponses = 3;

/**
 * Requests a transfer's status until the response belongs to that transfer. If three consecutive responses appear to
 * belong to another request, resolves to the last one: a status marked as doubtful, or a `foreignAnswer` (D11: check
 * status identity). Does not retry a 404 about the transfer, because the monitor counts these responses.
 */
export async function requestStatus(
  session: ClientSession,
  id: string,
  signal?: AbortSignal,
  { facts, observer }: StatusOptions = {},
): Promise<Result<TransferStatus>> {
  const { clock, limits, ended } = session.channel;
  const own = { ...facts, transferId: id };
  const request = { method: 'GET', path: `transfers/${id}`, turn: { kind: 'status', observer } } as const;
  for (let foreign = 1; ; foreign++) {
    const result = toTrustedResult(session, await session.request(request, readStatus, signal), own);
    const isForeign = result.reason?.kind === 'foreignAnswer' || result.value?.doubtful === true;
    if (!isForeign || foreign >= maxForeignResponses) return result;
    await wait(clock, limits.statusRetryMs, signal ? AbortSignal.any([signal, ended]) : ended);
  }
}

function toTrustedResult(
  session: ClientSession,
  result: Result<TransferStatus>,
  facts: TransferFacts,
): Result<TransferStatus> {
  if (result.reason) return toOwnFailure(session, result, facts);
  const sign = findForeignSign({ kind: 'status', status: result.value }, facts);
  return sign === undefined ? result : { value: { ...result.value, doubtful: true } };
}

/**
 * Returns a failure, or a `foreignAnswer` if the server's refusal appears to belong to another request (D35: misrouted
 * responses). Omits the text of that refusal, which is about another request.
 */
export function toOwnFailure(session: ClientSession, failure: RequestFailure, facts: TransferFacts): RequestFailure {
  const { status, detail = '', maybeDone } = failure.reason;
  if (status === undefined || maybeDone) return failure;
  const sign = findForeignSign({ kind: 'refusal', text: detail }, { ...facts, listed: session.listed ?? [] });
  return sign ? toForeignFailure(sign, omit(failure.reason, 'detail')) : failure;
}

/** Returns the failure for a response that belongs to another request; `refusal` is that response. */
function toForeignFailure(code: ForeignSign, refusal: Partial<Reason> = {}): RequestFailure {
  const { request, status, detail } = refusal;
  const facts = { ...(request !== undefined && { request }), ...(status !== undefined && { status }) };
  const text = detail === undefined ? {} : { detail };
  const reason: Reason = { kind: 'foreignAnswer', ...facts, code, ...text, maybeDone: true };
  return { isProblem: false, reason };
}
