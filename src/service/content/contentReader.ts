import type { Clock } from '../../core/util/clock.ts';
import { getErrorCode, isMissing } from '../../core/util/errorFacts.ts';
import type { Disposable } from '../../core/util/lifetime.ts';
import { silentCause } from '../../core/util/remote.ts';
import { cannotBeRead } from '../../core/util/sharedTexts.ts';
import type { DatabaseLocation } from '../catalog/servedDatabases.ts';
import { DatabaseUnavailableError } from '../catalog/databaseUnavailableError.ts';
import { HttpProblem } from '../http/httpProblem.ts';
import type { RcloneDaemon } from '../stores/rcloneDaemon.ts';
import { missingCause, StoreError } from '../stores/storeError.ts';
import { FileThreads } from '../transfers/fileThreads.ts';
import { describeSystemCode, findSystemCode, silentDiskCause } from '../transfers/transferErrors.ts';
import type { ContentRequest, ContentPart } from './folderContent.ts';
import { readStoreContent } from './storeContent.ts';

/** Time limit for reading, and before that, for the wait for earlier requests for the same folder or store. */
const defaultLimitMs = 15_000;
/** Number of folders that are read at a time, so that disks that hang occupy few threads (D42: hanging disks). */
const maxThreads = 4;

/** Reads parts of files for requests, one at a time for each folder or store, within a time limit. */
export class ContentReader {
  private readonly daemon: RcloneDaemon;
  private readonly threads: FileThreads;
  private readonly clock: Clock;
  private readonly limitMs: number;
  /** The latest request for each folder or remote; settles, but never rejects. */
  private readonly latest = new Map<string, Promise<unknown>>();

  constructor(daemon: RcloneDaemon, clock: Clock, limitMs = defaultLimitMs) {
    this.daemon = daemon;
    this.threads = new FileThreads(clock, maxThreads);
    this.clock = clock;
    this.limitMs = limitMs;
  }

  /**
   * Reads a part of a file that the catalog lists. Rejects with {@link HttpProblem} 404 if the file no longer exists, and
   * 409 if it can't be read now, for example because it is archived, or its disk or server doesn't respond in time.
   */
  async read(location: DatabaseLocation, path: string, request: ContentRequest): Promise<ContentPart> {
    const limit = new TimeLimit(this.clock, this.limitMs);
    const reading = this.enqueue(location.folder ?? location.remote, async () => {
      limit.signal.throwIfAborted();
      limit.restart();
      return await this.readNow(location, path, request, limit.signal);
    });
    try {
      return await Promise.race([reading, rejectOnAbort(limit.signal)]);
    } catch (error) {
      const cause = location.folder === undefined ? silentCause : silentDiskCause;
      throw limit.signal.aborted ? createProblem(409, cause) : toProblem(error);
    } finally {
      // Otherwise, what was read would stay in memory until the limit.
      limit.dispose();
    }
  }

  /** Ends the threads. The daemon belongs to the caller. */
  async close(): Promise<void> {
    await this.threads.end();
  }

  private async enqueue<T>(place: string, work: () => Promise<T>): Promise<T> {
    const result = (this.latest.get(place) ?? Promise.resolve()).then(work);
    const settled = result.then(
      () => undefined,
      () => undefined,
    );
    this.latest.set(place, settled);
    void settled.then(() => {
      if (this.latest.get(place) === settled) this.latest.delete(place);
    });
    return await result;
  }

  private async readNow(
    { folder, remote }: DatabaseLocation,
    path: string,
    request: ContentRequest,
    limit: AbortSignal,
  ): Promise<ContentPart> {
    if (folder === undefined) {
      const { clock } = this;
      const endMs = clock.now() + this.limitMs / 3;
      const hasTime = (): boolean => clock.now() < endMs;
      return await readStoreContent(this.daemon, { remote, path, ...request }, limit, hasTime);
    }
    // Not abandoned when the limit is exceeded: a disk that hangs then occupies one thread, not one for each request.
    const neverAborted = new AbortController().signal;
    const result = await this.threads.run('readContent', { folder, path, ...request }, neverAborted);
    if ('cause' in result) throw createProblem(409, result.cause);
    return result;
  }
}

/** Aborts its signal once the time has passed, unless it is disposed of before. */
class TimeLimit implements Disposable {
  private readonly controller = new AbortController();
  private readonly clock: Clock;
  private readonly limitMs: number;
  private timer: Disposable | undefined;
  readonly signal = this.controller.signal;

  constructor(clock: Clock, limitMs: number) {
    this.clock = clock;
    this.limitMs = limitMs;
    this.restart();
  }

  restart(): void {
    this.dispose();
    this.timer = this.clock.after(this.limitMs, () => this.controller.abort());
  }

  dispose(): void {
    this.timer?.dispose();
  }
}

async function rejectOnAbort(signal: AbortSignal): Promise<never> {
  return await new Promise((_resolve, reject) => {
    signal.addEventListener('abort', () => reject(signal.reason as Error), { once: true });
  });
}

function toProblem(error: unknown): unknown {
  if (error instanceof StoreError) return createProblem(error.kind === 'missing' ? 404 : 409, error.message);
  if (error instanceof DatabaseUnavailableError) return createProblem(409, error.message);
  if (isMissing(error)) return createProblem(404, missingCause);
  const systemCode = findSystemCode(getErrorCode(error));
  // Only a bug causes other errors.
  return systemCode === undefined ? error : createProblem(409, describeSystemCode(systemCode));
}

function createProblem(status: 404 | 409, cause: string): HttpProblem {
  return new HttpProblem(status, `The file ${cannotBeRead}: ${cause}.`);
}
