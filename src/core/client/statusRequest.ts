import { findForeignSign, type ForeignSign, type TransferFacts } from '../model/foreignResponse.ts';
import type { Reason } from '../model/reason.ts';
import type { TurnObserver } from '../model/requestTurn.ts';
import type { TransferStatus } from '../model/transferModel.ts';
import { wait } from '../util/clock.ts';
import { omit } from '../util/json.ts';
import type { ClientSession } from './clientSession.ts';
import type { RequestFailure, Result } from './reply.ts';
import { readStatus } from './responseReaders.ts';

/** Options for a status request. */
export interface StatusOptions {
  /** Facts about the transfer. A response that contradicts it is discarded (D35: misrouted responses). */
  readonly facts?: TransferFacts | undefined;
  readonly observer?: TurnObserver | undefined;
}

/** Consecutive responses about other transfers, the last of which is doubtful (D11: check status identity). */
const maxForeignResponses = 3;

/**
 * Requests the status of a transfer (§4.6). Asks again for a response that is about another transfer; the last one is
 * marked as doubtful, or is a `foreignAnswer` if it is a refusal.
 */
export async function requestStatus(
  session: ClientSession,
  transferId: string,
  { facts, observer }: StatusOptions,
  signal: AbortSignal | undefined,
): Promise<Result<TransferStatus>> {
  const { apiPath, clock, limits, ended } = session;
  const isLocal = session.service.hasFullPages === true;
  const path = `${apiPath}/transfers/${transferId}`;
  const request = { method: 'GET', path, turn: { kind: 'status', observer } } as const;
  for (let foreign = 1; ; foreign++) {
    const result = await session.request(request, (json) => readStatus(json, isLocal), signal);
    const trusted = toTrustedResult(session, result, { ...facts, transferId });
    const isForeign = trusted.reason?.kind === 'foreignAnswer' || trusted.value?.doubtful === true;
    if (!isForeign || foreign >= maxForeignResponses) return trusted;
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

/** Returns the failure of a response that appears to belong to another request (D35: misrouted responses). */
export function toForeignFailure(code: ForeignSign, { request, status, detail }: Partial<Reason>): RequestFailure {
  const reason: Reason = {
    kind: 'foreignAnswer',
    ...(request !== undefined && { request }),
    ...(status !== undefined && { status }),
    code,
    ...(detail !== undefined && { detail }),
    maybeDone: true,
  };
  return { isProblem: false, reason };
}
