import { Emitter } from '../core/util/emitter.ts';
import type { Disposable } from '../core/util/lifetime.ts';
import type { ServedFolder } from './settings.ts';
import type { Lease, LeaseEnd } from './sharing/lease.ts';
import type { FinderParts, ServiceFinder } from './sharing/serviceFinder.ts';
import type { LocalServiceAccess, ServiceRecord } from './sharing/serviceRecord.ts';

/** What a {@link LocalService} needs. */
export interface LocalServiceParts extends FinderParts {
  /** The folders that this window wants to have served; those that should exist and do not are made by the caller. */
  folders(): Promise<readonly ServedFolder[]>;
}

/**
 * What became of this window's share in the service: `moved` means that it is to be reached at another address now,
 * `stopped` that somebody ended it on purpose, `ended` that it is gone for another reason.
 */
export type LocalServiceChange = 'started' | 'moved' | 'stopped' | 'ended';

interface Share {
  readonly access: LocalServiceAccess;
  readonly record: ServiceRecord;
  readonly lease: Lease;
  readonly folders: readonly ServedFolder[];
}

const restartsAtMost = 3;
const restartsWithinMs = 60_000;
const attempts = 3;

/** This window's share in the one local service of a person and a machine, which outlives the window (D29). */
export class LocalService implements Disposable {
  private readonly parts: LocalServiceParts;
  private share: Share | undefined;
  private joining: Promise<LocalServiceAccess> | undefined;
  private stopping: Promise<void> | undefined;
  private renewing: Promise<void> = Promise.resolve();
  private restartsAt: readonly number[] = [];
  private isDisposed = false;
  private readonly changed = new Emitter<LocalServiceChange>();
  private readonly databasesChanged = new Emitter<void>();

  /** Fires when this window has got or lost its share in the service. */
  readonly onDidChange = this.changed.event;
  /** Fires when the list of the service's databases may not be as it was, also by another window. */
  readonly onDidChangeDatabases = this.databasesChanged.event;

  constructor(parts: LocalServiceParts) {
    this.parts = parts;
  }

  /** Whether this window uses the service. */
  get isRunning(): boolean {
    return this.share !== undefined;
  }

  /**
   * Resolves when the service serves this window's folders; one that runs is used as it is. Rejects with what it said
   * when it could not start, or why it does not serve them.
   */
  async start(): Promise<LocalServiceAccess> {
    await this.stopping;
    return this.share?.access ?? (await this.join('started'));
  }

  /** Lets the service serve what this window wants now, where it uses it: the new lease comes before the old one goes. */
  async serve(): Promise<void> {
    const turn = this.renewing.then(async () => await this.renew());
    this.renewing = turn.catch(() => undefined);
    await turn;
  }

  /** How many other windows use the service; undefined when it does not run. */
  async otherWindows(): Promise<number | undefined> {
    const finder = await this.finder();
    const running = this.share?.record ?? (await finder.find());
    const leases = running && (await finder.leaseCount(running));
    return leases === undefined ? undefined : leases - (this.share ? 1 : 0);
  }

  /** Ends the service for all windows and resolves when it is gone; running transfers go on at its next start. */
  async stop(): Promise<void> {
    this.stopping ??= this.end().finally(() => {
      this.stopping = undefined;
    });
    await this.stopping;
  }

  /** Ends this window's share; the service goes on for others, and for what runs. */
  dispose(): void {
    this.isDisposed = true;
    this.share?.lease.dispose();
  }

  /** All that deals with a service is read when one is wanted, not when the editor starts. */
  private async finder(): Promise<ServiceFinder> {
    const { ServiceFinder: NewFinder } = await import('./sharing/serviceFinder.ts');
    return new NewFinder(this.parts);
  }

  private async end(): Promise<void> {
    await this.joining?.catch(() => undefined);
    const finder = await this.finder();
    const { share } = this;
    const record = share?.record ?? (await finder.find());
    if (!record) return;
    this.share = undefined;
    try {
      await finder.stop(record);
    } catch (error) {
      // One that has just ended by itself is gone as well.
      if (await finder.find()) throw error;
    } finally {
      share?.lease.dispose();
      this.changed.fire('stopped');
    }
  }

  private join(change: LocalServiceChange): Promise<LocalServiceAccess> {
    this.joining ??= this.joinNow(change).finally(() => {
      this.joining = undefined;
    });
    return this.joining;
  }

  private async joinNow(change: LocalServiceChange): Promise<LocalServiceAccess> {
    const [finder, folders] = await Promise.all([this.finder(), this.parts.folders()]);
    for (let attempt = 1; ; attempt += 1) {
      const record = await finder.obtain();
      try {
        const access = { address: record.address, token: record.token };
        this.adopt({ access, record, lease: await finder.lease(record, folders), folders });
        this.changed.fire(change);
        this.serveChanges();
        return access;
      } catch (error) {
        // It may have ended in this very moment, because nobody used it.
        if (isRefused(error) || attempt === attempts) throw error;
      }
    }
  }

  private adopt(share: Share): void {
    this.share = share;
    share.lease.onDidChangeDatabases(() => this.databasesChanged.fire());
    void share.lease.ended.then(async (end) => await this.follow(share, end));
    if (this.isDisposed) share.lease.dispose();
  }

  /** What is wanted may have changed while the service was being looked for. */
  private serveChanges(): void {
    this.serve().catch((error: unknown) => this.parts.log.error(`The local service: ${String(error)}`));
  }

  private async renew(): Promise<void> {
    const { share } = this;
    if (!share) return;
    const folders = await this.parts.folders();
    if (JSON.stringify(folders) === JSON.stringify(share.folders)) return;
    const lease = await (await this.finder()).lease(share.record, folders);
    if (this.share !== share) {
      lease.dispose();
      return;
    }
    this.adopt({ ...share, lease, folders });
    share.lease.dispose();
    this.databasesChanged.fire();
  }

  /** After a crash, and where another service takes the place of this one, goes on there without a question. */
  private async follow(share: Share, end: LeaseEnd): Promise<void> {
    if (this.share !== share || this.isDisposed) return;
    this.share = undefined;
    try {
      if (await this.shouldGoOn(end)) {
        await this.join('moved');
        return;
      }
    } catch (error) {
      this.parts.log.error(`The local service could not be started again: ${String(error)}`);
    }
    this.changed.fire(end === 'stopped' ? 'stopped' : 'ended');
  }

  /** A service that ended in order has removed the file that names it; after a crash the file is still there. */
  private async shouldGoOn(end: LeaseEnd): Promise<boolean> {
    const { clock, log } = this.parts;
    if (end === 'stopped') return false;
    if (end === 'lost' && !(await (await this.finder()).isNamed())) return false;
    const now = clock.now();
    const lately = this.restartsAt.filter((at) => now - at < restartsWithinMs);
    if (lately.length >= restartsAtMost) {
      log.error(`The local service ended ${restartsAtMost + 1} times within a minute; it is not started again`);
      return false;
    }
    log.warn('The local service ended without a word, or for another one; it is looked for, or started again');
    this.restartsAt = [...lately, now];
    return true;
  }
}

function isRefused(error: unknown): boolean {
  return error instanceof Error && error.name === 'LeaseRefused';
}
