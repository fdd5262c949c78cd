import {
  filterSameDestination,
  findReceivedFiles,
  getContentKey,
  getCopyKeys,
  getPlaceKeys,
  type FileContent,
  type PlacedFile,
  type VerifiedFiles,
} from '../duplicates/equalFiles.ts';
import type { CopyIndex } from '../duplicates/copyIndex.ts';
import type { FoundFile } from '../model/fileEntry.ts';
import { isOfService, type Transfer, type TransferFile, type TransferOrder } from '../model/transferModel.ts';
import type { TransferStore } from './transferStore.ts';
import { settlesWithin, type Clock } from '../util/clock.ts';
import { removeTransferFolder } from '../util/transferFolderNames.ts';
import { catchRefusal, type OpenConnection, type OpenConnections } from '../connections/openConnections.ts';

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
  onFound(file: PlacedFile): void;
}

/**
 * Searches a destination for files with the sizes of `files`, and reports each file found (D60: same content). Sends
 * at most {@link maxRequests} requests. Searches only the local service, because other services can't be searched by
 * size (D21: search syntax). Resolves to true if all `files` were searched for and all found files could be compared.
 * Never rejects.
 */
async function searchDestination(query: DestinationQuery): Promise<boolean> {
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
  const { value, reason } = await catchRefusal(session.client.search(request, signal));
  return reason ? undefined : value;
}

/** Reports each file found. Returns false if there may be more files, or if some can't be compared. */
function reportContents({ files, onFound }: DestinationQuery, found: readonly FoundFile[]): boolean {
  const algorithms = new Set(files.map(getAlgorithm));
  let areComparable = found.length < maxFound;
  for (const file of found) {
    if (file.kind === 'file') onFound(file);
    areComparable &&= file.kind === 'file' && algorithms.size === 1 && algorithms.has(getAlgorithm(file));
  }
  return areComparable;
}

function getAlgorithm(file: TransferFile): string | undefined {
  return getContentKey(file)?.split(':', 1)[0];
}

/** The files of a planned submission that the destination is known to have already (D60: same content). */
export interface KnownCopies {
  /** The files that the destination has under the same path. */
  readonly atDestination: ReadonlySet<TransferFile>;
  /** The files whose content the destination has under another path. A data set may need each of them in its place. */
  readonly elsewhere: ReadonlySet<TransferFile>;
  /** The files whose content the destination has, but doesn't state the path. */
  readonly unplaced: ReadonlySet<TransferFile>;
  /** False if the destination might also contain other files from the submission. */
  readonly isComplete: boolean;
  /**
   * The files that earlier transfers wrote to the destination under the same path, unless a complete search of the
   * destination shows that they are no longer there. Each value is the time at which the newest such transfer ended,
   * in milliseconds since 1970.
   */
  readonly received: ReadonlyMap<TransferFile, number>;
}

/** Options for {@link DuplicateFlow.findKnownCopies}. */
export interface KnownCopiesOptions {
  readonly signal?: AbortSignal;
  /** Resolves to the intact files of those `transfers` that have been verified; absent if that is unknown. */
  readonly readVerified?: (transfers: readonly Transfer[], signal: AbortSignal) => Promise<readonly VerifiedFiles[]>;
}

interface DuplicateFlowDependencies {
  readonly sessions: OpenConnections;
  readonly copies: CopyIndex;
  readonly transfers: TransferStore;
  readonly clock: Clock;
  loadFinished(): Promise<void>;
}

/** The results so far for the planned files. */
interface KnownSoFar {
  /** The chosen names of transfers' folders at the destination. */
  folders: ReadonlySet<string>;
  /** The content keys of the files at the destination that have a path, and of those whose path is unknown. */
  readonly contents: Set<string>;
  readonly unplaced: Set<string>;
  /** The copy keys of the files at the destination (see {@link getCopyKeys}). */
  readonly copies: Set<string>;
  isComplete: boolean;
  received: KnownCopies['received'];
}

interface Plan {
  readonly order: TransferOrder;
  readonly files: readonly TransferFile[];
  readonly known: KnownSoFar;
}

/** The maximum time for which the search may delay the summary of a submission, in milliseconds. */
const maxWaitMs = 2_000;

/** The maximum number of earlier transfers to compare, starting with the newest. */
const maxEarlierTransfers = 20;

/** Adds a file at the destination, also by its path in a transfer's own folder. Its ID is not that of the source. */
function addFound({ folders, contents, unplaced, copies }: KnownSoFar, { path, ...file }: PlacedFile): void {
  const content = getContentKey(file);
  if (content !== undefined) (path === undefined ? unplaced : contents).add(content);
  if (path === undefined) return;
  for (const place of [path, removeTransferFolder(path, folders)])
    for (const key of getPlaceKeys({ ...pickContent(file), path: place })) copies.add(key);
}

