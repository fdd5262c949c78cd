import { hasEnded, type Transfer, type TransferOrder } from './transferModel.ts';

/**
 * The number of planned files that other transfers are already copying to the same destination, and those transfers.
 */
export interface FilesUnderWay {
  readonly count: number;
  /** The other transfers, newest first, including those that are not confirmed (D12: never resubmit). */
  readonly transfers: readonly Transfer[];
}

/**
 * Finds the files in `orders` that other transfers are already copying to the same destination. `transfers` contains
 * all known transfers, newest first.
 */
export function findFilesUnderWay(transfers: readonly Transfer[], orders: readonly TransferOrder[]): FilesUnderWay {
  const requested = new Set(orders.flatMap(getFileKeys));
  const found = new Set<string>();
  const carriers = transfers.filter(({ state, order }) => {
    if (hasEnded(state)) return false;
    const same = getFileKeys(order).filter((key) => requested.has(key));
    for (const key of same) found.add(key);
    return same.length > 0;
  });
  return { count: found.size, transfers: carriers };
}

function getFileKeys({ connectionId, source, destination, files }: TransferOrder): readonly string[] {
  return files.map(({ id }) => JSON.stringify([connectionId, source, destination, id]));
}
