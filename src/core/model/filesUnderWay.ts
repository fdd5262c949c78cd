import { hasEnded, type Transfer, type TransferOrder } from './transfer.ts';

/** Files that somebody is about to transfer although they are on their way to the same destination already. */
export interface FilesUnderWay {
  /** How many of the files that are about to be transferred. */
  readonly count: number;
  /** The transfers that carry them, newest first; also those of which nobody knows whether they have begun (D12). */
  readonly transfers: readonly Transfer[];
}

/** Which files of these orders are under way already; `transfers` are all that are known, newest first. */
export function filesUnderWay(transfers: readonly Transfer[], orders: readonly TransferOrder[]): FilesUnderWay {
  const wanted = new Set(orders.flatMap(keysOf));
  const found = new Set<string>();
  const carrying = transfers.filter(({ state, order }) => {
    if (hasEnded(state)) return false;
    const same = keysOf(order).filter((key) => wanted.has(key));
    for (const key of same) found.add(key);
    return same.length > 0;
  });
  return { count: found.size, transfers: carrying };
}

function keysOf({ connectionId, source, destination, files }: TransferOrder): readonly string[] {
  return files.map(({ id }) => JSON.stringify([connectionId, source, destination, id]));
}