function pickContent({ hash, sizeBytes }: FileContent): FileContent {
  return { ...(hash !== undefined && { hash }), ...(sizeBytes !== undefined && { sizeBytes }) };
}

/** Finds which files of a planned submission the destination already has (D60: same content). */
export class DuplicateFlow {
  private readonly dependencies: DuplicateFlowDependencies;

  constructor(dependencies: DuplicateFlowDependencies) {
    this.dependencies = dependencies;
  }

  /**
   * Looks for the files of `orders` at the destination, in loaded search results and in earlier transfers. Resolves to
   * the copies that were found before {@link maxWaitMs} milliseconds passed or the signal was aborted. Never rejects.
   */
  async findKnownCopies(orders: readonly TransferOrder[], options: KnownCopiesOptions): Promise<KnownCopies> {
    const [order] = orders;
    const files = orders.flatMap((one) => one.files);
    const sets = { contents: new Set<string>(), unplaced: new Set<string>(), copies: new Set<string>() };
    const known: KnownSoFar = { folders: new Set(), ...sets, isComplete: false, received: new Map() };
    if (order) await this.collect({ order, files, known }, options);
    const { isComplete } = known;
    if (order && !isComplete) this.addLoadedResults(order, files, known);
    const isThere = (file: TransferFile): boolean => getCopyKeys(file).some((key) => known.copies.has(key));
    const hasContent = (contents: ReadonlySet<string>, file: TransferFile): boolean =>
      contents.has(getContentKey(file) ?? '') && !isThere(file);
    // After a complete search, a file that wasn't found is known to be gone.
    const received = new Map([...known.received].filter(([file]) => !isComplete || isThere(file)));
    const elsewhere = new Set(files.filter((file) => hasContent(known.contents, file)));
    const unplaced = new Set(files.filter((file) => hasContent(known.unplaced, file) && !elsewhere.has(file)));
    return { atDestination: new Set(files.filter(isThere)), elsewhere, unplaced, isComplete, received };
  }

  private findFolders({ connectionId, destination }: TransferOrder): ReadonlySet<string> {
    const { transfers, sessions } = this.dependencies;
    const serviceIds = sessions.getServiceIds(connectionId);
    const all = transfers.getAll().flatMap((one) => {
      const isThere = one.order.destination === destination && isOfService(one, serviceIds);
      return isThere ? (one.status?.folder ?? one.order.folder ?? []) : [];
    });
    return new Set(all);
  }

  private async collect(plan: Plan, options: KnownCopiesOptions): Promise<void> {
    const limit = new AbortController();
    const found: PlacedFile[] = [];
    const receive = async (): Promise<void> => {
      await this.dependencies.loadFinished();
      await this.findReceived(plan, options, limit.signal);
    };
    const work = [this.searchDestination(plan, found, limit.signal), receive()];
    await this.waitFor(Promise.allSettled(work), options.signal);
    limit.abort();
    // Only now are all the folders known whose names were chosen.
    plan.known.folders = this.findFolders(plan.order);
    for (const file of found) addFound(plan.known, file);
  }

  private async waitFor(work: Promise<unknown>, signal?: AbortSignal): Promise<void> {
    const cancelled = new Promise<void>((resolve) => signal?.addEventListener('abort', () => resolve()));
    if (!signal?.aborted) await settlesWithin(this.dependencies.clock, maxWaitMs, Promise.race([work, cancelled]));
  }

  private async searchDestination(
    { order, files, known }: Plan,
    found: PlacedFile[],
    signal: AbortSignal,
  ): Promise<void> {
    const session = this.dependencies.sessions.get(order.connectionId);
    if (!session) return;
    const onFound = (file: PlacedFile): void => void found.push(file);
    known.isComplete = await searchDestination({ session, order, files, signal, onFound });
  }

  /** Adds what searches have found at the destination. They may be outdated, so a complete search is preferred. */
  private addLoadedResults(order: TransferOrder, files: readonly TransferFile[], known: KnownSoFar): void {
    const { connectionId, destination } = order;
    for (const file of new Map(files.map((one) => [getContentKey(one), one])).values())
      for (const { path } of this.dependencies.copies.findIn(connectionId, destination, file))
        addFound(known, { ...pickContent(file), ...(path !== undefined && { path }) });
  }

  private async findReceived(
    { order, files, known }: Plan,
    { readVerified }: KnownCopiesOptions,
    signal: AbortSignal,
  ): Promise<void> {
    const { transfers, sessions } = this.dependencies;
    if (files.every((file) => getContentKey(file) === undefined)) return;
    const serviceIds = sessions.getServiceIds(order.connectionId);
    const earlier = filterSameDestination(transfers.getAll(), order, serviceIds).slice(0, maxEarlierTransfers);
    known.received = findReceivedFiles(files, earlier, (await readVerified?.(earlier, signal)) ?? []);
  }
}
