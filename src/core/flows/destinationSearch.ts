import { getContentKey } from '../duplicates/contentKey.ts';
import type { FoundFile } from '../model/fileEntry.ts';
import type { TransferFile, TransferOrder } from '../model/transferModel.ts';
import { catchRefusal } from './refusals.ts';
import type { OpenConnection } from './openConnections.ts';

/**
 * The maximum number of sizes per request. Each size is a condition, and the local service accepts at most 200
 * conditions.
 */
const sizesPerRequest = 100;

/** The maximum number of results per request. A search that reaches this number counts as incomplete. */
const maxFound = 1_000;

const maxRequests = 4;

/** Options for {@link searchDestination}. */
interface DestinationQuery {
  readonly session: OpenConnection;
  readonly order: TransferOrder;
  readonly files: readonly TransferFile[];
  readonly signal: AbortSignal;
  /** Called with the content key of each found file for which the key is known. */
  onFound(contentKey: string): void;
}

/**
 * Searches a destination for files with the sizes of `files`. Reports the content key of each file found (D60: same
 * content). Sends at most {@link maxRequests} requests. Searches only the local service, because other services can't
 * be searched by size (D21: search syntax). Resolves to true if all `files` were searched for and all found files could
 * be compared. Never rejects.
 */
export async function searchDestination(query: DestinationQuery): Promise<boolean> {
  const { session, files } = query;
  if (!session.service.hasFullPages) return false;
  const batches = createBatches(files);
  let isComplete = batches.length <= maxRequests && files.every((file) => getContentKey(file) !== undefined);
  for (const batch of batches.slice(0, maxRequests)) {
    const found = await requestSizes(query, batch);
    if (!found) return false;
    isComplete = reportContents(query, found) && isComplete;
  }
  return isComplete;
}

/** Returns the distinct sizes of the files that have a content key, split into one group per request. */
function createBatches(files: readonly TransferFile[]): readonly (readonly number[])[] {
  const sizes = new Set<number>();
  for (const file of files)
    if (file.sizeBytes !== undefined && getContentKey(file) !== undefined) sizes.add(file.sizeBytes);
  return Array.from({ length: Math.ceil(sizes.size / sizesPerRequest) }, (_, index) =>
    [...sizes].slice(index * sizesPerRequest, (index + 1) * sizesPerRequest),
  );
}

async function requestSizes(
  { session, order, signal }: DestinationQuery,
  sizes: readonly number[],
): Promise<readonly FoundFile[] | undefined> {
  const query = sizes.map((size) => `bytes:=${size}`).join(' | ');
  const request = { database: order.destination, orcid: order.orcid, query, limit: maxFound };
  const { value, reason } = await catchRefusal(() => session.client.search(request, signal));
  return reason ? undefined : value;
}

/**
 * Reports the content key of each file found, if known. Returns false if there may be more files, or if some can't be
 * compared.
 */
function reportContents({ files, onFound }: DestinationQuery, found: readonly FoundFile[]): boolean {
  const algorithms = new Set(files.map(getAlgorithm));
  let areComparable = found.length < maxFound;
  for (const file of found) {
    const key = file.kind === 'file' ? getContentKey(file) : undefined;
    if (key !== undefined) onFound(key);
    areComparable &&= file.kind === 'file' && algorithms.size === 1 && algorithms.has(getAlgorithm(file));
  }
  return areComparable;
}

function getAlgorithm(file: TransferFile): string | undefined {
  return getContentKey(file)?.split(':', 1)[0];
}
