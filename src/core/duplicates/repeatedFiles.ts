import type { TransferFile, TransferOrder } from '../model/transferModel.ts';
import { getContentKey } from './contentKey.ts';

/**
 * Returns the files whose content also occurs in an earlier order of the same submission. Each order has a different
 * source.
 */
export function findRepeatedFiles(orders: readonly TransferOrder[]): ReadonlySet<TransferFile> {
  const repeated = new Set<TransferFile>();
  const seen = new Set<string>();
  for (const { files } of orders) {
    const keyed = files.flatMap((file) => {
      const key = getContentKey(file);
      return key === undefined ? [] : [{ file, key }];
    });
    for (const { file, key } of keyed) if (seen.has(key)) repeated.add(file);
    for (const { key } of keyed) seen.add(key);
  }
  return repeated;
}

/** Returns the orders without the `omitted` files. Drops orders that have no files left. */
export function omitFiles(
  orders: readonly TransferOrder[],
  omitted: ReadonlySet<TransferFile>,
): readonly TransferOrder[] {
  return orders
    .map((order) => ({ ...order, files: order.files.filter((file) => !omitted.has(file)) }))
    .filter(({ files }) => files.length > 0);
}
