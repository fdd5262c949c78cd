import { exceedsFileCount, type TransferStatus } from '../model/transferModel.ts';
import { wait } from '../util/clock.ts';
import { readStatus } from './responseReaders.ts';
import type { Result } from './result.ts';
import type { ClientSession } from './clientSession.ts';
import type { TurnObserver } from '../model/requestTurn.ts';
import { parseUuid } from '../util/uuid.ts';

/** Options for a status request. */
export interface StatusOptions {
  /**
   * Number of files in the transfer. A status that reports more files belongs to another transfer (D35: misrouted
   * responses).
   */
  readonly mostFiles?: number | undefined;
  readonly observer?: TurnObserver | undefined;
}

/**
 * The number of consecutive responses about other transfers after which the last one is returned as doubtful (D11:
 * check status identity).
 */
const maxForeignResponses = 3;

/**
 * Requests a transfer's status until the response belongs to that transfer. If three consecutive responses appear to
 * belong to another transfer, resolves to the last response, marked as doubtful (D11: check status identity). Does not
 * retry a 404, because the monitor counts these responses.
 */
export async function requestStatus(
  session: ClientSession,
  id: string,
  signal?: AbortSignal,
  { mostFiles, observer }: StatusOptions = {},
): Promise<Result<TransferStatus>> {
  const { clock, limits, ended } = session.channel;
  const request = { method: 'GET', path: `transfers/${id}`, turn: { kind: 'status', observer } } as const;
  for (let foreign = 1; ; foreign++) {
    const result = await session.request(request, readStatus, signal);
    if (result.reason) return result;
    if (isOwn(result.value, id) && !exceedsFileCount(result.value, mostFiles)) return result;
    if (foreign >= maxForeignResponses) return { value: { ...result.value, doubtful: true } };
    await wait(clock, limits.statusRetryMs, signal ? AbortSignal.any([signal, ended]) : ended);
  }
}

function isOwn({ id, message }: TransferStatus, requestedId: string): boolean {
  if (id !== undefined && parseUuid(id) !== requestedId) return false;
  const named = parseUuid(/^\s*Transfer ([^\s:]+):/i.exec(message ?? '')?.[1] ?? '');
  return named === undefined || named === requestedId;
}
