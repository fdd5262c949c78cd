import { randomUUID } from 'node:crypto';
import type { TransferRequest } from '../../contract/transfer.ts';
import type { Clock } from '../../core/util/clock.ts';
import { Emitter } from '../../core/util/emitter.ts';
import type { Disposable } from '../../core/util/lifetime.ts';
import type { Logger } from '../../core/util/logger.ts';
import type { ServedDatabase } from '../catalog/databases.ts';
import type { DatabaseRegistry } from '../databases/databaseRegistry.ts';
import { AcknowledgementFirst } from './acknowledgement.ts';
import { EndedTransfers } from './endedTransfers.ts';
import { FileThreads } from './fileThreads.ts';
import type { TransferJournal } from './journal.ts';
import { LiveTransfer } from './liveTransfer.ts';
import { haveRoom, TransferFailure, TransferSuspension } from './outcomes.ts';
import { addTo, prepareSubmission } from './submission.ts';
import { describeWaiting, hasEnded, type TransferFile, type TransferRecord } from './transferRecord.ts';
import { UnservedTransfers } from './unservedTransfers.ts';

/** What the queue works with. */
interface TransferQueueOptions {
  readonly journal: TransferJournal;
  readonly databases: DatabaseRegistry;
  readonly clock: Clock;
  readonly logger: Logger;
  /** Retention of ended transfers (D25). */
  readonly retentionMs: number;
  /** How long a suspended transfer waits before it looks again. */
  readonly retryDelayMs: number;
  readonly throttleBytesPerSecond?: number;
}

/** What became of a request to cancel. */
type CancelResult = 'accepted' | 'unknown' | 'notYours' | 'ended';

interface Ends {
  readonly source: ServedDatabase;
  readonly destination: ServedDatabase;
}

const maxRunning = 3;

/** Runs transfers, a few at a time, and answers for all that are remembered (D23, D25). */
export class TransferQueue {
  private readonly options: TransferQueueOptions;
  private readonly live = new Map<string, LiveTransfer>();
  private readonly waiting: LiveTransfer[] = [];
  private readonly running = new Map<LiveTransfer, Promise<void>>();
  private readonly unserved: UnservedTransfers;
  private readonly ended: EndedTransfers;
  private readonly threads: FileThreads;
  private readonly acknowledging: AcknowledgementFirst;
  private readonly activity = new Emitter<void>();
  private following: Disposable | undefined;
  private isClosed = false;

  /** Fires when {@link activeCount} may have changed. */
  readonly onDidChangeActivity = this.activity.event;

  constructor(options: TransferQueueOptions) {
    this.options = options;
    this.unserved = new UnservedTransfers(options);
    this.ended = new EndedTransfers(options);
    this.threads = new FileThreads(options.clock);
    this.acknowledging = new AcknowledgementFirst(options.clock);
  }

  /** How many transfers run or wait for their turn; those that wait for a folder or a database do not count. */
  get activeCount(): number {
    return this.waiting.length + this.running.size;
  }

  /** Goes on with every transfer that had not ended when the service last stopped, as its databases come. */
  start(): void {
    this.ended.start(() => this.unserved.sweep());
    this.goOn();
    this.following = this.options.databases.onDidChange(() => this.followDatabases());
  }

  /** Takes a transfer in; when this resolves it is on disk (D25). Throws the problems of {@link prepareSubmission}. */
  async submit(request: TransferRequest): Promise<string> {
    return await this.acknowledging.run(
      async () => await this.takeIn(request),
      () => this.pump(),
    );
  }

  private async takeIn(request: TransferRequest): Promise<string> {
    const { databases, clock, journal, logger } = this.options;
    const { record, files } = await prepareSubmission(databases, request, randomUUID(), clock.now());
    await addTo(journal, { record, files }, logger);
    // A database that came meanwhile may have had it begun already.
    const live = this.live.has(record.id) ? undefined : this.revive(record, files);
    if (live !== undefined) this.enqueue(live);
    return record.id;
  }

  /** The record of a transfer; undefined when it is unknown or its time has passed. */
  get(id: string): TransferRecord | undefined {
    return this.live.get(id)?.record() ?? this.ended.get(id);
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
    this.ended.dispose();
    this.following?.dispose();
    this.activity.dispose();
    for (const live of this.live.values()) live.stop();
    await Promise.all([...this.running.values(), this.unserved.close()]);
    await this.threads.end();
  }

