import { setTimeout } from 'node:timers/promises';
import type { StoreClient, StoreObject } from './storeClient.ts';
import { StoreError } from './storeError.ts';

const pollsPerLimit = 10;

/**
 * Sends a request. Aborts it with a {@link StoreError} if no request in its group has been active or made progress for
 * `limitMs`. Looking up objects does not count as activity. Without this limit, a request with a list of objects could
 * wait forever, because rclone 1.60 never responds if the store's server goes away.
 */
async function abortWhenStalled<T>(
  client: StoreClient,
  request: (signal: AbortSignal) => Promise<T>,
  signal: AbortSignal,
  limitMs: number,
): Promise<T> {
  const [stall, end] = [new AbortController(), new AbortController()];
  const abort = (): void => stall.abort(new StoreError('unreachable', 'rclone no longer responds'));
  // If polling fails, the request itself is expected to fail too.
  void waitForStall(client, limitMs, end.signal).then(abort, () => undefined);
  try {
    return await request(AbortSignal.any([signal, stall.signal]));
  } finally {
    end.abort();
  }
}

/**
 * Resolves when no request in the client's group has been active or made progress for `limitMs`. Rejects when the
 * signal aborts or polling fails.
 */
async function waitForStall(client: StoreClient, limitMs: number, signal: AbortSignal): Promise<void> {
  let previous: string | undefined;
  for (let unchanged = 0; unchanged < pollsPerLimit; unchanged += 1) {
    await setTimeout(limitMs / pollsPerLimit, undefined, { signal });
    const { isActive, progress } = await client.getStats();
    if (isActive || progress !== previous) unchanged = 0;
    previous = progress;
  }
}

/** A list of the objects in a batch, as paths relative to their remote. */
export interface ObjectList {
  /** Path of the local file from which rclone reads the list, one path per line. */
  readonly file: string;
  readonly count: number;
}

/** Time without progress after which a request counts as stalled: a base plus an allowance for each object. */
const defaultStallLimit = { ms: 60_000, msPerObject: 250 };

/** Options that make rclone skip its checks of the destination and of checksums; the caller verifies the objects. */
const batchConfig = {
  NoTraverse: true,
  NoCheckDest: true,
  IgnoreChecksum: true,
  Transfers: 4,
  Checkers: 4,
} as const;

/** Copies, renames and describes many small objects with few requests to rclone (D62: stores through rclone). */
export class StoreBatches {
  private readonly client: StoreClient;
  private readonly signal: AbortSignal;
  private readonly stallLimit: typeof defaultStallLimit;

  constructor(client: StoreClient, signal: AbortSignal, stallLimit = defaultStallLimit) {
    this.client = client;
    this.signal = signal;
    this.stallLimit = stallLimit;
  }

  /**
   * Copies objects between a remote and a local folder, or between two folders of a store. Objects that can't be copied
   * are missing from `to` afterwards. Throws {@link StoreError} if the store can't be reached, or if rclone exited and
   * may have left an incomplete file.
   */
  async copy(from: string, to: string, list: ObjectList): Promise<void> {
    await this.call('sync/copy', { srcFs: from, dstFs: to }, list).catch((error: unknown) => {
      if (!(error instanceof StoreError) || error.kind === 'unreachable') throw error;
    });
  }

  /**
   * Moves objects between two folders of a store. The folders must not overlap. Throws {@link StoreError} on failure.
   */
  async rename(from: string, to: string, list: ObjectList): Promise<void> {
    await this.call('sync/move', { srcFs: from, dstFs: to }, list);
  }

  /**
   * Returns the listed objects keyed by path, each with the requested hash, if any. Omits objects that can't be
   * described. Pass multiple lists to describe them in parallel, because an SFTP server computes the hashes for a
   * single list one at a time.
   */
  async describe(
    remote: string,
    lists: readonly ObjectList[],
    hash: string | undefined,
  ): Promise<ReadonlyMap<string, StoreObject>> {
    const requests = lists.map(async (list) => {
      const options = { hash, more: toOptions(list) };
      return await this.watch(list, async (signal) => await this.client.list(remote, '', options, signal));
    });
    const objects = (await Promise.allSettled(requests)).flatMap((one) =>
      one.status === 'fulfilled' ? one.value : [],
    );
    return new Map(objects.map((object) => [object.path, object]));
  }

  private async call(method: string, sides: object, list: ObjectList): Promise<void> {
    const body = { ...sides, ...toOptions(list) };
    await this.watch(list, async (signal) => await this.client.call(method, body, signal));
  }

  private async watch<T>({ count }: ObjectList, request: (signal: AbortSignal) => Promise<T>): Promise<T> {
    const { ms, msPerObject } = this.stallLimit;
    return await abortWhenStalled(this.client, request, this.signal, ms + count * msPerObject);
  }
}

function toOptions({ file }: ObjectList): object {
  return { _config: batchConfig, _filter: { FilesFromRaw: [file] } };
}
