import { isReadOnly, type ServedDatabase } from '../catalog/servedDatabases.ts';
import type { DatabaseRegistry } from '../databases/databaseRegistry.ts';
import { toQuotable } from '../http/quotable.ts';
import type { TransferRecord } from './journalRecord.ts';
import { TransferFailure } from './transferErrors.ts';

/** The two databases of a transfer. */
interface ServedPair {
  readonly source: ServedDatabase;
  readonly destination: ServedDatabase;
}

/** Returns the databases of a transfer; undefined unless both are served. */
export function findServedPair(
  databases: DatabaseRegistry,
  { sourceId, destinationId }: TransferRecord,
): ServedPair | undefined {
  const [source, destination] = [sourceId, destinationId].map((id) => databases.findById(id));
  return source && destination && { source, destination };
}

/**
 * Throws {@link TransferFailure} if the destination has become read-only since the submission (D43: read-only
 * databases).
 */
export function checkWritable(databases: DatabaseRegistry, record: TransferRecord): void {
  const destination = findServedPair(databases, record)?.destination;
  if (destination === undefined || !isReadOnly(destination)) return;
  throw new TransferFailure(`the database "${toQuotable(destination.document.name)}" is read-only`);
}
