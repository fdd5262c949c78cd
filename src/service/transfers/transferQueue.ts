import { randomUUID } from 'node:crypto';
import * as fs from 'node:fs/promises';
import type { TransferRequest } from '../../contract/transfer.ts';
import type { Clock } from '../../core/util/clock.ts';
import type { Disposable } from '../../core/util/lifetime.ts';
import type { Logger } from '../../core/util/logger.ts';
import { databaseOfId, type ServedDatabase } from '../catalog/databases.ts';
import type { FileThreads } from './fileThreads.ts';
import type { TransferJournal } from './journal.ts';
import { LiveTransfer } from './liveTransfer.ts';
import { isFolder, TransferFailure, TransferSuspension } from './outcomes.ts';
import { prepareSubmission } from './submission.ts';
import { lanes } from './transferRun.ts';
import { describeWaiting, hasEnded, type TransferFile, type TransferRecord } from './transferRecord.ts';
import { UnservedTransfers } from './unservedTransfers.ts';

/** What the queue works with. */
interface TransferQueueOptions {
  readonly journal: TransferJournal;
  readonly databases: readonly ServedDatabase[];
  readonly threads: FileThreads;
  readonly clock: Clock;
  readonly logger: Logger;
  /** How long ended transfers are remembered (D25). */
  readonly retentionMs: number;
  /** How long a suspended transfer waits before it looks again. */
  readonly retryDelayMs: number;
  readonly throttleBytesPerSecond?: number;
}

/** What became of a request to cancel. */
type CancelResult = 'accepted' | 'unknown' | 'notYours' | 'ended';

const maxRunning = 3;
const pruneEveryMs = 3_600_000;

/** Runs transfers, a few at a time, and answers for all that are remembered (D23, D25). */
export class TransferQueue {
  private readonly options: TransferQueueOptions;
  private readonly live = new Map<string, LiveTransfer>();
  private readonly waiting: LiveTransfer[] = [];
  private readonly running = new Map<LiveTransfer, Promise<void>>();
  private readonly unserved: UnservedTransfers;
  private pruning: Disposable | undefined;
  private isClosed = false;

  constructor(options: TransferQueueOptions) {
    this.options = options;
    this.unserved = new UnservedTransfers(options);
  }

  /** Goes on with every transfer that had not ended when the service last stopped. */
  start(): void {
    this.prune();
    for (const record of this.options.journal.unfinished()) {
      const live = this.revive(record, this.options.journal.filesOf(record.id));
      if (live === undefined) continue;
      // What it waited for is looked at anew: until then the old reason would be told as if it still held.
      if (record.status === 'inactive') live.enter('staging', describeWaiting(record.fileCount, record.sizeBytes));
      this.enqueue(live);
    }
  }

  /** Takes a transfer in; when this resolves it is on disk (D25). Throws the problems of {@link prepareSubmission}. */
  async submit(request: TransferRequest): Promise<string> {
    const { databases, clock, journal, threads } = this.options;
    threads.prepare(lanes);
    const { record, files } = await prepareSubmission(databases, request, randomUUID(), clock.now());
    await journal.add(record, files);
    const live = this.revive(record, files);
    if (live !== undefined) this.enqueue(live);
    return record.id;
  }

  /** The record of a transfer; undefined when it is unknown or its time has passed. */
  get(id: string): TransferRecord | undefined {
    const record = this.live.get(id)?.record() ?? this.options.journal.get(id);
    const isPast = record?.endedAtMs !== undefined && record.endedAtMs < this.oldestMs();
    return isPast ? undefined : record;
  }

  /** Cancels a transfer for the person who submitted it (§4.7). Cancelling twice is accepted twice. */
  cancel(id: string, orcid: string): CancelResult {
    const record = this.get(id);
    if (record === undefined) return 'unknown';
    if (record.orcid !== orcid) return 'notYours';
    if (record.isCancelRequested) return 'accepted';
    if (hasEnded(record.status)) return 'ended';
    const live = this.live.get(id);
    if (live === undefined) this.unserved.cancel(record);
    else this.cancelLive(live);
    return 'accepted';
  }

  /** Stops everything at once; what had not ended goes on at the next start. */
  async close(): Promise<void> {
    this.isClosed = true;
    this.pruning?.dispose();
    for (const live of this.live.values()) live.stop();
    await Promise.all([...this.running.values(), this.unserved.close()]);
  }

  private cancelLive(live: LiveTransfer): void {
    live.requestCancel();
    if (this.running.has(live)) return;
    this.takeFromLine(live);
    this.begin(live);
  }