  /** Goes on with what the journal holds and nobody drives, where both databases are served. */
  private goOn(): void {
    const { journal } = this.options;
    for (const record of journal.unfinished()) {
      if (this.live.has(record.id)) continue;
      const live = this.revive(record, journal.filesOf(record.id));
      if (live === undefined) continue;
      // What it waited for is looked at anew: until then the old reason would be told as if it still held.
      if (record.status === 'inactive') live.enter('staging', describeWaiting(record.fileCount, record.sizeBytes));
      this.enqueue(live);
    }
  }

  private followDatabases(): void {
    if (this.isClosed) return;
    for (const live of [...this.live.values()]) {
      if (!this.isActive(live) && this.endsOf(live.record()) === undefined) this.letWait(live);
    }
    this.goOn();
    this.unserved.sweep();
  }

  private isActive(live: LiveTransfer): boolean {
    return this.running.has(live) || this.waiting.includes(live);
  }

  /** Hands a transfer that waited for a folder to those that wait for a database. */
  private letWait(live: LiveTransfer): void {
    const record = live.record();
    if (hasEnded(record.status) || !live.persist()) return;
    live.stop();
    this.live.delete(record.id);
    this.unserved.suspend(record, this.options.journal.filesOf(record.id));
  }

  private cancelLive(live: LiveTransfer): void {
    live.requestCancel();
    if (this.running.has(live)) return;
    this.takeFromLine(live);
    this.begin(live);
  }

  private endsOf(record: TransferRecord): Ends | undefined {
    const source = this.options.databases.byId(record.sourceId);
    const destination = this.options.databases.byId(record.destinationId);
    return source === undefined || destination === undefined ? undefined : { source, destination };
  }

  private revive(record: TransferRecord, files: readonly TransferFile[]): LiveTransfer | undefined {
    const { journal, clock, logger, throttleBytesPerSecond } = this.options;
    const ends = this.endsOf(record);
    if (ends === undefined) {
      this.unserved.suspend(record, files);
      return undefined;
    }
    const { threads } = this;
    const run = { ...ends, threads, ...(throttleBytesPerSecond === undefined ? {} : { throttleBytesPerSecond }) };
    const landedCount = files.filter((file) => file.isLanded).length;
    const live = new LiveTransfer({ ...record, movedCount: landedCount }, files, { journal, clock, logger }, run);
    this.live.set(record.id, live);
    return live;
  }

  private enqueue(live: LiveTransfer): void {
    this.waiting.push(live);
    this.keepDatabases(live);
    this.pump();
    this.activity.fire();
  }

  /** A database that a running transfer uses, or one that waits for its turn, stays until that has ended or waits for more. */
  private keepDatabases(live: LiveTransfer): void {
    const { sourceId, destinationId } = live.record();
    live.kept ??= this.options.databases.keep([sourceId, destinationId]);
  }

  private takeFromLine(live: LiveTransfer): void {
    const index = this.waiting.indexOf(live);
    if (index >= 0) this.waiting.splice(index, 1);
  }

  private pump(): void {
    while (!this.isClosed && !this.acknowledging.holdsBack && this.running.size < maxRunning) {
      const next = this.waiting.shift();
      if (next === undefined) return;
      this.begin(next);
    }
  }

  private begin(live: LiveTransfer): void {
    this.keepDatabases(live);
    const work = this.drive(live).finally(() => this.leave(live));
    this.running.set(live, work);
  }

  private leave(live: LiveTransfer): void {
    this.running.delete(live);
    if (this.isClosed) return;
    live.kept?.dispose();
    live.kept = undefined;
    this.pump();
    this.activity.fire();
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
    const ends = this.endsOf(live.record());
    const canGoOn = ends !== undefined && (await haveRoom(ends.source.folder, ends.destination.folder, neededBytes));
    const isMine = this.live.get(live.record().id) === live;
    if (this.isClosed || !isMine || live.record().isCancelRequested) return;
    if (canGoOn) this.enqueue(live);
    else this.retryLater(live, neededBytes);
  }
}
