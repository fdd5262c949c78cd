import { findForeignSign, type TransferFacts } from '../model/foreignResponse.ts';
import type { TransferStatus } from '../model/transferModel.ts';
import { wait } from '../util/clock.ts';
import { toOwnFailure } from './foreignFailure.ts';
import { readStatus } from './responseReaders.ts';
import type { Result } from './result.ts';
import type { ClientSession } from './clientSession.ts';
import type { TurnObserver } from '../model/requestTurn.ts';

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