  private revive(record: TransferRecord, files: readonly TransferFile[]): LiveTransfer | undefined {
    const { databases, journal, threads, clock, logger, throttleBytesPerSecond } = this.options;
    const source = databaseOfId(databases, record.sourceId);
    const destination = databaseOfId(databases, record.destinationId);
    if (source === undefined || destination === undefined) {
      this.unserved.suspend(record, files);
      return undefined;
    }
    const run = {
      source,
      destination,
      threads,
      clock,
      ...(throttleBytesPerSecond === undefined ? {} : { throttleBytesPerSecond }),
    };
    const landedCount = files.filter((file) => file.isLanded).length;
    const live = new LiveTransfer({ ...record, movedCount: landedCount }, files, { journal, clock, logger }, run);
    this.live.set(record.id, live);
    return live;
  }

  private enqueue(live: LiveTransfer): void {
    this.waiting.push(live);
    this.pump();
  }

  private takeFromLine(live: LiveTransfer): void {
    const index = this.waiting.indexOf(live);
    if (index >= 0) this.waiting.splice(index, 1);
  }

  private pump(): void {
    while (!this.isClosed && this.running.size < maxRunning) {
      const next = this.waiting.shift();
      if (next === undefined) return;
      this.begin(next);
    }
  }

  private begin(live: LiveTransfer): void {
    const work = this.drive(live).finally(() => {
      this.running.delete(live);
      this.pump();
    });
    this.running.set(live, work);
  }

  private async drive(live: LiveTransfer): Promise<void> {
    try {
      if (!live.record().isCancelRequested) await live.run.run(live.signal);
    } catch (error) {
      if (!live.record().isCancelRequested) {
        await this.settle(live, error);
        return;
      }
    }
    if (live.record().isCancelRequested) await this.endUnfinished(live, 'canceled');
    else this.end(live, 'succeeded', 'completed successfully');
  }

  private async settle(live: LiveTransfer, error: unknown): Promise<void> {
    if (this.isClosed) {
      live.persist();
    } else if (error instanceof TransferSuspension) {
      live.enter('inactive', error.message);
      this.retryLater(live, error.neededBytes);
    } else if (error instanceof TransferFailure) {
      await this.endUnfinished(live, `failed (${error.message})`);
    } else {
      this.options.logger.error(
        `Unexpected: ${error instanceof Error ? (error.stack ?? error.message) : String(error)}`,
      );
      await this.endUnfinished(live, 'failed (unexpected error, see the log of the service)');
    }
  }

  private async endUnfinished(live: LiveTransfer, text: string): Promise<void> {
    await live.run.discard();
    // A cancel that came while the leftovers were removed has been acknowledged: it stands.
    this.end(live, 'failed', live.record().isCancelRequested ? 'canceled' : text);
  }

  private end(live: LiveTransfer, status: 'succeeded' | 'failed', text: string): void {
    // A record that could not be written stays here, so that it is still told truly.
    if (live.end(status, text)) this.live.delete(live.record().id);
  }

  private retryLater(live: LiveTransfer, neededBytes: number): void {
    if (this.isClosed) return;
    live.retry = this.options.clock.after(this.options.retryDelayMs, () => void this.retry(live, neededBytes));
  }

  private async retry(live: LiveTransfer, neededBytes: number): Promise<void> {
    const canGoOn = await this.canGoOn(live.record(), neededBytes);
    if (this.isClosed || live.record().isCancelRequested) return;
    if (canGoOn) this.enqueue(live);
    else this.retryLater(live, neededBytes);
  }

  private async canGoOn(record: TransferRecord, neededBytes: number): Promise<boolean> {
    const folders = this.options.databases
      .filter((database) => [record.sourceId, record.destinationId].includes(database.document.id))
      .map((database) => database.folder);
    if ((await Promise.all(folders.map(isFolder))).includes(false)) return false;
    const destination = databaseOfId(this.options.databases, record.destinationId);
    if (destination === undefined) return true;
    const space = await fs.statfs(destination.folder).catch(() => undefined);
    return space === undefined || space.bavail * space.bsize >= neededBytes;
  }

  private oldestMs(): number {
    return this.options.clock.now() - this.options.retentionMs;
  }

  private prune(): void {
    this.options.journal.prune(this.oldestMs());
    this.unserved.sweep();
    this.pruning = this.options.clock.after(pruneEveryMs, () => this.prune());
  }
}
