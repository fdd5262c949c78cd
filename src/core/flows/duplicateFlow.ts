import { getContentKey } from '../duplicates/contentKey.ts';
import type { CopyIndex } from '../duplicates/copyIndex.ts';
import { filterSameDestination, findReceivedFiles, type VerifiedFiles } from '../duplicates/receivedFiles.ts';
import type { Transfer, TransferFile, TransferOrder } from '../model/transferModel.ts';
import type { TransferStore } from '../store/transferStore.ts';
import { settlesWithin, type Clock } from '../util/clock.ts';
import { searchDestination } from './destinationSearch.ts';
import type { OpenConnections } from './openConnections.ts';

/** The files of a planned submission that the destination already has, as far as is known (D60: same content). */
export interface KnownCopies {
  readonly atDestination: ReadonlySet<TransferFile>;
  /** False if the destination may have more of the files. */
  readonly isComplete: boolean;
  /** The files that earlier transfers delivered there, with the end of the newest one in milliseconds since 1970. */
  readonly received: ReadonlyMap<TransferFile, number>;
}

/** Options of {@link DuplicateFlow.findKnownCopies}. */
interface KnownCopiesOptions {
  readonly signal?: AbortSignal;
  /** Returns the intact files of the transfers that were verified. */
  readVerified(transfers: readonly Transfer[], signal: AbortSignal): Promise<readonly VerifiedFiles[]>;
}

interface DuplicateFlowDependencies {
  readonly sessions: OpenConnections;
  readonly copies: CopyIndex;
  readonly transfers: TransferStore;
  readonly clock: Clock;
  loadFinished(): Promise<void>;
}

/** Collects what is known of planned files. */
interface KnownSoFar {
  /** Keys of contents that the destination has. */
  readonly contents: Set<string>;
  isComplete: boolean;
  received: KnownCopies['received'];
}

interface Plan {
  readonly order: TransferOrder;
  readonly files: readonly TransferFile[];
  readonly known: KnownSoFar;
}

/** Maximum delay of a submission's summary. */
const maxWaitMs = 2_000;

/** Number of earlier transfers whose files and verifications are compared, newest first. */
const maxEarlierTransfers = 20;

/** Finds out before a submission which files the destination already has (D60: same content). */
export class DuplicateFlow {
  private readonly dependencies: DuplicateFlowDependencies;

  constructor(dependencies: DuplicateFlowDependencies) {
    this.dependencies = dependencies;
  }

  /**
   * Searches the destination, the results of searches, and the earlier transfers. Resolves after {@link maxWaitMs} at
   * the latest, or when the signal is aborted, with what is known by then. Never rejects.
   */
  async findKnownCopies(orders: readonly TransferOrder[], options: KnownCopiesOptions): Promise<KnownCopies> {
    const [order] = orders;
    const files = orders.flatMap((one) => one.files);
    const known: KnownSoFar = { contents: new Set(), isComplete: false, received: new Map() };
    if (order) await this.collect({ order, files, known }, options);
    const { isComplete, received } = known;
    const isThere = (file: TransferFile): boolean => this.isAtDestination(order, file, known);
    return { atDestination: new Set(files.filter(isThere)), isComplete, received };
  }

  private async collect(plan: Plan, options: KnownCopiesOptions): Promise<void> {
    const limit = new AbortController();
    const work = [this.searchDestination(plan, limit.signal), this.findReceived(plan, options, limit.signal)];
    await this.waitFor(Promise.allSettled(work), options.signal);
    limit.abort();
  }

  private async waitFor(work: Promise<unknown>, signal?: AbortSignal): Promise<void> {
    const cancelled = new Promise<void>((resolve) => signal?.addEventListener('abort', () => resolve()));
    if (!signal?.aborted) await settlesWithin(this.dependencies.clock, maxWaitMs, Promise.race([work, cancelled]));
  }

  private async searchDestination({ order, files, known }: Plan, signal: AbortSignal): Promise<void> {
    const session = this.dependencies.sessions.get(order.connectionId);
    if (!session) return;
    const onFound = (contentKey: string): unknown => known.contents.add(contentKey);
    known.isComplete = await searchDestination({ session, order, files, signal, onFound });
  }

  /**
   * Returns true if the destination has a file. Loaded results, which may be older, count only if the destination could
   * not be searched completely.
   */
  private isAtDestination(order: TransferOrder | undefined, file: TransferFile, known: KnownSoFar): boolean {
    const key = getContentKey(file);
    if (!order || key === undefined) return false;
    if (known.contents.has(key)) return true;
    return !known.isComplete && this.dependencies.copies.isIn(order.connectionId, order.destination, file);
  }

  private async findReceived(
    { order, files, known }: Plan,
    { readVerified }: KnownCopiesOptions,
    signal: AbortSignal,
  ): Promise<void> {
    const { transfers, loadFinished } = this.dependencies;
    if (files.every((file) => getContentKey(file) === undefined)) return;
    await loadFinished();
    const earlier = filterSameDestination(transfers.getAll(), order).slice(0, maxEarlierTransfers);
    known.received = findReceivedFiles(files, earlier, await readVerified(earlier, signal));
  }
}
